import { tryParseObject } from '../../../core/json/scan.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';

/** A part of a message in the form of the GenAI conventions. */
export type MessagePart =
  | { readonly type: 'text'; readonly content: string }
  | { readonly type: 'tool_call'; readonly id: string | null; readonly name: string; readonly arguments: unknown }
  | { readonly type: 'tool_call_response'; readonly id: string | null; readonly response: unknown };

export const textParts = (content: string): MessagePart[] => (content === '' ? [] : [{ type: 'text', content }]);

/** Arguments in JSON text are parsed. */
export function callOf(id: unknown, call: Readonly<Record<string, unknown>>): MessagePart {
  const written = call['arguments'] ?? call['input'];
  const parsed = typeof written === 'string' ? (tryParseObject(written) ?? written) : written;
  return { type: 'tool_call', id: idOf(id), name: String(call['name']), arguments: parsed ?? null };
}

/** A call that the client runs, as an item of the responses API: of a function, a custom tool, a shell, a patch or the computer. */
export const isCallItem = ({ type, call_id: id }: JsonObject): boolean => typeof id === 'string' && String(type).endsWith('_call');

/** The result of such a call. */
export const isResultItem = ({ type }: JsonObject): boolean => String(type).endsWith('_call_output');

/** Calls of built-in tools have no name: that of their item is used. */
export function itemCallOf(item: JsonObject): MessagePart {
  const { type, name, arguments: args, input, action, operation } = item;
  return callOf(item['call_id'], { name: name ?? String(type).replace(/_call$/, ''), arguments: args ?? input ?? action ?? operation });
}

/** The result of a tool. */
export const resultOf = (id: unknown, result: unknown): MessagePart => ({
  type: 'tool_call_response',
  id: idOf(id),
  response: textIn(result),
});

const idOf = (id: unknown): string | null => (typeof id === 'string' ? id : null);

/** Returns the text of a content, which is a string or a list of parts. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part: unknown) => (typeof part === 'string' ? [part] : isJsonObject(part) ? textsOf(part) : [])).join('');
}

/** The text of a part: a refusal is what the model said instead, and a shell has two outputs. */
const textsOf = ({ text, refusal, stdout, stderr }: JsonObject): readonly string[] =>
  [text, refusal, stdout, stderr].filter((one) => typeof one === 'string');
