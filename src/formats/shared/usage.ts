import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Usage, UsageDetails } from '../../core/model/usage.ts';
import { objectOf } from './json.ts';

/**
 * Reads usage in the form of chat completions (`prompt_tokens`) and of responses and images (`input_tokens`), with details under
 * either name, and with DeepSeek's cache fields. Undefined if no count is a number.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = tokenCount(value['prompt_tokens']) ?? tokenCount(value['input_tokens']);
  const completion = tokenCount(value['completion_tokens']) ?? tokenCount(value['output_tokens']);
  const seconds = tokenCount(value['prompt_audio_seconds']) ?? (value['type'] === 'duration' ? tokenCount(value['seconds']) : undefined);
  if (prompt === undefined && completion === undefined) {
    return seconds === undefined ? undefined : { prompt: 0, completion: 0, details: { seconds } };
  }
  // The audio routes and realtime sessions use the singular, `input_token_details`.
  const input = details(value['prompt_tokens_details'], value['input_tokens_details'] ?? value['input_token_details']);
  const output = details(value['completion_tokens_details'], value['output_tokens_details'] ?? value['output_token_details']);
  const cached = tokenCount(input['cached_tokens']) ?? tokenCount(value['prompt_cache_hit_tokens']);
  const reasoning = tokenCount(output['reasoning_tokens']);
  const rest = Math.max(0, (tokenCount(value['total_tokens']) ?? 0) - (prompt ?? 0) - (completion ?? 0));
  // Mistral counts audio in seconds, and includes its tokens only in the total.
  const hasSound = seconds !== undefined && seconds !== 0;
  const extraReasoning = hasSound ? 0 : separateReasoning(rest, reasoning, cached);
  const cacheWrite = tokenCount(input['cache_write_tokens']) ?? separateCacheWrites(value, prompt, cached);
  const hour = cacheWrite === undefined ? 0 : writtenForAnHour(value['cache_creation'], cacheWrite);
  return {
    prompt: prompt ?? 0,
    completion: (completion ?? 0) + extraReasoning,
    ...known('cached', cached),
    ...known('cacheWrite', cacheWrite),
    ...known('reasoning', reasoning ?? (extraReasoning === 0 ? undefined : extraReasoning)),
    ...known('audioIn', tokenCount(input['audio_tokens'])),
    ...known('audioOut', tokenCount(output['audio_tokens'])),
    ...detailsOf(input, output, { ...(hasSound ? { seconds } : {}), ...(hour === 0 ? {} : { cache_write_1h: hour }) }),
  };
}

/**
 * Reasoning tokens that are not part of the completion: xAI counts them separately (xAI docs, "Consumption and Rate Limits"), the
 * chat route of the Gemini API only in the total. Any other rest of the total is not counted as output.
 *
 * @param rest total minus prompt and completion
 */
const separateReasoning = (rest: number, reasoning: number | undefined, cached: number | undefined): number =>
  rest === reasoning || (reasoning === undefined && cached === undefined) ? rest : 0;

/**
 * Reads cache writes where the gateway itself writes them in chat completions: beside the details. Other services may use the
 * same name for tokens that are not part of the prompt, so they count only next to cached tokens and within the prompt.
 */
function separateCacheWrites(value: JsonObject, prompt: number | undefined, cached: number | undefined): number | undefined {
  const written = tokenCount(value['cache_creation_input_tokens']) ?? 0;
  return written === 0 || cached === undefined || cached + written > (prompt ?? 0) ? undefined : written;
}

const writtenForAnHour = (lifetimes: unknown, written: number): number =>
  isJsonObject(lifetimes) ? Math.min(tokenCount(lifetimes['ephemeral_1h_input_tokens']) ?? 0, written) : 0;

/** Adds only details that are present: most responses have none. */
function detailsOf(input: JsonObject, output: JsonObject, others: UsageDetails): Pick<Usage, 'details'> {
  const cached = objectOf(input['cached_tokens_details']);
  const imageIn = tokenCount(input['image_tokens']) ?? 0;
  const imageOut = tokenCount(output['image_tokens']) ?? 0;
  const cachedAudio = tokenCount(cached['audio_tokens']) ?? 0;
  const cachedImages = tokenCount(cached['image_tokens']) ?? 0;
  if (imageIn + imageOut + cachedAudio + cachedImages === 0) return Object.keys(others).length === 0 ? {} : { details: others };
  return {
    details: {
      ...others,
      ...(imageIn === 0 ? {} : { image_in: imageIn }),
      ...(imageOut === 0 ? {} : { image_out: imageOut }),
      ...(cachedAudio === 0 ? {} : { cached_audio: cachedAudio }),
      ...(cachedImages === 0 ? {} : { cached_images: cachedImages }),
    },
  };
}

/** Adds up the usage of two responses, count by count. Texts, such as a tier, are those of the later one. */
export const sumOfUsages = (one: Usage, other: Usage): Usage => sumOf(one, other);

function sumOf<T extends Usage | JsonObject>(one: T, other: T): T {
  const sum: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other) as [string, unknown][]) {
    const before = sum[name];
    if (typeof before === 'number' && typeof value === 'number') sum[name] = before + value;
    else if (isJsonObject(before) && isJsonObject(value)) sum[name] = sumOf(before, value);
    else sum[name] = value;
  }
  return sum as T;
}

/** Maximum length of the name of a service tier, in characters. */
const maxTierLength = 32;

/** Names that services use for the tier of their regular price list. */
const regularTiers: ReadonlySet<unknown> = new Set(['default', 'standard', 'auto', 'on_demand', '']);

/** Adds the service tier that the response reports next to its usage. The tier of the regular price list is not recorded. */
export function withTier(usage: Usage | undefined, tier: unknown): Usage | undefined {
  if (usage === undefined || typeof tier !== 'string' || regularTiers.has(tier)) return usage;
  return { ...usage, details: { ...usage.details, tier: tier.slice(0, maxTierLength) } };
}

const details = (first: unknown, second: unknown): JsonObject => (isJsonObject(first) ? first : objectOf(second));

/** More than any real count, and small enough that sums of counts are exact. */
const maxCount = 1e13;

/** Returns a token count; undefined for anything that is not a finite number of at least 0. */
export const tokenCount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.min(value, maxCount) : undefined;

const known = <K extends keyof Usage>(key: K, value: number | undefined): { [P in K]?: number } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: number };
