import type { Usage } from './usage.ts';

/** `usage` of chat completions; the last two members are there where the provider reports writes to its cache. */
export interface OpenAIUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number; readonly audio_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number; readonly audio_tokens: number };
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
}

/**
 * Usage as OpenAI's clients read it, whole answers and streams alike. Always holds: the
 * total is the sum of both, cached tokens are part of the prompt, reasoning is part of the completion. A provider that
 * reports a part larger than its whole is believed on the part.
 */
export function openaiUsage(usage: Usage): OpenAIUsage {
  const cached = count(usage.cached);
  const written = count(usage.cacheWrite);
  const reasoning = count(usage.reasoning);
  const prompt = Math.max(count(usage.prompt), cached + written);
  const completion = Math.max(count(usage.completion), reasoning);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: count(usage.audioIn) },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: count(usage.audioOut) },
    ...(usage.cacheWrite === undefined || cached === 0 ? {} : { cache_read_input_tokens: cached }),
    ...(written === 0 ? {} : { cache_creation_input_tokens: written }),
  };
}

/** A count of tokens is a whole number, whatever came. */
function count(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
