import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pacing } from './result.ts';

/** A small upstream for machines without the Go tools: `node bench/node-upstream.ts PORT`. Responds in three formats, whole and streamed. */
interface Format {
  whole(model: unknown): object;
  /** Text of the events before, between and after the chunks. */
  readonly head: (model: unknown) => string;
  readonly chunk: (model: unknown) => string;
  readonly tail: (model: unknown) => string;
}

const text = 'lorem ipsum dolor sit amet '.repeat(26).slice(0, 700);
const piece = 'psum dolor s';
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

const head = { id: 'chatcmpl-mock', created: 1_700_000_000, system_fingerprint: 'fp_mock' };
const openaiEvent = (model: unknown, delta: object, reason: string | null): string =>
  data({ ...head, object: 'chat.completion.chunk', model, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] });

const openai: Format = {
  whole: (model) => ({
    ...head,
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 200, completion_tokens: 175, total_tokens: 375 },
  }),
  head: (model) => openaiEvent(model, { role: 'assistant', content: '' }, null),
  chunk: (model) => openaiEvent(model, { content: piece }, null),
  tail: (model) => `${openaiEvent(model, {}, 'stop')}data: [DONE]\n\n`,
};

const geminiResponse = (content: string, end: object): object => ({
  candidates: [{ content: { parts: [{ text: content }], role: 'model' }, index: 0, ...end }],
  usageMetadata: { promptTokenCount: 200, candidatesTokenCount: 175, totalTokenCount: 375 },
  modelVersion: 'mock-1',
  responseId: 'mock',
});

const gemini: Format = {
  whole: () => geminiResponse(text, { finishReason: 'STOP' }),
  head: () => '',
  chunk: () => data(geminiResponse(piece, {})),
  tail: () => data(geminiResponse('', { finishReason: 'STOP' })),
};

const message = { id: 'msg_mock', type: 'message', role: 'assistant' };
const usage = { input_tokens: 200, output_tokens: 175 };
const named = (type: string, rest: object = {}): string => `event: ${type}\n${data({ type, ...rest })}`;

const anthropic: Format = {
  whole: (model) => ({ ...message, model, content: [{ type: 'text', text }], stop_reason: 'end_turn', stop_sequence: null, usage }),
  head: (model) =>
    named('message_start', { message: { ...message, model, content: [], stop_reason: null, usage } }) +
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  chunk: () => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } }),
  tail: () =>
    named('content_block_stop', { index: 0 }) +
    named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }) +
    named('message_stop'),
};

function respond(url: string, body: { readonly model?: unknown; readonly stream?: unknown }, response: ServerResponse): void {
  const format = url.includes(':') ? gemini : url.endsWith('/messages') ? anthropic : openai;
  if (body.stream === true || url.includes(':streamGenerateContent')) return stream(format, body.model, response);
  const bytes = Buffer.from(JSON.stringify(format.whole(body.model)));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
}

function stream(format: Format, model: unknown, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(format.head(model));
  let left = pacing.chunks;
  const timer = setInterval(() => {
    if (left-- > 0) return response.write(format.chunk(model));
    clearInterval(timer);
    return response.end(format.tail(model));
  }, pacing.delayMs);
  response.on('close', () => clearInterval(timer));
}

createServer({ keepAliveTimeout: 600_000 }, (request: IncomingMessage, response: ServerResponse) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => respond(request.url ?? '', JSON.parse(Buffer.concat(chunks).toString() || '{}') as object, response));
}).listen(Number(process.argv[2]), '127.0.0.1');
