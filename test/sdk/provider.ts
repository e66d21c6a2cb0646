import type { ServerResponse } from 'node:http';
import { json, type ScriptedUpstream, type SeenRequest, sse, startUpstream } from '../support/upstream.ts';

/** A provider with OpenAI's format whose behaviour depends on the model. */

export const fixtures = {
  text: 'Grüße – 你好 🐸 "quoted" \\ and\nthe next line.',
  pieces: ['Grüße', ' – 你好 🐸', ' "quoted" \\', ' and\nthe next line.'],
  tool: { id: 'call_1', name: 'weather', arguments: '{"city":"Köln \\"Nord\\""}' },
  /** Exact in 32 bits. */
  embedding: [0.5, -1.25, 3, 1024.0625],
  image: Buffer.from('not really a picture').toString('base64'),
  fault: { message: 'Too many "frogs".', type: 'invalid_request_error', param: 'frogs', code: 'frog_limit' },
  limit: { message: 'Slow down, please.', type: 'requests', param: null, code: 'rate_limit_exceeded' },
  down: { message: 'The backend is down.', type: 'server_error', param: null, code: null },
} as const;

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const head = { id: 'chatcmpl-sdk', created: 1_767_312_000, model: 'm-text-2026' };

type Body = Readonly<Record<string, unknown>>;

export const startProvider = (): Promise<ScriptedUpstream> => startUpstream(respond);

/** The model of a request; '' without a JSON body. */
export function modelOf(request: SeenRequest): string {
  return request.headers['content-type'] === 'application/json' && request.body.length > 0
    ? String((JSON.parse(request.body.toString('utf8')) as Body)['model'] ?? '')
    : '';
}

function respond(response: ServerResponse, request: SeenRequest, count: number): void {
  // Only the first request to a new provider exceeds the rate limit.
  if (modelOf(request) === 'm-once' && count === 1) return json(response, 429, { error: fixtures.limit }, { 'retry-after-ms': '1' });
  const route = `${request.method} ${request.url.split('?')[0]}`;
  const reply = replies[route];
  if (reply === undefined)
    json(response, 404, { error: { message: `No ${route} here.`, type: 'invalid_request_error', param: null, code: null } });
  else reply(response, modelOf(request) === '' ? {} : (JSON.parse(request.body.toString('utf8')) as Body));
}

const replies: Readonly<Record<string, (response: ServerResponse, body: Body) => void>> = {
  'POST /v1/chat/completions': chat,
  'POST /v1/embeddings': (response, body) => json(response, 200, embeddings(body)),
  'POST /v1/images/generations': (response) => json(response, 200, { created: head.created, data: [{ b64_json: fixtures.image }] }),
  'POST /v1/moderations': (response, { model }) =>
    json(response, 200, { id: 'modr-1', model, results: [{ flagged: true, categories: {}, category_scores: {} }] }),
  'POST /v1/responses': (response, { stream }) =>
    stream === true ? sse(response, responseEvents()) : json(response, 200, responseObject('completed')),
  'GET /v1/models': (response) => json(response, 200, { object: 'list', data: ['m-one', 'm-two'].map((id) => ({ id, object: 'model' })) }),
  'POST /v1/files': (response) => json(response, 200, file),
  'GET /v1/files': (response) => json(response, 200, { object: 'list', data: [file], has_more: false }),
};

const file = {
  id: 'file-1',
  object: 'file',
  bytes: 260,
  created_at: head.created,
  filename: 'bytes.bin',
  purpose: 'batch',
  status: 'processed',
};

function chat(response: ServerResponse, { model, stream, stream_options }: Body): void {
  switch (model) {
    case 'm-refuse':
      return json(response, 400, { error: fixtures.fault }, { 'x-request-id': 'req_of_the_provider' });
    case 'm-limit':
      return json(response, 429, { error: fixtures.limit }, { 'retry-after': '7', 'x-ratelimit-remaining-requests': '0' });
    case 'm-down':
      return json(response, 503, { error: fixtures.down }, { 'retry-after-ms': '1' });
    case 'm-silent':
      return;
    case 'm-endless':
      return startStream(response);
    case 'm-breaks':
      startStream(response);
      setTimeout(() => response.destroy(), 50);
      return;
    case 'm-tools':
      return stream === true ? sse(response, toolEvents()) : json(response, 200, toolObject());
    default:
      return stream === true ? sse(response, textEvents(stream_options !== undefined)) : json(response, 200, textObject());
  }
}

/** A stream that sends some content and then nothing. */
function startStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of textEvents(false).slice(0, 2)) response.write(event);
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  data({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });

function textEvents(withUsage: boolean): string[] {
  const last = data({ ...head, object: 'chat.completion.chunk', choices: [], usage });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...fixtures.pieces.map((content) => chunk({ content })),
    chunk({}, 'stop'),
    ...(withUsage ? [last] : []),
    'data: [DONE]\n\n',
  ];
}

function toolEvents(): string[] {
  const { id, name, arguments: text } = fixtures.tool;
  const call = (part: object): string => chunk({ tool_calls: [{ index: 0, ...part }] });
  return [
    chunk({ role: 'assistant', content: null, tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] }),
    ...(text.match(/.{1,5}/gu) ?? []).map((piece) => call({ function: { arguments: piece } })),
    chunk({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ];
}

const textObject = (): object => ({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: fixtures.text, refusal: null }, logprobs: null, finish_reason: 'stop' }],
  usage,
});

function toolObject(): object {
  const { id, name, arguments: text } = fixtures.tool;
  const message = { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name, arguments: text } }] };
  return { ...head, object: 'chat.completion', choices: [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' }], usage };
}

/** Libraries request base64 by default, and decode it. */
function embeddings({ encoding_format, model }: Body): object {
  const packed = Buffer.from(new Float32Array(fixtures.embedding).buffer).toString('base64');
  const embedding = encoding_format === 'base64' ? packed : fixtures.embedding;
  return { object: 'list', model, data: [{ object: 'embedding', index: 0, embedding }], usage: { prompt_tokens: 2, total_tokens: 2 } };
}

function responseObject(status: string): object {
  const part = { type: 'output_text', text: fixtures.text, annotations: [] };
  const output = status === 'completed' ? [{ id: 'msg_1', type: 'message', role: 'assistant', status, content: [part] }] : [];
  return { id: 'resp_1', object: 'response', created_at: head.created, model: head.model, status, output, error: null, tools: [] };
}

function responseEvents(): string[] {
  const events: readonly (readonly [string, object])[] = [
    ['response.created', { response: responseObject('in_progress') }],
    ...fixtures.pieces.map(
      (delta) => ['response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta, logprobs: [] }] as const,
    ),
    ['response.completed', { response: responseObject('completed') }],
  ];
  return events.map(([type, rest], n) => `event: ${type}\n${data({ type, sequence_number: n, ...rest })}`);
}
