import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';

/** Finish reason for clients of the legacy `functions` parameter. */
export const legacyFinish = (reason: string): string => (reason === 'tool_calls' ? 'function_call' : reason);

/**
 * Converts a whole completion for such a client: the first call moves to `function_call`, further calls stay in `tool_calls`,
 * which the client does not read.
 */
export function withFunctionCalls(completion: JsonObject): JsonObject {
  const { choices } = completion;
  return Array.isArray(choices)
    ? { ...completion, choices: choices.map((one: unknown) => (isJsonObject(one) ? legacyChoice(one) : one)) }
    : completion;
}

function legacyChoice(choice: JsonObject): JsonObject {
  const message = isJsonObject(choice['message']) ? choice['message'] : {};
  const { tool_calls: calls, ...messageRest } = message;
  const [first, ...others] = Array.isArray(calls) ? calls.filter(isJsonObject) : [];
  const fn = first?.['function'];
  if (!isJsonObject(fn)) return choice;
  const rest = others.length === 0 ? {} : { tool_calls: others };
  const { finish_reason: reason } = choice;
  const finish = typeof reason === 'string' ? { finish_reason: legacyFinish(reason) } : {};
  return { ...choice, message: { ...messageRest, function_call: fn, ...rest }, ...finish };
}
