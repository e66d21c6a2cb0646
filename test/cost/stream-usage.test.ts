import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** `stream_usage: always` against a service that reports the usage of a stream only on request. */

const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };
const requestsUsage = (body: unknown): boolean =>
  (body as { stream_options?: { include_usage?: boolean } }).stream_options?.include_usage === true;

/** The chunks of a response: content, a finish reason and, on request, the usage. */
function chunksOf(body: unknown, member: object): readonly object[] {
  const shell = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const open = requestsUsage(body) ? { ...shell, usage: null } : shell;
  const chunks = [
    { ...open, choices: [{ index: 0, ...member, finish_reason: null }] },
    { ...open, choices: [{ index: 0, delta: {}, text: '', finish_reason: 'stop' }] },
  ];
  return requestsUsage(body) ? [...chunks, { ...shell, choices: [], usage }] : chunks;
}

let upstream: ScriptedUpstream;
let gateway: TestGateway;
/** Bytes of one write of the upstream. */
let pieceSize = 10_000;
beforeAll(async () => {
  upstream = await startUpstream(async (response, { url, body }) => {
    const member = url.endsWith('/chat/completions') ? { delta: { role: 'assistant', content: 'hé' } } : { text: 'hé' };
    const chunks = chunksOf(JSON.parse(body.toString()), member);
    const bytes = Buffer.from(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`);
    response.setHeader('content-type', 'text/event-stream');
    for (let at = 0; at < bytes.length; at += pieceSize) {
      response.write(bytes.subarray(at, at + pieceSize));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  const common = `api_key: sk-0123456789abcdef, custom_host: "${upstream.url}/v1"`;
  gateway = await startTestGateway(`version: 1
providers:
  exact: {type: openai, ${common}, stream_usage: always}
  plain: {type: openai, ${common}}
  groq: {type: groq, ${common}, stream_usage: always}
  mistral: {type: mistral, ${common}, stream_usage: always}
`);
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** Streams a response, and returns its text, its record, and the options that the upstream received. */
async function streamed(path: string, body: object) {
  const response = await fetch(`${gateway.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, ...body }),
  });
  const text = await response.text();
  const record = await gateway.record(response.headers.get('x-request-id'));
  const sent = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? '') as { stream_options?: object };
  return { text, record, options: sent.stream_options, dropped: response.headers.get('x-gateway-dropped-params') };
}

const counted = { source: 'reported', prompt: 11, completion: 3 };
const messages = [{ role: 'user' as const, content: 'x' }];

describe.each([10_000, 7, 1])('a stream in pieces of %d bytes', (size) => {
  it.each([
    ['chat/completions', { model: '@exact/m', messages }],
    ['chat/completions', { model: '@exact/m', messages, stream_options: { include_usage: false } }],
    ['chat/completions', { model: '@groq/m', messages }],
    ['completions', { model: '@exact/m', prompt: 'x' }],
  ])('has its usage in the record, and no chunk with it: %s', async (path, body) => {
    pieceSize = size;
    const { text, record, options } = await streamed(path, body);
    expect(options).toEqual({ include_usage: true });
    expect(text).not.toContain('"choices":[]');
    expect(text).toMatch(/h.*"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/s);
    expect(record.usage).toMatchObject(counted);
    expect(record.end).toBe('whole');
  });
});

it.each([
  ['requests the usage', '@exact/m', { stream_options: { include_usage: true } }, true, 'reported'],
  ['uses a provider without the setting', '@plain/m', {}, false, 'estimated'],
])('a client that %s gets what it asks for', async (_name, model, options, hasUsage, source) => {
  const { text, record } = await streamed('chat/completions', { model, messages, ...options });
  expect(text.includes('"choices":[]')).toBe(hasUsage);
  expect(record.usage.source).toBe(source);
});

it('other options of the client are kept', async () => {
  const { options } = await streamed('chat/completions', { model: '@exact/m', messages, stream_options: { include_obfuscation: false } });
  expect(options).toEqual({ include_obfuscation: false, include_usage: true });
});

it('nothing is requested of a service that rejects the options, and nothing is reported as dropped', async () => {
  const { options, dropped } = await streamed('chat/completions', { model: '@mistral/m', messages });
  expect([options, dropped]).toEqual([undefined, null]);
  const requested = await streamed('chat/completions', { model: '@mistral/m', messages, stream_options: { include_usage: true } });
  expect([requested.options, requested.dropped]).toEqual([undefined, 'stream_options']);
});

it('a complete response is not changed', async () => {
  upstream.requests.length = 0;
  await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: '@exact/m', messages }),
  });
  expect(upstream.requests[0]?.body.toString()).not.toContain('stream_options');
});

it('a library reads the stream to its end', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'unused', maxRetries: 0 });
  const chunks = [];
  for await (const chunk of await client.chat.completions.create({ model: '@exact/m', messages, stream: true })) chunks.push(chunk);
  expect(chunks.map(({ choices }) => choices[0]?.delta.content)).toEqual(['hé', undefined]);
});
