import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWire, type Wire } from '../faults/wire.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ReceivedResponse, type RequestSpec, sendRequest, filesBelow, encodingsOf } from './sinks.ts';

/** A provider that repeats its credential: the gateway masks it with asterisks for the caller and on the disk. */

const key = 'sk-canary/4f9a+8b"7c\\6d=5e4f3a2b';

let wire: Wire;
let gateway: TestGateway;
/** Everything that callers received. */
const received: string[] = [];

beforeAll(async () => {
  wire = await startWire();
  const json = (value: unknown): string => JSON.stringify(value);
  gateway = await startTestGateway(
    json({
      version: 1,
      logging: { requests: { bodies: 'full' } },
      providers: {
        openai: { type: 'openai', api_key: '${env:KEY}', custom_host: `${wire.url}/v1` },
        anthropic: { type: 'anthropic', api_key: '${env:KEY}', custom_host: `${wire.url}/v1` },
        azure: {
          type: 'azure-openai',
          api_key: '${env:KEY}',
          custom_host: `${wire.url}/openai`,
          deployments: { m: { deployment_id: 'd', api_version: '2024-10-21' } },
        },
      },
      configs: { chain: { strategy: { mode: 'fallback' }, targets: ['openai/m', 'azure/m'] } },
    }),
    { env: { KEY: key } },
  );
});

afterAll(async () => {
  await gateway.close();
  await wire.close();
});

/** A response of the provider: where the credential is, and in which pieces it is written. */
interface Echo {
  readonly status?: number;
  readonly reason?: string;
  readonly headers?: readonly string[];
  readonly type?: string;
  readonly body: string;
  readonly framing?: 'length' | 'chunked' | 'close';
  readonly trailer?: string;
  /** Offsets in the body at which a new write begins. */
  readonly cuts?: readonly number[];
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3));

function script({
  status = 200,
  reason = 'OK',
  headers = [],
  type = 'application/json',
  body,
  framing = 'length',
  trailer,
  cuts = [],
}: Echo) {
  return async (socket: Socket): Promise<void> => {
    const bytes = Buffer.from(body);
    const ownHeaders =
      framing === 'length'
        ? [`content-length: ${bytes.length}`]
        : framing === 'chunked'
          ? ['transfer-encoding: chunked']
          : ['connection: close'];
    socket.write([`HTTP/1.1 ${status} ${reason}`, `content-type: ${type}`, ...ownHeaders, ...headers, '', ''].join('\r\n'));
    let from = 0;
    for (const to of [...cuts, bytes.length]) {
      const piece = bytes.subarray(from, to);
      from = to;
      if (piece.length === 0) continue;
      if (framing === 'chunked') socket.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]));
      else socket.write(piece);
      if (cuts.length > 0) await pause();
    }
    if (framing === 'chunked') socket.write(`0\r\n${trailer === undefined ? '' : `x-trailer: ${trailer}\r\n`}\r\n`);
    if (framing === 'close') socket.end();
  };
}

async function sent(request: RequestSpec, echo: Echo): Promise<ReceivedResponse> {
  wire.script = script(echo);
  const response = await sendRequest(gateway.url, request);
  received.push(response.text);
  return response;
}

const messages = [{ role: 'user', content: 'hi' }];
const openaiChat = (text: string): string =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  });
const anthropicMessage = (text: string): string =>
  JSON.stringify({
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  });
const event = (name: string, value: object): string => `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
const openaiStream = (text: string): string =>
  [{ role: 'assistant', content: '' }, { content: text }, {}]
    .map(
      (delta, i) =>
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: i === 2 ? 'stop' : null }] })}\n\n`,
    )
    .join('') + 'data: [DONE]\n\n';
const anthropicStream = (text: string): string =>
  event('message_start', {
    type: 'message_start',
    message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
  }) +
  event('content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
  event('content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }) +
  event('content_block_stop', { type: 'content_block_stop', index: 0 }) +
  event('message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }) +
  event('message_stop', { type: 'message_stop' });

const stream = 'text/event-stream';
const at = { 'x-gateway-provider': '@openai' };

/** Routes through the gateway, and a successful response that contains a text. */
const routes: readonly (readonly [name: string, request: RequestSpec, type: string, good: (text: string) => string])[] = [
  ['chat, forwarded', { path: '/v1/chat/completions', body: { model: '@openai/m', messages } }, 'application/json', openaiChat],
  ['chat, a deployment', { path: '/v1/chat/completions', body: { model: '@azure/m', messages } }, 'application/json', openaiChat],
  [
    'chat, converted',
    { path: '/v1/chat/completions', body: { model: '@anthropic/m', messages, max_tokens: 9 } },
    'application/json',
    anthropicMessage,
  ],
  ['messages', { path: '/v1/messages', body: { model: '@anthropic/m', messages, max_tokens: 9 } }, 'application/json', anthropicMessage],
  ['a stream, forwarded', { path: '/v1/chat/completions', body: { model: '@openai/m', messages, stream: true } }, stream, openaiStream],
  [
    'a stream, converted',
    { path: '/v1/chat/completions', body: { model: '@anthropic/m', messages, max_tokens: 9, stream: true } },
    stream,
    anthropicStream,
  ],
  [
    'speech',
    { path: '/v1/audio/speech', body: { model: '@openai/m', input: 'x', voice: 'v' } },
    'audio/mpeg',
    (text) => `sound ${text} sound`,
  ],
  ['a file', { path: '/v1/files/file-1/content', headers: at }, 'application/octet-stream', (text) => `${text} bytes`],
  ['a relayed path', { path: '/v1/things', headers: at }, 'text/plain', (text) => `things ${text}`],
  ['a relayed upload', { path: '/v1/things', headers: at, body: { a: 1 } }, 'application/json', (text) => JSON.stringify({ text })],
  [
    'a fallback',
    { path: '/v1/chat/completions', headers: { 'x-gateway-config': 'chain' }, body: { model: 'm', messages } },
    'application/json',
    openaiChat,
  ],
];

const asterisks = /\*{8}/;
const expectHidden = (response: ReceivedResponse): void => {
  for (const encoded of encodingsOf(key)) expect(response.text).not.toContain(encoded);
};

describe.each(routes)("%s: the gateway masks the provider's credential", (_, request, type, bodyWith) => {
  const encodings = [key, encodeURIComponent(key), encodeURIComponent(key).replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())];

  it.each([['length'], ['chunked'], ['close']] as const)('in a successful response (%s)', async (framing) => {
    for (const encoded of encodings) {
      const response = await sent(request, { type, framing, body: bodyWith(`a ${encoded} b`) });
      expect(response).toMatchObject({ status: 200, isWhole: true });
      expectHidden(response);
      expect(response.body).toMatch(asterisks);
    }
  });

  it('split at any position of the response', async () => {
    const body = bodyWith(`a ${key} b`);
    const bytes = Buffer.from(body);
    const inside = JSON.stringify(key).slice(1, -1);
    const encoded = body.includes(inside) ? inside : key;
    const from = bytes.indexOf(encoded);
    for (let cut = from + 1; cut < from + encoded.length; cut += 1) {
      for (const framing of ['length', 'chunked'] as const) {
        const response = await sent(request, { type, framing, body, cuts: [cut] });
        expect(response).toMatchObject({ status: 200, isWhole: true });
        expectHidden(response);
        expect(response.body).toMatch(asterisks);
      }
    }
  });

  it('in headers, header names, the reason phrase and trailers', async () => {
    const headers = [
      `x-echo: got ${key}`,
      `x-${key.replaceAll(/[^\w-]/g, '')}: 1`,
      `www-authenticate: Bearer error="${key}"`,
      `retry-after: ${key}`,
    ];
    const response = await sent(request, { type, headers, reason: `OK ${key}`, framing: 'chunked', trailer: key, body: bodyWith('fine') });
    expect(response).toMatchObject({ status: 200, isWhole: true });
    expectHidden(response);
  });

  it.each([[400], [401], [403], [404], [429], [500]])('in an error %i, also in a truncated message', async (status) => {
    const headers = [`retry-after: ${key}`, `x-ratelimit-reset: ${key}`];
    const bodies = [
      JSON.stringify({ error: { message: `Incorrect API key provided: ${key}.`, type: 'e', code: key, param: null } }),
      JSON.stringify({ error: { message: `${'x'.repeat(4070)}${key}`, type: 'e', code: null, param: null } }),
      JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: `invalid x-api-key ${key}` } }),
      `<html>${key}</html>`,
      `${'x'.repeat(190)}${key}`,
    ];
    for (const body of bodies) expectHidden(await sent(request, { status, headers, body }));
  });
});

describe('a compressed response', () => {
  it.each([
    ['a successful response', 200, openaiChat(`a ${key} b`)],
    ['an error', 400, JSON.stringify({ error: { message: `bad ${key}`, type: 'e', code: null, param: null } })],
  ])('has the credential masked: %s', async (_, status, text) => {
    const packed = gzipSync(text);
    wire.script = (socket) => {
      socket.write(
        `HTTP/1.1 ${status} x\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`,
      );
      socket.write(packed);
    };
    const response = await sendRequest(gateway.url, routes[0]?.[1] as RequestSpec);
    received.push(response.text);
    expect(response).toMatchObject({ status, isWhole: true });
    expectHidden(response);
    expect(response.body).toMatch(asterisks);
  });

  it('is never requested: a caller cannot enable compression with accept-encoding', async () => {
    const before = wire.requests.length;
    for (const request of [routes[0]?.[1], routes[8]?.[1]]) {
      await sent({ ...(request as RequestSpec), headers: { ...request?.headers, 'accept-encoding': 'gzip' } }, { body: openaiChat('x') });
    }
    const heads = wire.requests.slice(before).map(({ head }) => head.toLowerCase());
    expect(heads).toHaveLength(2);
    for (const head of heads) expect(head).not.toMatch(/accept-encoding: (?!identity)/);
  });
});

describe('an error in the middle of a stream has the credential masked', () => {
  const openai = routes[4]?.[1] as RequestSpec;
  const anthropic = routes[5]?.[1] as RequestSpec;
  const streamHead = openaiStream('x')
    .split('\n\n')
    .slice(0, 2)
    .map((one) => `${one}\n\n`)
    .join('');

  it.each([
    ['passed', openai, `${streamHead}data: ${JSON.stringify({ error: { message: `bad key ${key}`, type: 'e' } })}\n\n`],
    ['forwarded, as the first event', openai, `data: ${JSON.stringify({ error: { message: `bad key ${key}`, type: 'e' } })}\n\n`],
    [
      'converted',
      anthropic,
      `${anthropicStream('x').split('event: content_block_stop')[0]}${event('error', { type: 'error', error: { type: 'x', message: `bad ${key}` } })}`,
    ],
    ['interrupted inside the error', openai, `${streamHead}data: {"error": {"message": "bad ${JSON.stringify(key).slice(1, -3)}`],
  ])('%s', async (_, request, body) => {
    for (const framing of ['chunked', 'close'] as const) {
      const response = await sent(request, { type: stream, framing, body });
      expectHidden(response);
      expect(response.text).not.toContain(key.slice(0, key.length - 4));
    }
  });
});

it('the gateway logs once per provider, and in each record, that the credential was repeated', async () => {
  const request = routes[0]?.[1] as RequestSpec;
  const response = await sent(request, { body: openaiChat(key) });
  const record = await gateway.record(response.id ?? null);
  expect(record.warnings).toEqual(['The response of provider "openai" contained its credential (1×). It was masked.']);
  const lines = gateway.lines.filter((line) => line.includes('contained its credential'));
  expect(lines.map((line) => (JSON.parse(line) as { provider: string }).provider).toSorted()).toEqual(['anthropic', 'azure', 'openai']);
});

it('the credential is not in records, logs and files', async () => {
  const sinks = new Map([
    ...filesBelow(gateway.dir),
    ['answers', received.join('\n')],
    ['records', JSON.stringify(gateway.records)],
    ['lines', gateway.lines.join('')],
  ]);
  for (const [name, text] of sinks)
    for (const encoded of encodingsOf(key)) expect(text.includes(encoded), `${encoded} in ${name}`).toBe(false);
  expect([...sinks.keys()].some((name) => name.includes('spool'))).toBe(true);
});
