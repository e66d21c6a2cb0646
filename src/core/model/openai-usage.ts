import type { Usage } from './usage.ts';

/** `usage` of chat completions. The last three members can be set only if the provider reports cache writes. */
export interface OpenAIUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number; readonly audio_tokens: number; readonly image_tokens?: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number; readonly audio_tokens: number; readonly image_tokens?: number };
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_creation?: CacheLifetimes;
}

/** Cache writes by their lifetime. */
export interface CacheLifetimes {
  readonly ephemeral_5m_input_tokens: number;
  readonly ephemeral_1h_input_tokens: number;
}

/** Splits cache writes; undefined if all have the regular lifetime. */
export function cacheLifetimes({ cacheWrite, details }: Usage): CacheLifetimes | undefined {
  const written = wholeCount(cacheWrite);
  const hour = Math.min(wholeCount(details?.cache_write_1h), written);
  return hour === 0 ? undefined : { ephemeral_5m_input_tokens: written - hour, ephemeral_1h_input_tokens: hour };
}

/**
 * Converts usage to the form of OpenAI's API, for complete responses and streams. Guarantees that the total is the sum
 * of both counts, that cached tokens are part of the prompt, and that reasoning is part of the completion. If a
 * provider reports a part larger than its whole, the whole is raised.
 */
export function openaiUsage(usage: Usage): OpenAIUsage {
  const cached = wholeCount(usage.cached);
  const written = wholeCount(usage.cacheWrite);
  const reasoning = wholeCount(usage.reasoning);
  const lifetimes = cacheLifetimes(usage);
  const prompt = Math.max(wholeCount(usage.prompt), cached + written);
  const completion = Math.max(wholeCount(usage.completion), reasoning);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: cached,
      audio_tokens: wholeCount(usage.audioIn),
      ...imageTokens(usage.details?.image_in, prompt),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: wholeCount(usage.audioOut),
      ...imageTokens(usage.details?.image_out, completion),
    },
    ...(usage.cacheWrite === undefined || cached === 0 ? {} : { cache_read_input_tokens: cached }),
    ...(written === 0 ? {} : { cache_creation_input_tokens: written }),
    ...(lifetimes === undefined ? {} : { cache_creation: lifetimes }),
  };
}

const imageTokens = (count: number | undefined, whole: number): { readonly image_tokens?: number } =>
  wholeCount(count) === 0 ? {} : { image_tokens: Math.min(wholeCount(count), whole) };

/** The tiers that OpenAI's API reports, except the regular one. Client libraries may reject other names. */
const tiers: ReadonlySet<unknown> = new Set(['flex', 'priority', 'scale', 'fast']);

/** The member of a chat completion that names the tier, if it is not the regular one. */
export const tierField = ({ details }: Usage): { readonly service_tier?: string } =>
  details?.tier !== undefined && tiers.has(details.tier) ? { service_tier: details.tier } : {};

/** Returns a valid token count: a non-negative whole number. A fraction counts as one, as in costs. */
export function wholeCount(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.ceil(value) : 0;
}
