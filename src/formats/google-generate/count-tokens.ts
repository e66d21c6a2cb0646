import { GatewayError } from '../../core/error.ts';
import { isPlain, type Plain } from '../../core/json/merge.ts';
import type { Dropped } from '../../core/provider.ts';
import { parseObject, textOf } from '../shared/json.ts';
import { cannotCarry } from '../shared/request/cannot-carry.ts';
import { Drops } from '../shared/request/drops.ts';
import type { Origins } from './input-paths.ts';

/** A request whose tokens are counted. */
export interface Countable {
  /** A chat completions body, limited to what has tokens. */
  readonly body: Plain;
  readonly dropped: readonly Dropped[];
  readonly origins: Origins;
}

/**
 * Converts input of the responses API to chat messages, limited to what token counting needs: texts, files, calls and their
 * results.
 *
 * @throws GatewayError `invalid_type`, `unsupported_parameter` for input that would be missing in the count
 */
export function chatOfResponses(body: Plain): Countable {
  const { instructions, tools } = body;
  for (const name of stored) if ((body[name] ?? null) !== null) throw notStored(name);
  const drops = new Drops();
  const system = textOf(instructions);
  const items = itemsIn(body['input']).flatMap((item, index) => {
    const message = messageOf(item, `input[${index}]`, drops);
    return message === undefined ? [] : [{ message, from: `input[${index}]` }];
  });
  if (system !== undefined) items.unshift({ message: { role: 'system', content: system }, from: 'instructions' });
  const functions = (Array.isArray(tools) ? (tools as unknown[]) : []).flatMap((tool, from) =>
    isPlain(tool) && isFunction(tool, drops) ? [{ tool, from }] : [],
  );
  nameLosses(body, drops);
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
const stored = ['previous_response_id', 'conversation'] as const;

const notStored = (name: string): Error =>
  cannotCarry(name, 'This provider stores no responses, so their tokens cannot be counted.', 'Send the whole conversation in "input".');

const notCounted = 'not counted by this service';

function nameLosses({ text, prompt }: Plain, drops: Drops): void {
  const format = isPlain(text) ? text['format'] : undefined;
  if (isPlain(format) && format['schema'] !== undefined) drops.add('text.format', notCounted);
  if ((prompt ?? null) !== null) drops.add('prompt', 'only OpenAI has stored prompts');
}

/** Other tools of the responses API run at OpenAI and have no tokens here. */
function isFunction(tool: Plain, drops: Drops): boolean {
  if (tool['type'] === 'function') return true;
  drops.add(`tools[].${textOf(tool['type']) ?? 'type'}`, 'only another service has this tool');
  return false;
}

function itemsIn(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input as unknown[];
  if (typeof input === 'string' || input === undefined || input === null) return [{ role: 'user', content: input ?? '' }];
  const wanted = 'a text or a list of items';
  throw new GatewayError('invalid_type', { message: `"input" is not ${wanted}.`, param: 'input', hint: `Send ${wanted} in "input".` });
}

function messageOf(item: unknown, at: string, drops: Drops): Plain | undefined {
  if (!isPlain(item)) throw cannotCarry(at, 'The item is not an object.');
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
      if (typeof item['role'] !== 'string') throw cannotCarry(`${at}.role`, 'The message has no role.');
      return { role: item['role'], content: item['content'] };
    default:
      drops.add(`input[].${textOf(type) ?? 'type'}`, notCounted);
      return undefined;
  }
}

const callOf = (id: unknown, name: unknown, text: unknown): Plain => ({
  role: 'assistant',
  tool_calls: [{ id, function: { name, arguments: text } }],
});

/** Selects the fields that `:countTokens` of Vertex AI accepts, and wraps them for the API-key endpoint. */
export function toCountTokens(request: Plain, model: string, surface: 'vertex' | 'developer'): Plain {
  const { contents, systemInstruction, tools } = request;
  const counted = {
    contents,
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    ...(tools === undefined ? {} : { tools }),
  };
  return surface === 'vertex' ? counted : { generateContentRequest: { model: `models/${model}`, ...counted } };
}

/** Converts the count to the form of the responses API. @throws GatewayError `upstream_invalid` */
export function fromCountTokens(text: string): Plain {
  const total = parseObject(text)?.['totalTokens'];
  if (typeof total !== 'number') {
    throw new GatewayError('upstream_invalid', { message: 'The response of the provider contains no token count.', source: 'provider' });
  }
  return { object: 'response.input_tokens', input_tokens: total };
}
