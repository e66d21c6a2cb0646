import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** The depth and size of JSON are limited while it is parsed, on every route that reads JSON. */

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { state_dir: 'memory', json: { max_depth: 20, max_members: 2000 } },
      providers: { m: { type: 'mock' } },
      prompts: { p: { model: '@m/echo', messages: [{ role: 'user', content: '{{text}}' }] } },
    }),
  );
});
afterAll(() => gateway.close());

const deep = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

const hostile: readonly (readonly [what: string, field: string, message: RegExp])[] = [
  ['many levels', deep(5000), /nested more than 20 levels deep at position \d+/],
  ['arrays that are never closed', '['.repeat(100_000), /nested more than 20 levels deep/],
  ['many members', `{${Array.from({ length: 3000 }, (_, i) => `"k${i}":1`).join()}}`, /has more than 2000 members at position \d+/],
  ['many empty objects', `[${'{},'.repeat(3000)}{}]`, /has more than 2000 members/],
];

const routes: readonly (readonly [path: string, field: string])[] = [
  ['/v1/chat/completions', 'labels'],
  ['/v1/chat/completions', 'messages'],
  ['/v1/responses', 'input'],
  ['/v1/messages', 'system'],
  ['/v1/embeddings', 'input'],
  ['/v1/images/generations', 'user'],
  ['/v1/prompts/p/completions', 'variables'],
  ['/v1/batches', 'metadata'],
];

const post = (path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-provider': '@m', ...headers },
    body,
  });

describe.each(hostile)('JSON with %s', (_, value, message) => {
  it.each(routes)('is rejected with its position by POST %s, field %s', async (path, field) => {
    const response = await post(path, `{"model":"echo","${field}":${value}}`);
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect([response.status, error['code'] ?? error['type']]).toEqual([
      400,
      path === '/v1/messages' ? 'invalid_request_error' : 'json_too_complex',
    ]);
    expect(error['message']).toMatch(message);
    const record = await gateway.record(response.headers.get('x-request-id'));
    expect(record).toMatchObject({ status: 400, error: { code: 'json_too_complex' }, attempts: [] });
  });
});

it('accepts JSON just within the limits', async () => {
  const response = await post('/v1/chat/completions', `{"model":"echo","messages":[{"role":"user","content":"hi"}],"labels":${deep(19)}}`);
  expect(response.status).toBe(200);
});

it('rejects a body that is not UTF-8 with its position', async () => {
  const response = await post(
    '/v1/chat/completions',
    Buffer.from('{"model":"echo","messages":[{"role":"user","content":"Gr\u00fc\u00dfe"}]}', 'latin1'),
  );
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  expect([response.status, error['code'], error['message']]).toEqual([
    400,
    'invalid_json',
    'The body is not JSON: the byte 0xfc is not UTF-8 at position 56.',
  ]);
});

it('rejects a model name that is too long', async () => {
  const response = await post('/v1/chat/completions', JSON.stringify({ model: 'm'.repeat(3_000_000), messages: [] }));
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  expect([response.status, error['code'], error['param']]).toEqual([400, 'string_above_max_length', 'model']);
  const record = await gateway.record(response.headers.get('x-request-id'));
  expect(record.model.asked ?? '').toBe('');
});

describe('a body with a content-encoding', () => {
  const hello = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'hello' }] });
  const send = async (body: string | Buffer, coding: string, type = 'application/json', path = '/v1/chat/completions') => {
    const response = await post(path, body, { 'content-encoding': coding, 'content-type': type });
    const { error, choices } = (await response.json()) as { error?: Record<string, unknown>; choices?: { message: { content: string } }[] };
    return [response.status, error?.['code'] ?? choices?.[0]?.message.content, error?.['message'] ?? ''];
  };

  it.each([
    ['gzip', gzipSync(hello)],
    ['br', brotliCompressSync(hello)],
    ['deflate', deflateSync(hello)],
    ['zstd', zstdCompressSync(hello)],
    ['gzip, br', brotliCompressSync(gzipSync(hello))],
    ['identity', Buffer.from(hello)],
  ])('%s: is decompressed', async (coding, body) => {
    expect((await send(body, coding)).slice(0, 2)).toEqual([200, 'hello']);
  });

  it.each([
    ['gzip', hello, 400, 'invalid_json', /bytes are not gzip, although its content-encoding says so/],
    ['br', hello, 400, 'invalid_json', /bytes are not br/],
    ['gzip', gzipSync(hello).subarray(0, 30), 400, 'invalid_json', /bytes are not gzip/],
    ['gzip', gzipSync(' '.repeat(60_000_000)), 413, 'body_too_large', /larger than the limit of 50 MB when it is decompressed/],
    ['gzip, gzip', gzipSync(gzipSync(' '.repeat(60_000_000))), 413, 'body_too_large', /decompressed/],
    ['gzip', gzipSync(`{"a":[${'{},'.repeat(10_000_000)}{}]}`), 400, 'json_too_complex', /has more than 2000 members/],
    ['compress', hello, 415, 'unsupported_content_encoding', /content-encoding "compress", which the gateway does not support/],
    ['gzip, gzip, gzip', hello, 415, 'unsupported_content_encoding', /"gzip, gzip, gzip"/],
  ] as const)('%s: is rejected (row %#)', async (coding, body, status, code, message) => {
    const [...rejection] = await send(body as string, coding);
    expect(rejection).toEqual([status, code, expect.stringMatching(message)]);
  });

  it('is rejected with 415 if it is a form', async () => {
    const form = 'multipart/form-data; boundary=x';
    expect(await send(gzipSync('--x--'), 'gzip', form, '/v1/files')).toEqual([
      415,
      'unsupported_content_encoding',
      expect.stringMatching(/form/),
    ]);
  });
});
