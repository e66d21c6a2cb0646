import { isPlain, type Plain } from '#core/merge.ts';

/** What a candidate tells beside its content: handed to clients without strictness under the service's own names. */
const members = ['groundingMetadata', 'safetyRatings', 'citationMetadata', 'urlContextMetadata', 'avgLogprobs', 'finishMessage'] as const;

/** Those of a candidate, or undefined where there are none. */
export function candidateExtras(candidate: Plain): Plain | undefined {
  let found: Record<string, unknown> | undefined;
  for (const member of members) {
    const value = candidate[member];
    if (value === undefined || value === null) continue;
    found ??= {};
    found[member] = value;
  }
  return found;
}

/** `logprobs` of a choice, from the service's two lists, which may differ in length. */
export function logprobsOf(candidate: Plain): Plain | undefined {
  const result = candidate['logprobsResult'];
  if (!isPlain(result) || !Array.isArray(result['chosenCandidates'])) return undefined;
  const top: readonly unknown[] = Array.isArray(result['topCandidates']) ? (result['topCandidates'] as unknown[]) : [];
  const content = (result['chosenCandidates'] as unknown[]).filter(isPlain).map((chosen, index) => {
    const row = top[index];
    const others: unknown = isPlain(row) ? row['candidates'] : undefined;
    return { ...tokenOf(chosen), top_logprobs: Array.isArray(others) ? others.filter(isPlain).map(tokenOf) : [] };
  });
  return { content, refusal: null };
}

function tokenOf({ token, logProbability }: Plain): Plain {
  const text = typeof token === 'string' ? token : '';
  return { token: text, logprob: logProbability ?? 0, bytes: [...Buffer.from(text, 'utf8')] };
}
