import { isPlain, type Plain } from '../../core/json/merge.ts';
import type { Usage } from '../../core/model/usage.ts';

/**
 * Usage in the spellings of chat completions (`prompt_tokens`) and of responses and images (`input_tokens`); details
 * under either name, DeepSeek's cache fields included. Undefined where no count is a number.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isPlain(value)) return undefined;
  const prompt = count(value['prompt_tokens']) ?? count(value['input_tokens']);
  const completion = count(value['completion_tokens']) ?? count(value['output_tokens']);
  if (prompt === undefined && completion === undefined) return undefined;
  // The audio routes write it without the plural.
  const input = details(value['prompt_tokens_details'], value['input_tokens_details'] ?? value['input_token_details']);
  const output = details(value['completion_tokens_details'], value['output_tokens_details']);
  return {
    prompt: prompt ?? 0,
    completion: completion ?? 0,
    ...known('cached', count(input['cached_tokens']) ?? count(value['prompt_cache_hit_tokens'])),
    ...known('cacheWrite', count(input['cache_write_tokens'])),
    ...known('reasoning', count(output['reasoning_tokens'])),
    ...known('audioIn', count(input['audio_tokens'])),
    ...known('audioOut', count(output['audio_tokens'])),
  };
}

const details = (first: unknown, second: unknown): Plain => (isPlain(first) ? first : isPlain(second) ? second : {});

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

const known = <K extends keyof Usage>(key: K, value: number | undefined): { [P in K]?: number } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: number };
