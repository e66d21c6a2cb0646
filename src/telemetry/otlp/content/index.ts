import { tryParseObject } from '../../../core/json/scan.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import type { LogRecord } from '../../../core/records/record.ts';
import type { ExportedRecord } from '../exported-record.ts';
import { callOf, isCallItem, isResultItem, itemCallOf, type MessagePart, resultOf, textIn, textParts } from './parts.ts';
import { StreamedOutput } from './streamed.ts';

/** A message as in `gen_ai.input.messages` and `gen_ai.output.messages`; those of the output have a `finish_reason`. */
interface ShownMessage {
  readonly role: string;
  readonly parts: readonly MessagePart[];
  readonly finish_reason?: string;
}

/** Maximum length of an attribute in characters; collectors reject much larger ones. */
const longest = 64 * 1024;

/** Message attributes as JSON; undefined if the messages are not stored or their format has none. */
export interface ShownContent {
  /** Instructions outside the messages. */
  readonly system: string | undefined;
  readonly input: string | undefined;
  readonly output: string | undefined;
}

export function messagesOf({ record, request, response }: ExportedRecord): ShownContent {
  const body = request === undefined ? undefined : tryParseObject(request);
  const system = textParts(textIn(body?.['system'] ?? body?.['instructions']));
  return {
    system: latest(system),
    input: latest(body === undefined ? [] : inputIn(body)),
    output: response === undefined ? undefined : latest(outputIn(response, record)),
  };
}

/** Returns as many items as fit, preferring the latest. */
function latest(items: readonly (ShownMessage | MessagePart)[]): string | undefined {
  const texts: string[] = [];
  let length = 1;
  for (const item of items.toReversed()) {
    const text = JSON.stringify(item);
    length += text.length + 1;
    if (length > longest) break;
    texts.push(text);
  }
  return texts.length === 0 ? undefined : `[${texts.reverse().join(',')}]`;
}

function inputIn({ messages, input, prompt }: Readonly<Record<string, unknown>>): readonly ShownMessage[] {
  if (Array.isArray(messages)) return messages.flatMap(messageIn);
  if (Array.isArray(input)) return input.flatMap(messageIn);
  const parts = textParts(textIn(input ?? prompt));
  return parts.length === 0 ? [] : [{ role: 'user', parts }];
}

/** Converts a message of any format, or an item of the responses API, which may be a call or its result. */
function messageIn(message: unknown): ShownMessage[] {
  if (!isJsonObject(message)) return [];
  const { content } = message;
  const ofTool = message['role'] === 'tool' ? message['tool_call_id'] : isResultItem(message) ? message['call_id'] : undefined;
  if (ofTool !== undefined) return [{ role: 'tool', parts: [resultOf(ofTool, content ?? message['output'])] }];
  const isCall = isCallItem(message);
  const role = typeof message['role'] === 'string' ? message['role'] : isCall ? 'assistant' : 'user';
  const text = textIn(content) + textIn(message['refusal']);
  const parts = [...textParts(text), ...(isCall ? [itemCallOf(message)] : callsIn(message))];
  return parts.length === 0 ? [] : [{ role, parts }];
}

/** Returns the tool calls and results of a message, from `tool_calls` and from the blocks of its content. */
function callsIn({ tool_calls: calls, content }: Readonly<Record<string, unknown>>): MessagePart[] {
  const beside = (Array.isArray(calls) ? calls : []).flatMap((call: unknown) =>
    isJsonObject(call) && isJsonObject(call['function']) ? [callOf(call['id'], call['function'])] : [],
  );
  const blocks = (Array.isArray(content) ? content : []).flatMap((block: unknown): MessagePart[] => {
    if (!isJsonObject(block)) return [];
    if (block['type'] === 'tool_use') return [callOf(block['id'], block)];
    return block['type'] === 'tool_result' ? [resultOf(block['tool_use_id'], block['content'])] : [];
  });
  return [...beside, ...blocks];
}

/** Converts a whole response, or the events of a stream. */
function outputIn(text: string, record: LogRecord): readonly ShownMessage[] {
  const whole = tryParseObject(text);
  return whole === undefined ? streamedIn(text, record) : wholeIn(whole, record);
}

/** The data of each event. Its lines end only at CR and LF: JSON may contain U+2028, at which `.` and `$` of a pattern end a line. */
const eventData = /(?:^|[\r\n])data: ?(\{[^\r\n]*)/g;

function streamedIn(text: string, record: LogRecord): readonly ShownMessage[] {
  const streamed = new StreamedOutput();
  for (const [, json = ''] of text.matchAll(eventData)) streamed.add(tryParseObject(json));
  return streamed.choices().map((parts, at) => ({ role: 'assistant', parts, finish_reason: finishOf(record, at) }));
}

function wholeIn(body: Readonly<Record<string, unknown>>, record: LogRecord): readonly ShownMessage[] {
  const { choices, content, output } = body;
  if (Array.isArray(choices)) return choices.flatMap((choice: unknown, at) => choiceIn(choice, finishOf(record, at)));
  // The items of one response are one message.
  const items = Array.isArray(output) ? output : Array.isArray(content) ? [{ role: 'assistant', content }] : [];
  const parts = items.flatMap(messageIn).flatMap((message) => message.parts);
  return parts.length === 0 ? [] : [{ role: 'assistant', parts, finish_reason: finishOf(record, 0) }];
}

function choiceIn(choice: unknown, finish: string): ShownMessage[] {
  if (!isJsonObject(choice)) return [];
  const reason = typeof choice['finish_reason'] === 'string' ? choice['finish_reason'] : finish;
  const text = typeof choice['text'] === 'string' ? choice['text'] : '';
  const own: ShownMessage[] = text === '' ? messageIn(choice['message']) : [{ role: 'assistant', parts: textParts(text) }];
  return own.map(({ parts }) => ({ role: 'assistant', parts, finish_reason: reason }));
}

/** Each output message must have a finish reason. @param at index of the choice */
const finishOf = ({ finish, end }: LogRecord, at: number): string => finish[at] ?? finish[0] ?? (end === 'whole' ? 'stop' : end);
