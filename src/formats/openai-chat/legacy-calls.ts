import { isPlain, type Plain } from '../../core/json/merge.ts';

/** Finish reason for clients of the legacy `functions` parameter. */
export const legacyFinish = (reason: string): string => (reason === 'tool_calls' ? 'function_call' : reason);

/**
 * Converts a whole completion for such a client: the first call moves to `function_call`, further calls stay in `tool_calls`,
 * which the client does not read.
 */
export function withFunctionCalls(completion: Plain): Plain {
  const { choices } = completion;
  return Array.isArray(choices)
    ? { ...completion, choices: choices.map((one: unknown) => (isPlain(one) ? legacyChoice(one) : one)) }
    : completion;
}

function legacyChoice(choice: Plain): Plain {
  const message = isPlain(choice['message']) ? choice['message'] : {};
  const { tool_calls: calls, ...said } = message;
  const [first, ...others] = Array.isArray(calls) ? calls.filter(isPlain) : [];
  const fn = first?.['function'];
  if (!isPlain(fn)) return choice;
  const rest = others.length === 0 ? {} : { tool_calls: others };
  const { finish_reason: reason } = choice;
  const finish = typeof reason === 'string' ? { finish_reason: legacyFinish(reason) } : {};
  return { ...choice, message: { ...said, function_call: fn, ...rest }, ...finish };
}
