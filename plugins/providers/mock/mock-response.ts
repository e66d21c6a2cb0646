import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { bareModel } from '#core/model/model-name.ts';
import type { Call, LocalAnswer, LocalPiece } from '#core/provider.ts';
import { checkChunks, maxChunksOf } from './limits.ts';
import type { Refusal } from './rules.ts';
import { type MockReply, type MockSettings, msOf, replyOf } from './settings.ts';

/** One request to the mock: the parsed body and the configured response. */
export interface MockRequest {
  readonly body: JsonObject;
  readonly call: MockCall;
  readonly reply: MockReply;
}

/** The members of a call that the mock uses. */
export type MockCall = Pick<
  Call<MockSettings>,
  'endpoint' | 'settings' | 'model' | 'stream' | 'includeUsage' | 'params' | 'query' | 'form' | 'id' | 'createdAt'
>;

/** The content of a response. Delay, headers and faults of the configured reply are added in one place. */
export type MockContent =
  | { readonly json: unknown }
  | { readonly events: readonly (JsonObject | '[DONE]')[] }
  | { readonly bytes: string | Uint8Array; readonly type: string };

export type Responder = (request: MockRequest) => MockContent;

export const mockRequestOf = (body: JsonObject, call: MockCall): MockRequest => ({
  body,
  call,
  reply: withToolResult(replyOf(call.settings, modelOf(body, call)), body),
});

/** A configured tool call is returned once. A request that contains its result gets a text, so that the client's loop ends. */
function withToolResult(reply: MockReply, body: JsonObject): MockReply {
  if (reply.tool_call === undefined) return reply;
  const result = toolResult(body['messages'] ?? body['input']);
  if (result === undefined) return reply;
  const { tool_call: _call, finish_reason: _reason, ...rest } = reply;
  return { ...rest, text: reply.text ?? (result === '' ? 'The tool has returned a result.' : result) };
}

/** Returns the text of a tool result at the end of the conversation (a tool message, an output item or a block), or undefined. */
function toolResult(turns: unknown): string | undefined {
  const last: unknown = Array.isArray(turns) ? turns.at(-1) : undefined;
  if (!isJsonObject(last)) return undefined;
  if (last['role'] === 'tool' || last['role'] === 'function') return textOfContent(last['content']);
  if (typeof last['type'] === 'string' && last['type'].endsWith('_call_output')) return textOfContent(last['output']);
  const blocks: readonly unknown[] = Array.isArray(last['content']) ? last['content'] : [];
  const block = blocks.filter(isJsonObject).find(({ type }) => type === 'tool_result');
  return block === undefined ? undefined : textOfContent(block['content']);
}

/** In a form, a model name after the file is known only here. */
export const modelOf = (body: JsonObject, call: MockCall): string =>
  call.model !== '' || call.form === undefined ? call.model : bareModel(String(body['model'] ?? ''));

const eventStream = 'text/event-stream; charset=utf-8';

/** Renders a response: events with the configured delay before each. A reply with `breaks` stops halfway. */
export function rendered(request: MockRequest, content: MockContent): LocalAnswer {
  const { reply } = request;
  const isBroken = reply.breaks !== undefined;
  if ('events' in content) {
    const pause = msOf(reply.chunk_delay);
    const events = isBroken ? content.events.slice(0, Math.max(1, Math.ceil(content.events.length / 2))) : content.events;
    return localAnswerOf(
      request,
      eventStream,
      events.map((event) => ({ text: eventText(event), ...(pause === undefined ? {} : { afterMs: pause }) })),
    );
  }
  const { bytes, type } = 'json' in content ? { bytes: JSON.stringify(content.json), type: 'application/json' } : content;
  return localAnswerOf(request, type, [{ text: isBroken ? bytes.slice(0, bytes.length / 2) : bytes }]);
}

/** Event streams of all APIs but chat also have their type as the event name. */
function eventText(event: JsonObject | '[DONE]'): string {
  const data = `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
  return isJsonObject(event) && typeof event['type'] === 'string' ? `event: ${event['type']}\n${data}` : data;
}

/** Returns the configured error, or undefined if the reply is a success. */
export function configuredError(request: MockRequest): LocalAnswer | undefined {
  const { call, reply } = request;
  const status = reply.status ?? 200;
  if (status < 400 && reply.error === undefined) return undefined;
  const type = status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error';
  const message = reply.error ?? `The mock was configured to return ${status}.`;
  const error = errorBody(call, status, { message, type, param: null, code: status === 429 ? 'rate_limit_exceeded' : null });
  const isEvent = status < 400 && call.stream;
  return localAnswerOf(request, isEvent ? eventStream : 'application/json', [{ text: isEvent ? eventText(error) : JSON.stringify(error) }]);
}

export function refusalResponse(call: MockCall, { status, code, param, message }: Refusal): LocalAnswer {
  const error = errorBody(call, status, { message, type: 'invalid_request_error', param, code });
  const idHeader = isNative(call) ? 'request-id' : 'x-request-id';
  return {
    status,
    headers: { 'content-type': 'application/json', [idHeader]: `mock-${call.id}` },
    pieces: [{ text: JSON.stringify(error) }],
  };
}

const isNative = ({ endpoint }: MockCall): boolean => endpoint.startsWith('messages');

/** Error types of the messages API, whose errors have no code. */
const nativeTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function errorBody(call: MockCall, status: number, error: JsonObject): JsonObject {
  if (!isNative(call)) return { error };
  return { type: 'error', error: { type: nativeTypes[status] ?? 'api_error', message: error['message'] }, request_id: `mock-${call.id}` };
}

function localAnswerOf({ reply, call }: MockRequest, contentType: string, pieces: readonly LocalPiece[]): LocalAnswer {
  const delayMs = msOf(reply.delay);
  return {
    status: reply.status ?? 200,
    headers: { 'content-type': contentType, 'x-request-id': `mock-${call.id}`, ...reply.headers },
    pieces,
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(reply.breaks === undefined ? {} : { breaks: reply.breaks }),
  };
}

/**
 * Splits the text into the configured number of pieces; by default one per word, with the preceding whitespace, and several words
 * per piece if there would be too many pieces.
 *
 * @param choices number of choices of the stream that contain the text
 * @throws Refusal if the configured number is too high for so many choices
 */
export function piecesOf(text: string, reply: MockReply, choices = 1): readonly string[] {
  if (reply.chunks === undefined) return wordPieces(text, maxChunksOf(choices));
  const points = Array.from(text);
  const size = Math.max(1, Math.ceil(points.length / reply.chunks));
  checkChunks(Math.ceil(points.length / size), choices);
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(''));
  return pieces;
}

/** Between a word and the whitespace after it. */
const wordEnd = /(?<=\S)(?=\s)/;

/** Linear in the length, even for long whitespace. Trailing whitespace belongs to the last word. */
function wordPieces(text: string, max: number): readonly string[] {
  const content = text.trimEnd();
  if (content === '') return text === '' ? [] : [text];
  const words = content.split(wordEnd, max + 1);
  const pieces = words.length <= max ? words : groupsOfWords(content, Math.ceil(content.length / max));
  return [...pieces.slice(0, -1), `${pieces.at(-1) ?? ''}${text.slice(content.length)}`];
}

/** Splits a text at ends of words into pieces of at least `minLength` characters; the last one may be shorter. */
function groupsOfWords(text: string, minLength: number): readonly string[] {
  const end = new RegExp(wordEnd, 'g');
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    end.lastIndex = start + minLength;
    const next = end.exec(text)?.index ?? text.length;
    pieces.push(text.slice(start, next));
    start = next;
  }
  return pieces;
}

/** Returns the text of a message's content: a string, or the text parts of an array. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part: unknown) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : [])).join(' ');
}

/** Returns the text of the last user message, for the echo. */
export function lastUserText(messages: unknown): string {
  if (!Array.isArray(messages)) return '';
  const last = messages.findLast((message: unknown) => isJsonObject(message) && message['role'] === 'user') as JsonObject | undefined;
  return textOfContent(last?.['content']);
}

/** Returns the response text: the configured text, or '' with a tool call, or else the user's text. */
export const responseText = ({ reply }: MockRequest, userText: string): string =>
  reply.text ?? (reply.tool_call === undefined ? userText : '');

/** About four characters per token, so that counts grow with the text. */
export const tokensIn = (text: string): number => Math.ceil(text.length / 4);

/** Returns the number of choices that `n` requests. */
export const countOf = ({ body }: MockRequest, max: number): number =>
  typeof body['n'] === 'number' && body['n'] >= 1 ? Math.min(Math.floor(body['n']), max) : 1;

export const argumentsOf = (reply: MockReply): string => {
  const value = reply.tool_call?.arguments ?? {};
  return typeof value === 'string' ? value : JSON.stringify(value);
};
