import { GatewayError } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Dropped } from '../../core/provider.ts';
import { parseObject, textOf, listOf } from '../shared/json.ts';
import { unsupportedParameter } from '../shared/request/parameter-errors.ts';
import { Drops } from '../shared/request/drops.ts';
import type { Origins } from './input-paths.ts';

/** A request whose tokens are counted. */
export interface Countable {
  /** A chat completions body, limited to what has tokens. */
  readonly body: JsonObject;
  readonly dropped: readonly Dropped[];
  readonly origins: Origins;
}

/**
 * Converts input of the responses API to chat messages, limited to what token counting needs: texts, files, calls and their
 * results.
 *
 * @throws GatewayError `invalid_type`, `unsupported_parameter` for input that would be missing in the count
 */
export function chatOfResponses(body: JsonObject): Countable {
  const { instructions, tools } = body;
  for (const name of serverStateFields) if ((body[name] ?? null) !== null) throw serverStateError(name);
  const drops = new Drops();
  const system = instructionsIn(instructions);
  const items = itemsIn(body['input']).flatMap((item, index) => {
    const message = messageOf(item, `input[${index}]`, drops);
    return message === undefined ? [] : [{ message, from: `input[${index}]` }];
  });
  if (system !== undefined) items.unshift({ message: { role: 'system', content: system }, from: 'instructions' });
  const functions = listOf(tools).flatMap((tool, from) => (isJsonObject(tool) && isFunction(tool, drops) ? [{ tool, from }] : []));
  reportLosses(body, drops);
  return {
    body: {
      messages: items.map(({ message }) => message),
      ...(Array.isArray(tools) ? { tools: functions.map(({ tool }) => tool) } : {}),
    },
    dropped: drops.list,
    origins: { messages: items.map(({ from }) => from), tools: functions.map(({ from }) => from) },
  };
}

/** Members that refer to input which only OpenAI has. */
const serverStateFields = ['previous_response_id', 'conversation'] as const;

const serverStateError = (name: string): Error =>
  unsupportedParameter(
    name,
    'This provider stores no responses, so their tokens cannot be counted.',
    'Send the whole conversation in "input".',
  );

const notCounted = 'not counted by this service';

function reportLosses({ text, prompt }: JsonObject, drops: Drops): void {
  const format = isJsonObject(text) ? text['format'] : undefined;
  if (isJsonObject(format) && format['schema'] !== undefined) drops.add('text.format', notCounted);
  if ((prompt ?? null) !== null) drops.add('prompt', 'only OpenAI has stored prompts');
}

/** Other tools of the responses API run at OpenAI and have no tokens here. */
function isFunction(tool: JsonObject, drops: Drops): boolean {
  if (tool['type'] === 'function') return true;
  drops.add(`tools[].${textOf(tool['type']) ?? 'type'}`, 'only another service has this tool');
  return false;
}

function instructionsIn(value: unknown): string | undefined {
  if (typeof value === 'string' || (value ?? null) === null) return textOf(value);
  throw invalidType('instructions', 'a text');
}

const invalidType = (param: string, expected: string): GatewayError =>
  new GatewayError('invalid_type', { message: `"${param}" is not ${expected}.`, param, hint: `Send ${expected} in "${param}".` });

function itemsIn(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input as unknown[];
  if (typeof input === 'string' || input === undefined || input === null) return [{ role: 'user', content: input ?? '' }];
  throw invalidType('input', 'a text or a list of items');
}

function messageOf(item: unknown, at: string, drops: Drops): JsonObject | undefined {
  if (!isJsonObject(item)) throw unsupportedParameter(at, 'The item is not an object.');
  const { type, call_id: id, name } = item;
  switch (type) {
    case 'function_call':
      return callOf(id, name, item['arguments']);
    case 'custom_tool_call':
      return callOf(id, name, JSON.stringify({ input: item['input'] }));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', tool_call_id: id, content: item['output'] };
    case 'message':
    case undefined:
      if (typeof item['role'] !== 'string') throw unsupportedParameter(`${at}.role`, 'The message has no role.');
      return { role: item['role'], content: item['content'] };
    default:
      drops.add(`input[].${textOf(type) ?? 'type'}`, notCounted);
      return undefined;
  }
}

const callOf = (id: unknown, name: unknown, text: unknown): JsonObject => ({
  role: 'assistant',
  tool_calls: [{ id, function: { name, arguments: text } }],
});

/** Selects the fields that `:countTokens` of Vertex AI accepts, and wraps them for the API-key endpoint. */
export function toCountTokens(request: JsonObject, model: string, surface: 'vertex' | 'developer'): JsonObject {
  const { contents, systemInstruction, tools } = request;
  const counted = {
    contents,
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    ...(tools === undefined ? {} : { tools }),
  };
  return surface === 'vertex' ? counted : { generateContentRequest: { model: `models/${model}`, ...counted } };
}

/** Converts the count to the form of the responses API. @throws GatewayError `upstream_invalid` */
export function fromCountTokens(text: string): JsonObject {
  const total = parseObject(text)?.['totalTokens'];
  if (typeof total !== 'number') {
    throw new GatewayError('upstream_invalid', { message: "The provider's response contains no token count.", source: 'provider' });
  }
  return { object: 'response.input_tokens', input_tokens: total };
}
