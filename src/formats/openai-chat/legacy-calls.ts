import { isPlain, type Plain } from '../../core/json/merge.ts';

/** The word for the end of an answer as clients of the format's first days know it. */
export const legacyFinish = (reason: string): string => (reason === 'tool_calls' ? 'function_call' : reason);

/** A whole answer for such a client: the first call in `function_call`; what it cannot read stays in `tool_calls`. */
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
