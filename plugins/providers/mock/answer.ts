import { isPlain, type Plain } from '#core/json/merge.ts';
import { bareModel } from '#core/model/model-name.ts';
import type { Call, LocalAnswer, LocalPiece } from '#core/provider.ts';
import { type MockReply, type MockSettings, msOf, replyOf } from './settings.ts';

/** One question to the mock: the parsed body, and what is configured to come back. */
export interface Question {
  readonly body: Plain;
  readonly call: Call<MockSettings>;
  readonly reply: MockReply;
}

export const question = (body: Plain, call: Call<MockSettings>): Question => ({
  body,
  call,
  reply: afterTools(replyOf(call.settings, modelOf(body, call)), body),
});

/** A call is answered once: the request that brings its result gets a text, so that the loop of a client ends. */
function afterTools(reply: MockReply, body: Plain): MockReply {
  if (reply.tool_call === undefined) return reply;
  const result = toolResult(body['messages'] ?? body['input']);
  if (result === undefined) return reply;
  const { tool_call: _call, finish_reason: _reason, ...rest } = reply;
  return { ...rest, text: reply.text ?? (result === '' ? 'The tool has returned a result.' : result) };
}

/** The text of a result that ends the conversation: of a tool's message, an output item or a block; undefined without one. */
function toolResult(turns: unknown): string | undefined {
  const last: unknown = Array.isArray(turns) ? turns.at(-1) : undefined;
  if (!isPlain(last)) return undefined;
  if (last['role'] === 'tool' || last['role'] === 'function') return textOfContent(last['content']);
  if (typeof last['type'] === 'string' && last['type'].endsWith('_call_output')) return textOfContent(last['output']);
  const blocks: readonly unknown[] = Array.isArray(last['content']) ? last['content'] : [];
  const block = blocks.filter(isPlain).find(({ type }) => type === 'tool_result');
  return block === undefined ? undefined : textOfContent(block['content']);
}

/** The name that a form holds behind its file is known only now. */
export const modelOf = (body: Plain, call: Call<MockSettings>): string =>
  call.model !== '' || call.form === undefined ? call.model : bareModel(String(body['model'] ?? ''));

/** A whole JSON answer with the configured delay, headers and fault. */
export function whole({ reply, call }: Question, value: unknown): LocalAnswer {
  const text = JSON.stringify(value);
  return answer(reply, call, 'application/json', [{ text: reply.breaks === undefined ? text : text.slice(0, text.length / 2) }]);
}

/** The same for text and bytes of other kinds. */
export function file({ reply, call }: Question, content: string | Uint8Array, contentType: string): LocalAnswer {
  const half = content.length / 2;
  const kept = typeof content === 'string' ? content.slice(0, half) : content.subarray(0, half);
  return answer(reply, call, contentType, [{ text: reply.breaks === undefined ? content : kept }]);
}

/** Events with the configured pause before each; a reply that breaks stops half way. */
export function streamed({ reply, call }: Question, events: readonly string[]): LocalAnswer {
  const pause = msOf(reply.chunk_delay);
  const played = reply.breaks === undefined ? events : events.slice(0, Math.max(1, Math.ceil(events.length / 2)));
  const pieces = played.map((text): LocalPiece => (pause === undefined ? { text } : { text, afterMs: pause }));
  return answer(reply, call, 'text/event-stream; charset=utf-8', pieces);
}

/** Events of the images, audio and responses APIs: each has its type as its name too. */
export const named = (event: { readonly type: string; readonly [member: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** The configured error, or undefined when the reply is a proper answer. */
export function failure({ reply, call }: Question): LocalAnswer | undefined {
  const status = reply.status ?? 200;
  if (status < 400 && reply.error === undefined) return undefined;
  const type = status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error';
  const error = {
    message: reply.error ?? `The mock was configured to return ${status}.`,
    type,
    param: null,
    code: status === 429 ? 'rate_limit_exceeded' : null,
  };
  const text = JSON.stringify({ error });
  if (status >= 400 || !call.stream) return answer(reply, call, 'application/json', [{ text }]);
  return answer(reply, call, 'text/event-stream; charset=utf-8', [{ text: `data: ${text}\n\n` }]);
}

function answer(reply: MockReply, call: Call<MockSettings>, contentType: string, pieces: readonly LocalPiece[]): LocalAnswer {
  const delayMs = msOf(reply.delay);
  return {
    status: reply.status ?? 200,
    headers: { 'content-type': contentType, 'x-request-id': `mock-${call.id}`, ...reply.headers },
    pieces,
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(reply.breaks === undefined ? {} : { breaks: reply.breaks }),
  };
}

/** The answer's text in as many pieces as configured; else one for each word. */
export function piecesOf(text: string, reply: MockReply): readonly string[] {
  if (reply.chunks === undefined) return text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text]);
  const points = Array.from(text);
  const size = Math.max(1, Math.ceil(points.length / reply.chunks));
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(''));
  return pieces;
}

/** Text of a message's content: a string, or the text parts of an array. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part: unknown) => (isPlain(part) && typeof part['text'] === 'string' ? part['text'] : [])).join(' ');
}

/** The last thing a user said; for the echo. */
export function lastUserText(messages: unknown): string {
  if (!Array.isArray(messages)) return '';
  const last = messages.findLast((message: unknown) => isPlain(message) && message['role'] === 'user') as Plain | undefined;
  return textOfContent(last?.['content']);
}

/** About four characters a token: enough for counts that grow with the text. */
export const tokensIn = (text: string): number => Math.ceil(text.length / 4);

export const argumentsOf = (reply: MockReply): string => {
  const value = reply.tool_call?.arguments ?? {};
  return typeof value === 'string' ? value : JSON.stringify(value);
};
