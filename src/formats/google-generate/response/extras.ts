import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { objectOf, objectsIn, stringOf, listOf } from '../../shared/json.ts';

/** Members of a candidate that are converted, and those that a choice has already. */
const converted: ReadonlySet<string> = new Set([
  'content',
  'index',
  'finishReason',
  'logprobsResult',
  'message',
  'delta',
  'logprobs',
  'finish_reason',
  'native_finish_reason',
]);

/**
 * Returns the other members of a candidate, which are sent under the service's own names with strict compliance off; undefined if
 * there are none.
 */
export function candidateExtras(candidate: JsonObject): JsonObject | undefined {
  let found: Record<string, unknown> | undefined;
  for (const member in candidate) {
    const value = candidate[member];
    if (value === undefined || value === null || converted.has(member)) continue;
    found ??= {};
    found[member] = value;
  }
  return found;
}

/** Members that a later event may add to. */
const growing = ['groundingMetadata', 'urlContextMetadata', 'citationMetadata'] as const;

/** Returns what a later event may add to. The rest is not kept: a stream may send ever new members. */
export function growingExtras(before: JsonObject | undefined, now: JsonObject): JsonObject | undefined {
  let kept = before;
  for (const member of growing) if (now[member] !== undefined) kept = { ...kept, [member]: now[member] };
  return kept;
}

/**
 * Merges these members of a candidate with those of a later event. Some models repeat `groundingMetadata` in each event, empty in
 * all but one, and send only the citations of that event. Clients keep the last value of a field.
 */
export function laterExtras(before: JsonObject | undefined, now: JsonObject): JsonObject {
  if (before === undefined) return now;
  const merged: Record<string, unknown> = { ...now };
  for (const member of ['groundingMetadata', 'urlContextMetadata'] as const)
    if (isJsonObject(before[member]) && isJsonObject(now[member])) merged[member] = { ...before[member], ...now[member] };
  if (isJsonObject(before['citationMetadata']) && isJsonObject(now['citationMetadata']))
    merged['citationMetadata'] = allCitations(before['citationMetadata'], now['citationMetadata']);
  return merged;
}

function allCitations(before: JsonObject, now: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...before, ...now };
  for (const member of ['citations', 'citationSources'] as const) {
    const rows = [...listOf(before[member]), ...listOf(now[member])];
    if (rows.length > 0) merged[member] = [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
  }
  return merged;
}

/** Builds `logprobs` of a choice from the service's two lists, which may differ in length. */
export function logprobsOf(candidate: JsonObject): JsonObject | undefined {
  const result = candidate['logprobsResult'];
  if (!isJsonObject(result) || !Array.isArray(result['chosenCandidates'])) return undefined;
  const top = listOf(result['topCandidates']);
  const content = (result['chosenCandidates'] as unknown[]).filter(isJsonObject).map((chosen, index) => {
    const row = top[index];
    return { ...tokenOf(chosen), top_logprobs: objectsIn(objectOf(row)['candidates']).map(tokenOf) };
  });
  return { content, refusal: null };
}

function tokenOf({ token, logProbability }: JsonObject): JsonObject {
  const text = stringOf(token);
  return { token: text, logprob: logProbability ?? 0, bytes: [...Buffer.from(text, 'utf8')] };
}
