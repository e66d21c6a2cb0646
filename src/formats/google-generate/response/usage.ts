import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Usage } from '../../../core/model/usage.ts';
import { textOf } from '../../shared/json.ts';
import { tokenCount, withTier } from '../../shared/usage.ts';

/** Modalities by name, and by number for responses with numeric enums. */
const audio = ['AUDIO', 4] as const;
const image = ['IMAGE', 2] as const;

/**
 * Converts `usageMetadata`. Results of the service's own tools count as prompt, reasoning as completion. Some models already
 * include reasoning in the candidates, which the total shows. Undefined if there are no counts.
 */
export function geminiUsage(value: unknown): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = tokenCount(value['promptTokenCount']);
  const candidates = tokenCount(value['candidatesTokenCount']);
  const thoughts = tokenCount(value['thoughtsTokenCount']);
  if (prompt === undefined && candidates === undefined && thoughts === undefined) return undefined;
  const tools = tokenCount(value['toolUsePromptTokenCount']) ?? 0;
  const counted = (prompt ?? 0) + (candidates ?? 0) + tools;
  const isInside = counted === tokenCount(value['totalTokenCount']);
  const cached = tokenCount(value['cachedContentTokenCount']);
  const audioIn = modality(value['promptTokensDetails'], audio);
  const audioOut = modality(value['candidatesTokensDetails'], audio);
  const usage = {
    prompt: (prompt ?? 0) + tools,
    completion: (candidates ?? 0) + (isInside ? 0 : (thoughts ?? 0)),
    ...(cached === undefined ? {} : { cached }),
    ...(thoughts === undefined ? {} : { reasoning: thoughts }),
    ...(audioIn === 0 ? {} : { audioIn }),
    ...(audioOut === 0 ? {} : { audioOut }),
    ...detailsOf(value),
  };
  return withTier(usage, tierIn(value));
}

/** Reads the tier that served the request: `serviceTier` of the Gemini API, `trafficType` of Vertex AI (`ON_DEMAND_FLEX`). */
function tierIn({ serviceTier, trafficType }: JsonObject): string | undefined {
  const written = textOf(serviceTier) ?? textOf(trafficType);
  const tier = written?.toLowerCase().replace(/^(?:service_tier_|traffic_type_|on_demand_)/, '');
  return tier === 'unspecified' ? undefined : tier;
}

/** Reads the counts of images, and of audio read from a cache. */
function detailsOf(value: JsonObject): Pick<Usage, 'details'> {
  const imageIn = modality(value['promptTokensDetails'], image);
  const imageOut = modality(value['candidatesTokensDetails'], image);
  const cachedAudio = modality(value['cacheTokensDetails'], audio);
  if (imageIn + imageOut + cachedAudio === 0) return {};
  return {
    details: {
      ...(imageIn === 0 ? {} : { image_in: imageIn }),
      ...(imageOut === 0 ? {} : { image_out: imageOut }),
      ...(cachedAudio === 0 ? {} : { cached_audio: cachedAudio }),
    },
  };
}

/**
 * Merges the usage of stream events. Each event may have only some counts, always as the sum so far. The last value of each count
 * is used.
 */
export function laterUsage(before: JsonObject | undefined, now: unknown): JsonObject | undefined {
  if (!isJsonObject(now)) return before;
  // A total applies only to the counts of its own event, so an earlier one is not kept.
  if (before === undefined) return now;
  return {
    totalTokenCount: now['totalTokenCount'],
    promptTokenCount: newer(now['promptTokenCount'], before['promptTokenCount']),
    candidatesTokenCount: newer(now['candidatesTokenCount'], before['candidatesTokenCount']),
    thoughtsTokenCount: newer(now['thoughtsTokenCount'], before['thoughtsTokenCount']),
    toolUsePromptTokenCount: newer(now['toolUsePromptTokenCount'], before['toolUsePromptTokenCount']),
    cachedContentTokenCount: newer(now['cachedContentTokenCount'], before['cachedContentTokenCount']),
    promptTokensDetails: newer(now['promptTokensDetails'], before['promptTokensDetails']),
    candidatesTokensDetails: newer(now['candidatesTokensDetails'], before['candidatesTokensDetails']),
    cacheTokensDetails: newer(now['cacheTokensDetails'], before['cacheTokensDetails']),
    serviceTier: newer(now['serviceTier'], before['serviceTier']),
    trafficType: newer(now['trafficType'], before['trafficType']),
  };
}

function modality(details: unknown, [name, number]: readonly [string, number]): number {
  if (!Array.isArray(details)) return 0;
  let sum = 0;
  for (const row of details as unknown[]) {
    if (isJsonObject(row) && (row['modality'] === name || row['modality'] === number)) sum += tokenCount(row['tokenCount']) ?? 0;
  }
  return sum;
}

const newer = (now: unknown, before: unknown): unknown => (now === undefined ? before : now);
