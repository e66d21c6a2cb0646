import type { JsonObject } from '../../../core/json/merge.ts';
import { objectOf, objectsIn, stringOf } from '../../shared/json.ts';

/** Converts the log probabilities of a choice of chat completions, token by token. All members are required here. */
export const logprobsFor = (logprobs: unknown): readonly JsonObject[] =>
  objectsIn(objectOf(logprobs)['content']).map((one) => ({
    ...tokenOf(one),
    top_logprobs: objectsIn(one['top_logprobs']).map(tokenOf),
  }));

function tokenOf({ token, logprob, bytes }: JsonObject): JsonObject {
  const text = stringOf(token);
  return { token: text, logprob: logprob ?? 0, bytes: Array.isArray(bytes) ? bytes : [...Buffer.from(text, 'utf8')] };
}
