import type { BodyPatch, JsonBody } from '../../core/json/body.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Operation } from '../../core/provider.ts';
import { resultOf } from '../shared/response/result.ts';
import { ChatReader } from './reader/chunks.ts';
import { objectOf, objectsIn, listOf } from '../shared/json.ts';

/**
 * Wraps a chat operation whose service has no `functions`: they are sent as tools, and calls reach the client in the form that it
 * reads. Rules of history that refuse `function_call` convert the messages.
 */
export function withFunctionsAsTools<Settings>(chat: Operation<Settings>): Operation<Settings> {
  return {
    ...chat,
    begin(body, call) {
      const converted = body.kind === 'json' ? functionsAsTools(body) : body;
      const inner = chat.begin(converted, call);
      if (converted === body) return inner;
      if (call.asksForFunctions !== true) return inner;
      const { request, tap } = inner;
      return {
        request,
        tap,
        reader: () => inner.reader?.() ?? new ChatReader(),
        result: (text, answer) => resultOf(inner, text, answer),
      };
    },
  };
}

/** Returns a body whose functions are tools, or the same body if it has none. */
export function functionsAsTools(body: JsonBody): JsonBody {
  if (!body.has('functions') && !body.has('function_call')) return body;
  const [functions, tools] = ['functions', 'tools'].map((name) => (body.has(name) ? body.exact(name) : undefined));
  const offered = Array.isArray(functions) ? functions.map((each: unknown) => ({ type: 'function', function: each })) : [];
  const patch = new Map<string, unknown>([
    ['functions', undefined],
    ['function_call', undefined],
  ]);
  if (offered.length > 0) patch.set('tools', [...listOf(tools), ...offered]);
  const choice = body.has('function_call') ? body.value('function_call') : null;
  const hasChoice = body.has('tool_choice') && body.value('tool_choice') !== null;
  if (choice !== null && !hasChoice && (offered.length > 0 || body.has('tools')))
    patch.set('tool_choice', isJsonObject(choice) ? { type: 'function', function: choice } : choice);
  return body.edit(patch as BodyPatch);
}

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
  const message = objectOf(choice['message']);
  const { tool_calls: calls, ...messageRest } = message;
  const [first, ...others] = objectsIn(calls);
  const fn = first?.['function'];
  if (!isJsonObject(fn)) return choice;
  const rest = others.length === 0 ? {} : { tool_calls: others };
  const { finish_reason: reason } = choice;
  const finish = typeof reason === 'string' ? { finish_reason: legacyFinish(reason) } : {};
  return { ...choice, message: { ...messageRest, function_call: fn, ...rest }, ...finish };
}
