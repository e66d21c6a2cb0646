import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { chunks, json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** Errors of providers as clients see them: in the client's format, with the right status and retry delay. */

const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }];
const exhausted = { error: { code: 429, message: 'Resource exhausted.', status: 'RESOURCE_EXHAUSTED', details } };

type Play = (response: ServerResponse) => void | Promise<void>;
const wholeBody =
  (status: number, value: unknown, headers: Record<string, string> = {}): Play =>
  (response) =>
    json(response, status, value, headers);
const stream =
  (...events: readonly string[]): Play =>
  (response) =>
    sse(response, events);
/** The same in pieces of arbitrary size. */
const inPieces =
  (...events: readonly string[]): Play =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const text = events.join('');
    for (let at = 0; at < text.length; at += 7) {
      response.write(text.slice(at, at + 7));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const sseEvent = (name: string, value: unknown): string => `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
const anthropic = (type: string): object => ({ type: 'error', error: { type, message: 'not now' } });

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let play: Play;

beforeAll(async () => {
  upstream = await startUpstream((response) => play(response));
  const vertex = { type: 'vertex-ai', region: 'us-central1', project: 'acme', custom_host: upstream.url, auth: { mode: 'caller' } };
  const retry = { attempts: 1, on_status_codes: [429, 529], use_retry_after_header: true };
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { egress: { allow: ['127.0.0.1'] } },
      providers: {
        vertex,
        open: { type: 'openai', api_key: 'sk-open-0123456789', custom_host: `${upstream.url}/v1` },
        azure: { type: 'azure-openai', api_key: 'k-azure-0123456789', custom_host: `${upstream.url}/openai`, api_version: 'v1' },
        claude: { type: 'anthropic', api_key: 'sk-ant-0123456789', custom_host: upstream.url },
        gem: { type: 'gemini', api_key: 'k-0123456789', custom_host: upstream.url },
      },
      configs: Object.fromEntries(
        ['open', 'claude', 'gem'].flatMap((provider) => [
          [`${provider}-mock`, { strategy: { mode: 'fallback', on_status_codes: [418] }, targets: [{ provider }, { provider: 'mock' }] }],
          [`${provider}-again`, { provider, retry }],
        ]),
      ),
    }),
  );
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function send(path: string, body: object, headers: Readonly<Record<string, string>>): Promise<ReadResponse> {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ya29.of-the-caller', ...headers },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }], max_tokens: 9, ...body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const chat = '/v1/chat/completions';
const messages = '/v1/messages';
const onVertex = { 'x-gateway-provider': '@vertex' };
const errorIn = (text: string): Record<string, unknown> => (JSON.parse(text) as { error: Record<string, unknown> }).error;

describe('a Google error of a model on Vertex AI', () => {
  const openModels = ['endpoints.1234567890', 'meta.llama-3.3-70b-instruct-maas', 'mistralai.mistral-medium-3', 'qwen.qwen3-coder'];
  const models = [...openModels, 'gemini-2.5-flash', 'anthropic.claude-sonnet-4-5'];
  const shapes: readonly (readonly [string, unknown])[] = [
    ['an object', exhausted],
    ['a list', [exhausted]],
  ];

  it.each(models.flatMap((model) => shapes.map(([shape, body]) => [model, shape, body] as const)))(
    'is converted to the format of a chat client: %s, %s',
    async (model, _shape, body) => {
      for (const streams of [false, true]) {
        play = wholeBody(429, body);
        const response = await send(chat, { model, stream: streams }, onVertex);
        expect([response.status, response.headers.get('retry-after'), response.headers.get('x-should-retry')]).toEqual([429, '35', null]);
        expect(errorIn(response.text)).toMatchObject({ type: 'rate_limit_error', code: 'RESOURCE_EXHAUSTED', param: null });
        expect(errorIn(response.text)['message']).toContain('Resource exhausted.');
      }
    },
  );

  it.each(shapes)('is converted to the format of a messages client: %s', async (_shape, body) => {
    for (const path of [messages, `${messages}/count_tokens`]) {
      play = wholeBody(429, body);
      const response = await send(path, { model: 'anthropic.claude-sonnet-4-5' }, onVertex);
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '35']);
      expect(JSON.parse(response.text)).toMatchObject({
        type: 'error',
        error: { type: 'rate_limit_error', message: 'Resource exhausted.' },
      });
    }
    const [, list] = shapes;
    play = wholeBody(
      404,
      list?.[1] === body ? [{ error: { code: 404, message: 'm', status: 'NOT_FOUND' } }] : { error: { message: 'm', status: 'NOT_FOUND' } },
    );
    const response = await send(messages, { model: 'anthropic.claude-sonnet-4-5' }, onVertex);
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([404, 'false']);
    expect(errorIn(response.text)).toMatchObject({ type: 'not_found_error' });
  });

  it.each(models.flatMap((model) => [stream, inPieces].map((framing) => [model, framing.name, framing] as const)))(
    'at the beginning of a stream returns its status: %s, %s',
    async (model, _name, framing) => {
      for (const body of [exhausted, [exhausted]]) {
        play = framing(data(body));
        const response = await send(chat, { model, stream: true }, onVertex);
        expect([response.status, response.headers.get('retry-after')]).toEqual([429, '35']);
        expect(errorIn(response.text)).toMatchObject({ type: 'rate_limit_error', code: 'RESOURCE_EXHAUSTED' });
      }
    },
  );

  it.each(openModels.flatMap((model) => [stream, inPieces].map((framing) => [model, framing.name, framing] as const)))(
    'in the middle of a stream is converted: %s, %s',
    async (model, _name, framing) => {
      for (const body of [exhausted, [exhausted]]) {
        play = framing(...chunks('one ').slice(0, 2), data(body));
        const response = await send(chat, { model, stream: true }, onVertex);
        expect(response.status).toBe(200);
        const last = response.text.trimEnd().split('\n\n').at(-1) ?? '';
        expect(errorIn(last.slice('data: '.length))).toMatchObject({
          message: 'Resource exhausted.',
          type: 'rate_limit_error',
          code: 'RESOURCE_EXHAUSTED',
        });
      }
    },
  );

  it('in the middle of a messages stream becomes an error event of that API', async () => {
    const start = sseEvent('message_start', { type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 1 } } });
    const delta = sseEvent('content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'one' } });
    for (const framing of [stream, inPieces]) {
      play = framing(start, delta, data(exhausted));
      const response = await send(messages, { model: 'anthropic.claude-sonnet-4-5', stream: true }, onVertex);
      const last = response.text.trimEnd().split('\n\n').at(-1) ?? '';
      expect(last).toMatch(/^event: error\ndata: /);
      expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
    }
  });
});

it.each([chat, messages])("an error in a stream that only the provider's own library reads becomes an error event: %s", async (path) => {
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk' };
  const groq = data({ ...chunk, choices: [], x_groq: { error: 'over capacity' } });
  const error = { code: 502, message: 'over capacity' };
  const openrouter = data({ ...chunk, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', error }] });
  const flat = { object: 'error', message: 'over capacity', type: 'BadRequestError', param: null, code: 400 };
  const events = [groq, openrouter, data(flat), sseEvent('error', flat), 'event: error\ndata: over capacity\n\n'];
  for (const [framing, own] of [stream, inPieces].flatMap((one) => events.map((event) => [one, event] as const))) {
    play = framing(...chunks('one ').slice(0, 2), own, 'data: [DONE]\n\n');
    const response = await send(path, { model: '@open/m', stream: true }, {});
    const last = response.text.trimEnd().split('\n\n').at(-1) ?? '';
    expect(errorIn(last.slice(last.indexOf('{')))).toMatchObject({ message: 'over capacity' });
    expect(response.text).toContain('one ');
    expect(response.text).not.toMatch(/\[DONE\]|message_stop/);
    const record = await gateway.record(response.headers.get('x-request-id'));
    expect(record).toMatchObject({ end: 'fault', error: { source: 'provider', message: 'over capacity' } });
  }
});

it("an error without the event name that Anthropic's libraries select becomes an error event", async () => {
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'one' } };
  for (const own of [anthropic('overloaded_error'), { error: 'not now' }]) {
    play = stream(sseEvent('message_start', { type: 'message_start', message: { id: 'msg_1' } }), sseEvent(delta.type, delta), data(own));
    const response = await send(messages, { model: '@claude/m', stream: true }, {});
    const last = response.text.trimEnd().split('\n\n').at(-1) ?? '';
    expect(last).toMatch(/^event: error\ndata: \{"type":"error","error":\{.*"message":"not now"/);
  }
});

it('a chunk of the content filter of Azure, which has no delta, gets one for strict clients', async () => {
  const filter = { id: '', choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 40 } }] };
  for (const framing of [stream, inPieces]) {
    play = framing(...chunks('one ').slice(0, 2), data(filter), 'data: [DONE]\n\n');
    for (const strict of ['true', 'false']) {
      const response = await send(chat, { model: '@azure/d1', stream: true }, { 'x-gateway-strict-compliance': strict });
      expect(response.text.includes('{"delta":{},"index":0,"finish_reason":null,"content_filter_offsets"')).toBe(strict === 'true');
      expect(response.text).toContain('one ');
    }
  }
});

/** Provider, path, first event, then the status and type that the client gets. */
const first: readonly (readonly [string, string, string, number, string])[] = [
  ['claude', messages, sseEvent('error', anthropic('overloaded_error')), 529, 'overloaded_error'],
  ['claude', messages, sseEvent('error', anthropic('rate_limit_error')), 429, 'rate_limit_error'],
  ['claude', messages, sseEvent('error', anthropic('api_error')), 500, 'api_error'],
  ['claude', messages, sseEvent('error', anthropic('new_error')), 502, 'new_error'],
  ['claude', chat, sseEvent('error', anthropic('overloaded_error')), 529, 'overloaded_error'],
  ['open', chat, data({ error: { message: 'not now', type: 'overloaded_error' } }), 529, 'overloaded_error'],
  ['open', chat, data({ error: { message: 'not now', type: 'server_error' } }), 500, 'server_error'],
  ['open', chat, data({ error: { message: 'not now', type: 'new' } }), 502, 'new'],
  [
    'open',
    chat,
    data({ error: { message: 'no', type: 'invalid_request_error', code: 'context_length_exceeded' } }),
    400,
    'invalid_request_error',
  ],
  ['open', chat, data({ object: 'error', message: 'not now', type: 'BadRequestError', code: 400 }), 400, 'BadRequestError'],
  [
    'open',
    '/v1/responses',
    data({ object: 'error', message: 'not now', type: 'InternalServerError', code: 500 }),
    500,
    'InternalServerError',
  ],
  ['open', chat, data({ choices: [{ finish_reason: 'error', error: { code: 503, message: 'not now' } }] }), 503, 'api_error'],
  ['open', '/v1/responses', sseEvent('error', { type: 'error', code: 'rate_limit_exceeded', message: 'not now' }), 429, 'rate_limit_error'],
  ['gem', chat, data({ error: { code: 503, message: 'not now', status: 'UNAVAILABLE' } }), 503, 'api_error'],
];

describe('an error object as the first event of a stream', () => {
  it.each(first.flatMap((row) => [stream, inPieces].map((framing) => [...row, framing] as const)))(
    'keeps its type and gets its status: %s %s %#',
    async (provider, path, event, status, type, framing) => {
      play = framing(event);
      const response = await send(path, { model: 'm-1', input: 'hi', stream: true }, { 'x-gateway-provider': `@${provider}` });
      expect([response.status, response.headers.get('x-gateway-error-source')]).toEqual([status, 'provider']);
      expect(response.headers.get('x-should-retry')).toBe(status === 400 ? 'false' : null);
      expect(errorIn(response.text)).toMatchObject({ type });
    },
  );

  it.each(first.filter(([, path]) => path === chat))(
    'triggers the fallback with any status list: %s %s %#',
    async (provider, path, event) => {
      play = stream(event);
      const response = await send(path, { model: 'm-1', stream: true }, { 'x-gateway-config': `${provider}-mock` });
      expect([response.status, response.headers.get('x-gateway-provider-type')]).toEqual([200, 'mock']);
    },
  );

  it('is retried after the requested delay if its status is listed', async () => {
    const soon = { error: { ...exhausted.error, details: [{ ...details[0], retryDelay: '0.05s' }] } };
    let n = 0;
    play = (response) => ((n += 1), n === 1 ? sse(response, [data(soon)]) : wholeBody(429, exhausted)(response));
    const response = await send(chat, { model: 'm-1', stream: true }, { 'x-gateway-config': 'gem-again' });
    expect([
      response.status,
      response.headers.get('retry-after'),
      response.headers.get('x-should-retry'),
      upstream.requests.length,
    ]).toEqual([429, '35', 'false', 2]);
    const record = await gateway.record(response.headers.get('x-request-id'));
    expect(record.attempts.map(({ reason, outcome }) => [outcome, reason])).toEqual([
      ['faulty', 'error object (status 429): gemini error: Resource exhausted.'],
      ['answered', 'gemini error: Resource exhausted.'],
    ]);
  });

  it("that rejects the operator's credential returns 502", async () => {
    play = stream(sseEvent('error', anthropic('authentication_error')));
    const response = await send(messages, { model: 'm-1', stream: true }, { 'x-gateway-provider': '@claude' });
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([502, 'false']);
    expect(response.text).toContain('providers.claude.api_key');
  });
});

describe('an error object with status 200', () => {
  it.each([
    ['open', chat, { error: { message: 'not now', code: 429 } }, 429],
    ['claude', messages, anthropic('overloaded_error'), 529],
    ['gem', chat, { error: { message: 'not now', status: 'UNAVAILABLE' } }, 503],
    ['open', '/v1/embeddings', { error: { message: 'not now', type: 'server_error' } }, 500],
    ['open', chat, { error: { message: 'not now' } }, 502],
    ['open', chat, { object: 'error', message: 'not now', type: 'rate_limit_error', code: null }, 429],
  ])('returns the status of its error type: %s %s %#', async (provider, path, body, status) => {
    play = wholeBody(200, body);
    const response = await send(path, { model: 'm-1', input: 'hi' }, { 'x-gateway-provider': `@${provider}` });
    expect([response.status, response.headers.get('x-gateway-error-source')]).toEqual([status, 'provider']);
    expect(errorIn(response.text)['message']).toContain('not now');
  });
});

it.each([
  ['the header retry-after is set', { 'retry-after': '3' }, '3', null],
  ['the header retry-after-ms is set', { 'retry-after-ms': '3000' }, null, '3000'],
])('a retry delay in the error body is ignored if %s', async (_name, headers, seconds, ms) => {
  play = wholeBody(429, exhausted, headers);
  const response = await send(chat, { model: 'gemini-2.5-flash' }, onVertex);
  expect([response.headers.get('retry-after'), response.headers.get('retry-after-ms')]).toEqual([seconds, ms]);
});
