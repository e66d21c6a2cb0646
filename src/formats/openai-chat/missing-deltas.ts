import { isJsonObject } from '../../core/json/merge.ts';
import { tryParseExact } from '../../core/json/scan.ts';

/**
 * Adds an empty `delta` to the choices of a chunk that have none, because the usual loop over a stream fails on them. Undefined for
 * all other events, which pass unchanged.
 */
export function withDeltas(data: string): string | undefined {
  if (data.includes('"delta"') || !data.includes('"choices"')) return undefined;
  const chunk = tryParseExact(data);
  const choices = isJsonObject(chunk) ? chunk['choices'] : undefined;
  if (!isJsonObject(chunk) || !Array.isArray(choices) || choices.length === 0) return undefined;
  const repaired = choices.map((choice: unknown) => (isJsonObject(choice) ? { delta: {}, ...choice } : choice));
  return JSON.stringify({ ...chunk, choices: repaired });
}
