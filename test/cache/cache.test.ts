import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chunk, textFrames } from '../bedrock/frames.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { chunks, completion, json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** Responses from the cache, in a running gateway with an upstream that counts its requests. */

const anthropicMessage = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 2 },
};

const anthropicEvents = [
  { type: 'message_start', message: { ...anthropicMessage, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Héllo.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];
const eventText = (event: { readonly type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

let upstream: ScriptedUpstream;
let gateway: TestGateway | undefined;
beforeEach(async () => {
  upstream = await startUpstream(respond);
});
afterEach(async () => {
  await gateway?.close();
  await upstream.close();
  gateway = undefined;
});

/** Responds in the format of the path; streams are written in small pieces. */
const respond: ScriptedUpstream['script'] = async (response, { url, body }) => {
  if (url.startsWith('/model/')) {
    const frames = url.includes('claude') ? anthropicEvents.map(chunk) : textFrames('Hé', 'llo.');
    await writeInPieces(response, 'application/vnd.amazon.eventstream', Buffer.concat(frames));
    return;
  }
  const isAnthropic = url.endsWith('/messages');
  if (!body.includes('"stream":true')) {
    if (url.endsWith('/embeddings'))
      json(response, 200, { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1] }], model: 'm' });
    else json(response, 200, isAnthropic ? anthropicMessage : completion('Hello.'));
    return;
  }
  const bytes = Buffer.from((isAnthropic ? anthropicEvents.map(eventText) : chunks('Hé', 'llo.')).join(''));
  await writeInPieces(response, 'text/event-stream', bytes);
};

async function writeInPieces(response: ServerResponse, type: string, bytes: Buffer): Promise<void> {
  response.writeHead(200, { 'content-type': type });
  for (let at = 0; at < bytes.length; at += 7) {
    response.write(bytes.subarray(at, at + 7));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

const yaml = (more = ''): string => `version: 1
providers:
  main: {type: openai, custom_host: "${upstream.url}/v1", api_key: sk-main}
  claude: {type: anthropic, custom_host: "${upstream.url}/v1", api_key: sk-claude}
  aws: {type: bedrock, api_key: bedrock-key-0123456789, custom_host: "${upstream.url}"}
pricing: {main/m: {input: 100000, output: 200000, currency: USD}}
configs:
  main: {provider: main, cache: {mode: simple}}
  aws: {provider: aws, cache: {mode: simple}}
  claude: {provider: claude, cache: {max_age: 60}}
${more}`;

interface Got {
  readonly status: number;
  readonly cache: string | null;
  readonly headers: Headers;
  readonly text: string;
  readonly record: LogRecord;
}

interface Sent {
  readonly config?: string;
  readonly path?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const chat = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
const input = { model: 'm', max_output_tokens: 9, input: 'Hi' };

async function send({ config = 'main', path = 'chat/completions', body = chat, headers = {} }: Sent = {}): Promise<Got> {
  const { url, record } = gateway as TestGateway;
  const response = await fetch(`${url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-config': config, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    cache: response.headers.get('x-gateway-cache-status'),
    headers: response.headers,
    text,
    record: await record(response.headers.get('x-request-id')),
  };
}

const start = async (text = yaml()): Promise<TestGateway> => (gateway = await startTestGateway(text));

describe.each<[string, Sent]>([
  ['a chat', {}],
  ['a stream', { body: { ...chat, stream: true } }],
  ['a converted chat', { config: 'claude' }],
  ['a converted stream', { config: 'claude', body: { ...chat, stream: true, stream_options: { include_usage: true } } }],
  ['a message', { config: 'claude', path: 'messages' }],
  ['a stream of a message', { config: 'claude', path: 'messages', body: { ...chat, stream: true } }],
  ['a message of a provider with another format', { path: 'messages', body: { ...chat, stream: true } }],
  ['a response of a provider with another format', { config: 'claude', path: 'responses', body: input }],
  ['a stream of a response', { config: 'claude', path: 'responses', body: { ...input, stream: true } }],
  ['a stream in binary frames', { config: 'aws', body: { ...chat, model: 'amazon.nova-pro-v1:0', stream: true } }],
  [
    'a stream of events in binary frames',
    { config: 'aws', path: 'messages', body: { ...chat, model: 'anthropic.claude-sonnet-4-5-20250929-v1:0', stream: true } },
  ],
  ['embeddings', { path: 'embeddings', body: { model: 'm', input: 'x' } }],
])('%s', (_what, sent) => {
  it('is answered with the same bytes, without a request to the provider', async () => {
    await start();
    const [first, second] = [await send(sent), await send(sent)];
    expect([first.cache, second.cache, upstream.requests.length]).toEqual(['MISS', 'HIT', 1]);
    expect(first.status).toBe(200);
    expect(first.record.end).toBe('whole');
    expect(withoutIds(second.text)).toBe(withoutIds(first.text));
    expect(second.record).toMatchObject({ end: 'whole', cache: 'HIT', attempts: [], provider: first.record.provider, status: 200 });
    expect(second.record.finish).toEqual(first.record.finish);
    expect(second.record.usage).toMatchObject({ prompt: 0, completion: 0, source: 'none' });
    expect(second.record.cost.usd).toBe('0');
    expect(second.record.upstream.body).toBeNull();
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(second.headers.get('x-gateway-attempts')).toBeNull();
  });
});

/** Converted responses have an ID of the request and a time. */
const withoutIds = (text: string): string => text.replaceAll(/"(id|item_id|created|created_at|completed_at)":("[^"]*"|\d+)/g, '"$1":0');

it('shows the cost of the response that was paid, and none for the one that was not', async () => {
  await start();
  const [first, second] = [await send(), await send()];
  expect([first.headers.get('x-gateway-cost-usd'), second.headers.get('x-gateway-cost-usd')]).toEqual(['0.7', '0']);
});

it.each<[string, ScriptedUpstream['script'], Sent]>([
  ['an error', (response) => json(response, 400, { error: { message: 'no' } }), {}],
  ['an error object with the status 200', (response) => json(response, 200, { error: { message: 'no', code: 500 } }), {}],
  ['an invalid response', (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'), {}],
  ['a response that is only accepted', (response) => json(response, 202, completion('Later.')), {}],
  [
    'a response whose work failed',
    (response) => json(response, 200, { id: 'resp_1', object: 'response', status: 'failed', error: { code: 'server_error' }, output: [] }),
    { path: 'responses', body: { model: 'm', input: 'x', store: false } },
  ],
  ['a stream without its end', (response) => sse(response, chunks('Hel').slice(0, -2)), { body: { ...chat, stream: true } }],
  [
    'a stream that breaks',
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunks('Hel').slice(0, -2).join(''), () => response.destroy());
    },
    { body: { ...chat, stream: true } },
  ],
  ['a stream that is too large', (response) => sse(response, chunks('x'.repeat(2 ** 20))), { body: { ...chat, stream: true } }],
  [
    'a converted response that is too large',
    (response) => json(response, 200, { ...anthropicMessage, content: [{ type: 'text', text: 'x'.repeat(2 ** 20) }] }),
    { config: 'claude' },
  ],
  ['a response that is too large', (response) => json(response, 200, completion('x'.repeat(2 ** 20))), {}],
])('does not store %s', async (_what, script, sent) => {
  await start();
  upstream.script = script;
  await send(sent).catch(() => undefined);
  upstream.script = respond;
  const next = await send(sent);
  expect([next.status, next.cache, upstream.requests.length]).toEqual([200, 'MISS', 2]);
});

it('does not store what a client did not wait for', async () => {
  const { url, records } = await start();
  let finish: (() => void) | undefined;
  upstream.script = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunks('Hel')[0]);
    response.write(chunks('Hel')[1]);
    finish = () => response.end();
  };
  const leaving = new AbortController();
  const body = JSON.stringify({ ...chat, stream: true });
  const headers = { 'content-type': 'application/json', 'x-gateway-config': 'main' };
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body, signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
  await until(() => records.length === 1, 'the record');
  finish?.();
  upstream.script = respond;
  expect((await send({ body: { ...chat, stream: true } })).cache).toBe('MISS');
});

it('keeps stored responses through a reload, and stops to use them when the target has no cache', async () => {
  const { write, gateway: running } = await start();
  await send();
  await write(yaml('  other: {provider: main}\n'));
  await running.reload();
  expect((await send()).cache).toBe('HIT');
  await write(yaml().replace('cache: {mode: simple}', 'cache: {mode: simple, max_age: 1}'));
  await running.reload();
  await until(async () => (await send()).cache === 'MISS', 'a response that is too old', 10_000);
  await write(yaml().replace(', cache: {mode: simple}', ''));
  await running.reload();
  expect((await send()).cache).toBe('DISABLED');
});

it('applies to a config of the request, and to a chain that does not list it', async () => {
  await start(yaml('plugins: [auth, virtual-key, routing, transform, fallback-retry, logging]\n'));
  const config = JSON.stringify({ provider: '@main', cache: { mode: 'simple', maxAge: 60 } });
  expect([(await send({ config })).cache, (await send({ config })).cache]).toEqual(['MISS', 'HIT']);
});

it('stores what the target that answers sends, and not the failures before it', async () => {
  await start(
    yaml(`  chain:
    strategy: {mode: fallback}
    cache: {mode: simple}
    targets: [{provider: claude}, {provider: main}]
`),
  );
  upstream.script = (response, request, count) =>
    request.url.endsWith('/messages')
      ? json(response, 529, { type: 'error', error: { type: 'overloaded_error', message: 'x' } })
      : respond(response, request, count);
  const [first, second] = [await send({ config: 'chain' }), await send({ config: 'chain' })];
  expect([first.cache, second.cache, upstream.requests.length]).toEqual(['MISS', 'HIT', 3]);
  expect(second.record.attempts).toMatchObject([{ provider: 'claude', status: 529 }]);
  expect(second.headers.get('x-gateway-attempts')).toMatch(/^claude=529;\d+ms$/);
});

it('stores streams of which the record keeps nothing', async () => {
  await start(yaml('logging: {requests: {bodies: metadata}}\n'));
  const sent: Sent = { body: { ...chat, stream: true } };
  expect([(await send(sent)).cache, (await send(sent)).cache]).toEqual(['MISS', 'HIT']);
});

it('keeps no more of a stored stream in the record than the record may have', async () => {
  await start(yaml('logging: {requests: {bodies: full, max_body: 1KB}}\n'));
  const bytes = Buffer.from(chunks(...Array.from({ length: 100 }, () => 'word ')).join(''));
  upstream.script = (response) => writeInPieces(response, 'text/event-stream', bytes);
  const sent: Sent = { body: { ...chat, stream: true } };
  for (const { cache, record } of [await send(sent), await send(sent)]) {
    expect(record.response.body, String(cache)).toMatchObject({ kept: 1024 });
    expect(record.response.body?.size).toBeGreaterThan(10_000);
    const offsets = record.response.body?.chunks?.filter((_number, index) => index % 2 === 0) ?? [];
    expect(Math.max(...offsets)).toBeLessThan(1024);
  }
});
