import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { headOf, WireClient } from './wire-client.ts';

/** Requests are authenticated by their headers; the body is read only after that. */

const key = 'gw-test-key-0123456789';
const admitted = { 'x-gateway-api-key': key, 'x-gateway-provider': '@m' };
const body = '{"model":"m-1","messages":[{"role":"user","content":"hi"}]}';
const huge = 49 * 1024 * 1024;
const multipart = 'multipart/form-data; boundary=x';

let gateway: TestGateway;
let client: WireClient;

beforeAll(async () => {
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { state_dir: 'memory' },
      providers: { m: { type: 'mock' } },
      api_keys: { tests: { hash: `sha256:${createHash('sha256').update(key).digest('hex')}` } },
    }),
  );
});
afterEach(() => client.close());
afterAll(() => gateway.close());

const open = (): WireClient => (client = new WireClient(gateway.url));

const routes: readonly (readonly [string, string, Readonly<Record<string, string | number>>])[] = [
  ['JSON with a length', 'POST /v1/chat/completions', { 'content-type': 'application/json', 'content-length': huge }],
  ['JSON in chunks', 'POST /v1/responses', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }],
  ['JSON beyond the limit', 'POST /v1/chat/completions', { 'content-type': 'application/json', 'content-length': huge * 100 }],
  ['a stored prompt', 'POST /v1/prompts/p/completions', { 'content-type': 'application/json', 'content-length': huge }],
  ['an upload', 'POST /v1/files', { 'content-type': multipart, 'content-length': huge }],
  ['a form', 'POST /v1/audio/transcriptions', { 'content-type': multipart, 'transfer-encoding': 'chunked' }],
  ['a form with another content type', 'POST /v1/images/edits', { 'content-type': 'text/plain', 'content-length': huge }],
  ['a relayed body', 'POST /v1/vector_stores', { 'content-type': 'application/json', 'content-length': huge }],
  ['a body of a GET request', 'GET /v1/models', { 'content-length': huge }],
];

describe('a request without a key', () => {
  it.each(routes)('returns 401 before the body arrives: %s', async (_name, line, headers) => {
    open().write(headOf(line, headers));
    expect(await client.answers(1)).toEqual([401]);
    const id = /x-request-id: (\S+)/i.exec(client.text)?.[1] ?? null;
    const record = await gateway.record(id);
    expect(record).toMatchObject({
      status: 401,
      error: { code: 'missing_api_key' },
      key: null,
      attempts: [],
      cost: { usd: '0' },
      bytes: { in: 0 },
    });
    expect(record.request.body).toBeNull();
  });

  it.each(routes)('lets the client send the rest of the body if the connection closes: %s', async (_name, line, headers) => {
    const { port, hostname } = new URL(gateway.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.write(headOf(line, { ...headers, connection: 'close' }));
    await once(socket, 'end');
    expect(text).toContain('HTTP/1.1 401 ');
    // A connection reset would fail the second write at the latest, and the client could lose the response.
    const rest = 'transfer-encoding' in headers ? '5\r\nhello\r\n' : 'hello';
    for (let n = 0; n < 2; n += 1) {
      const failed = await new Promise((resolve) => socket.write(rest, resolve));
      expect(failed ?? null).toBeNull();
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(socket.destroyed).toBe(false);
    }
    socket.destroy();
  });

  it('closes the connection if the client sends too much after the response', async () => {
    open().write(headOf('POST /v1/chat/completions', { 'content-length': huge * 1000 }));
    await client.answers(1);
    const block = Buffer.alloc(512 * 1024, 'x');
    const sending = setInterval(() => client.isClosed || client.write(block), 5);
    await client.closed().finally(() => clearInterval(sending));
    expect(client.statuses).toEqual([401]);
  });

  it('keeps the connection open if the rest of the body arrives', async () => {
    const head = headOf('POST /v1/chat/completions', { 'content-length': body.length });
    open().write(head);
    await client.answers(1);
    client.write(body, head, body);
    expect(await client.answers(2)).toEqual([401, 401]);
    client.write(headOf('POST /v1/chat/completions', { ...admitted, 'content-length': body.length }), body);
    expect(await client.answers(3)).toEqual([401, 401, 200]);
  });
});

describe('expect: 100-continue', () => {
  const expecting = { 'content-length': body.length, expect: '100-continue' };

  it('does not send 100 to a client without a key', async () => {
    open().write(headOf('POST /v1/chat/completions', expecting));
    await client.closed();
    expect(client.statuses).toEqual([401]);
  });

  it.each([
    ['is too large', 'POST /v1/chat/completions', { 'content-length': huge * 100 }, 413],
    ['is empty', 'POST /v1/chat/completions', { 'content-length': 0 }, 400],
    ['has an unsupported content-encoding', 'POST /v1/chat/completions', { 'content-encoding': 'x' }, 415],
    ['has a multipart type without a boundary', 'POST /v1/files', { 'content-type': 'multipart/form-data' }, 400],
  ])('does not send 100 for a body that %s', async (_, line, headers, status) => {
    open().write(headOf(line, { ...expecting, ...admitted, ...headers }));
    await client.closed();
    expect(client.statuses).toEqual([status]);
  });

  it('sends 100 to a client with a valid key', async () => {
    open().write(headOf('POST /v1/chat/completions', { ...expecting, ...admitted }));
    expect(await client.answers(1)).toEqual([100]);
    client.write(body);
    expect(await client.answers(2)).toEqual([100, 200]);
  });
});

it.each(['gzip, chunked', 'x, chunked'])(
  'rejects a body with transfer-encoding "%s" with 400 and keeps the connection open',
  async (coding) => {
    for (const path of ['/v1/chat/completions', '/v1/vector_stores', '/v1/files']) {
      open().write(headOf(`POST ${path}`, { ...admitted, 'content-type': multipart, 'transfer-encoding': coding }), '2\r\n{}\r\n0\r\n\r\n');
      expect(await client.answers(1)).toEqual([400]);
      expect(client.text).toContain('"param":"transfer-encoding"');
      client.write(headOf('POST /v1/chat/completions', { ...admitted, 'content-length': body.length }), body);
      expect(await client.answers(2)).toEqual([400, 200]);
    }
  },
);

it('records an authenticated client that disconnects in the middle of its body', async () => {
  const before = gateway.records.length;
  open().write(headOf('POST /v1/chat/completions', { ...admitted, 'content-length': 1000, expect: '100-continue' }));
  await client.answers(1);
  client.write(body);
  client.close();
  expect(await until(() => gateway.records[before], 'the record')).toMatchObject({ end: 'client_gone', status: 499, key: 'tests' });
});
