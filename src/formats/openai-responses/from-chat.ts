import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Dropped } from '../../core/provider.ts';
import { withFileName } from '../openai-chat/plain/files.ts';
import { objectOf, objectsIn, stringOf } from '../shared/json.ts';
import { Drops } from '../shared/request/drops.ts';

/**
 * Converts a chat completions body to a request of the responses API, limited to what token counting needs: texts, files, calls
 * and their results, tools with their schemas, and the schema of the response.
 */
export function responsesOf(chat: JsonObject): { readonly body: JsonObject; readonly dropped: readonly Dropped[] } {
  const drops = new Drops();
  const functions = objectsIn(chat['tools']).flatMap((tool) => functionOf(tool, drops));
  const body = {
    model: chat['model'],
    input: objectsIn(chat['messages']).flatMap((message) => itemsOf(message, drops)),
    ...(functions.length === 0 ? {} : { tools: functions }),
    ...formatOf(chat['response_format']),
  };
  return { body, dropped: drops.list };
}

const notCounted = 'not counted: only another service has this tool';

/** Schemas are not strict here: whether they can be enforced does not matter for a count. */
function functionOf({ type, function: fn }: JsonObject, drops: Drops): readonly JsonObject[] {
  if (isJsonObject(fn)) return [{ type: 'function', ...fn, strict: false }];
  drops.add(`tools[].${String(type)}`, notCounted);
  return [];
}

function formatOf(format: unknown): JsonObject {
  const { type, json_schema: inner } = objectOf(format);
  return type === 'json_schema' && isJsonObject(inner) ? { text: { format: { type, ...inner, strict: false } } } : {};
}

function itemsOf(message: JsonObject, drops: Drops): readonly JsonObject[] {
  const { role, content, tool_calls: calls } = message;
  if (role === 'tool')
    return [{ type: 'function_call_output', call_id: message['tool_call_id'], output: textOf(content) }, ...filesOf(content)];
  if (role !== 'assistant') return [{ type: 'message', role, content: typeof content === 'string' ? content : partsOf(content) }];
  for (const { type } of objectsIn(message['content_blocks']))
    if (!countedOrHidden.has(type)) drops.add(`messages[].content[].${String(type)}`, notCounted);
  const text = textOf(content);
  const textItems = text === '' ? [] : [{ type: 'message', role, content: [{ type: 'output_text', text }] }];
  const callItems = objectsIn(calls).map(({ id, function: fn }) => ({
    type: 'function_call',
    call_id: id,
    ...(isJsonObject(fn) ? { name: fn['name'], arguments: fn['arguments'] } : {}),
  }));
  return [...textItems, ...callItems];
}

/** Blocks of earlier responses that are counted, and thinking, which other services do not read. */
const countedOrHidden: ReadonlySet<unknown> = new Set(['text', 'tool_use', 'thinking', 'redacted_thinking']);

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : objectsIn(content)
        .map(({ text }) => stringOf(text))
        .join('');

/** A function result holds only text, so the files of a tool result follow as a user message. */
function filesOf(content: unknown): readonly JsonObject[] {
  const files = partsOf(content).filter(({ type }) => type !== 'input_text');
  return files.length === 0 ? [] : [{ type: 'message', role: 'user', content: files }];
}

/** An image has an address, or the id of a stored file. */
const imageOf = (address: unknown): JsonObject =>
  typeof address === 'string' && !/^[a-z]+:/i.test(address) ? { file_id: address } : { image_url: address };

function partsOf(content: unknown): readonly JsonObject[] {
  return objectsIn(content).map(({ type, text, image_url: image, file }) => {
    if (type === 'image_url') return { type: 'input_image', detail: 'auto', ...imageOf(isJsonObject(image) ? image['url'] : image) };
    return isJsonObject(file) ? { type: 'input_file', ...withFileName(file) } : { type: 'input_text', text };
  });
}
