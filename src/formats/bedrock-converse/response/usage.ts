import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Usage } from '../../../core/model/usage.ts';
import { objectOf } from '../../shared/json.ts';
import { tokenCount, withTier } from '../../shared/usage.ts';

/** Reads the usage of a response, and the tier next to it. `inputTokens` does not include cache reads and writes. */
export const converseUsage = ({ usage, serviceTier }: JsonObject): Usage | undefined =>
  withTier(countsOf(usage), objectOf(serviceTier)['type']);

function countsOf(value: unknown): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const input = tokenCount(value['inputTokens']);
  const output = tokenCount(value['outputTokens']);
  if (input === undefined && output === undefined) return undefined;
  const cached = tokenCount(value['cacheReadInputTokens']) ?? 0;
  const cacheWrite = tokenCount(value['cacheWriteInputTokens']) ?? 0;
  return {
    prompt: (input ?? 0) + cached + cacheWrite,
    completion: output ?? 0,
    cached,
    cacheWrite,
    ...hourCacheWrites(value['cacheDetails']),
  };
}

/** Counts the cache writes with a lifetime of one hour, from `cacheDetails`. */
function hourCacheWrites(details: unknown): Pick<Usage, 'details'> {
  if (!Array.isArray(details)) return {};
  let hour = 0;
  for (const row of details as unknown[]) if (isJsonObject(row) && row['ttl'] === '1h') hour += tokenCount(row['inputTokens']) ?? 0;
  return hour === 0 ? {} : { details: { cache_write_1h: hour } };
}
