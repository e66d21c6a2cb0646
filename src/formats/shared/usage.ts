import { isPlain, type Plain } from '../../core/json/merge.ts';
import type { Usage } from '../../core/model/usage.ts';

/**
 * Reads usage in the form of chat completions (`prompt_tokens`) and of responses and images (`input_tokens`), with details under
 * either name, and with DeepSeek's cache fields. Undefined if no count is a number.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isPlain(value)) return undefined;
  const prompt = count(value['prompt_tokens']) ?? count(value['input_tokens']);
  const completion = count(value['completion_tokens']) ?? count(value['output_tokens']);
  const seconds = count(value['prompt_audio_seconds']) ?? (value['type'] === 'duration' ? count(value['seconds']) : undefined);
  if (prompt === undefined && completion === undefined) {
    return seconds === undefined ? undefined : { prompt: 0, completion: 0, details: { seconds } };
  }
  // The audio routes and realtime sessions use the singular, `input_token_details`.
  const input = details(value['prompt_tokens_details'], value['input_tokens_details'] ?? value['input_token_details']);
  const output = details(value['completion_tokens_details'], value['output_tokens_details'] ?? value['output_token_details']);
  const cached = count(input['cached_tokens']) ?? count(value['prompt_cache_hit_tokens']);
  const reasoning = count(output['reasoning_tokens']);
  const rest = Math.max(0, (count(value['total_tokens']) ?? 0) - (prompt ?? 0) - (completion ?? 0));
  // Mistral counts audio in seconds, and includes its tokens only in the total.
  const sound = seconds === undefined || seconds === 0 ? {} : { seconds };
  const beside = sound.seconds === undefined ? thoughtsBeside(rest, reasoning, cached) : 0;
  return {
    prompt: prompt ?? 0,
    completion: (completion ?? 0) + beside,
    ...known('cached', cached),
    ...known('cacheWrite', count(input['cache_write_tokens']) ?? writesBeside(value, prompt, cached)),
    ...known('reasoning', reasoning ?? (beside === 0 ? undefined : beside)),
    ...known('audioIn', count(input['audio_tokens'])),
    ...known('audioOut', count(output['audio_tokens'])),
    ...detailsOf(input, output, sound),
  };
}

/**
 * Reasoning tokens that are not part of the completion: xAI counts them separately (xAI docs, "Consumption and Rate Limits"), the
 * chat route of the Gemini API only in the total. Any other rest of the total is not counted as output.
 *
 * @param rest total minus prompt and completion
 */
const thoughtsBeside = (rest: number, reasoning: number | undefined, cached: number | undefined): number =>
  rest === reasoning || (reasoning === undefined && cached === undefined) ? rest : 0;

/**
 * Reads cache writes where the gateway itself writes them in chat completions: beside the details. Other services may use the
 * same name for tokens that are not part of the prompt, so they count only next to cached tokens and within the prompt.
 */
function writesBeside(value: Plain, prompt: number | undefined, cached: number | undefined): number | undefined {
  const written = count(value['cache_creation_input_tokens']) ?? 0;
  return written === 0 || cached === undefined || cached + written > (prompt ?? 0) ? undefined : written;
}

/** Adds only details that are present: most responses have none. */
function detailsOf(input: Plain, output: Plain, sound: { readonly seconds?: number }): Pick<Usage, 'details'> {
  const parts = input['cached_tokens_details'];
  const cached = isPlain(parts) ? parts : {};
  const imageIn = count(input['image_tokens']) ?? 0;
  const imageOut = count(output['image_tokens']) ?? 0;
  const cachedAudio = count(cached['audio_tokens']) ?? 0;
  const cachedImages = count(cached['image_tokens']) ?? 0;
  if (imageIn + imageOut + cachedAudio + cachedImages === 0) return sound.seconds === undefined ? {} : { details: sound };
  return {
    details: {
      ...sound,
      ...(imageIn === 0 ? {} : { image_in: imageIn }),
      ...(imageOut === 0 ? {} : { image_out: imageOut }),
      ...(cachedAudio === 0 ? {} : { cached_audio: cachedAudio }),
      ...(cachedImages === 0 ? {} : { cached_images: cachedImages }),
    },
  };
}

/** Adds up the usage of two responses, count by count. Texts, such as a tier, are those of the later one. */
export const sumOfUsages = (one: Usage, other: Usage): Usage => sumOf(one, other);

function sumOf<T extends Usage | Plain>(one: T, other: T): T {
  const sum: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other) as [string, unknown][]) {
    const before = sum[name];
    if (typeof before === 'number' && typeof value === 'number') sum[name] = before + value;
    else if (isPlain(before) && isPlain(value)) sum[name] = sumOf(before, value);
    else sum[name] = value;
  }
  return sum as T;
}

/** Maximum length of the name of a service tier, in characters. */
const longestTier = 32;

/** Names that services use for the tier of their regular price list. */
const ordinary: ReadonlySet<unknown> = new Set(['default', 'standard', 'auto', 'on_demand', '']);

/** Adds the service tier that the response reports next to its usage. The tier of the regular price list is not recorded. */
export function withTier(usage: Usage | undefined, tier: unknown): Usage | undefined {
  if (usage === undefined || typeof tier !== 'string' || ordinary.has(tier)) return usage;
  return { ...usage, details: { ...usage.details, tier: tier.slice(0, longestTier) } };
}

const details = (first: unknown, second: unknown): Plain => (isPlain(first) ? first : isPlain(second) ? second : {});

/** Returns a token count; undefined for anything that is not a finite number of at least 0. */
export const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

const known = <K extends keyof Usage>(key: K, value: number | undefined): { [P in K]?: number } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: number };
