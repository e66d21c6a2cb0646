import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { headOf, WireClient } from './wire-client.ts';

/** Who calls is decided by the head: a body is read only for callers that may send one. */

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
  ['a form that is none', 'POST /v1/images/edits', { 'content-type': 'text/plain', 'content-length': huge }],
  ['a relayed body', 'POST /v1/vector_stores', { 'content-type': 'application/json', 'content-length': huge }],
  ['a body that nobody wants', 'GET /v1/models', { 'content-length': huge }],
];

describe('a caller without a key is refused before its body has come', () => {
  it.each(routes)('%s', async (_name, line, headers) => {
    open().write(headOf(line, headers));
    expect(await client.answers(1)).toEqual([401]);
    const id = /x-request-id: (\S+)/i.exec(client.text)?.[1] ?? null;
    const record = await gateway.record(id);
    expect(record).toMatchObject({ status: 401, error: { code: 'missing_api_key' }, key: null, attempts: [], bytes: { in: 0 } });
    expect(record.request.body).toBeNull();
  });

  it.each(routes)('and can send the rest where the connection is to be closed: %s', async (_name, line, headers) => {
    const { port, hostname } = new URL(gateway.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.write(headOf(line, { ...headers, connection: 'close' }));
    await once(socket, 'end');
    expect(text).toContain('HTTP/1.1 401 ');
    // A reset would show in the second of two writes at the latest, and could cost the client the response.
    const rest = 'transfer-encoding' in headers ? '5\r\nhello\r\n' : 'hello';
    for (let n = 0; n < 2; n += 1) {
      const failed = await new Promise((resolve) => socket.write(rest, resolve));
      expect(failed ?? null).toBeNull();
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(socket.destroyed).toBe(false);
    }
    socket.destroy();
  });

  it('and is disconnected when it goes on sending', async () => {
    open().write(headOf('POST /v1/chat/completions', { 'content-length': huge * 10 }));
    await client.answers(1);
    const block = Buffer.alloc(64 * 1024, 'x');
    const sending = setInterval(() => client.isClosed || client.write(block), 5);
    await client.closed().finally(() => clearInterval(sending));
    expect(client.statuses).toEqual([401]);
  });

  it('and keeps its connection when the rest of the body comes', async () => {
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

  it('is not answered for a caller without a key', async () => {
    open().write(headOf('POST /v1/chat/completions', expecting));
    await client.closed();
    expect(client.statuses).toEqual([401]);
  });

  it.each([
    ['is too large', 'POST /v1/chat/completions', { 'content-length': huge * 100 }, 413],
    ['is empty', 'POST /v1/chat/completions', { 'content-length': 0 }, 400],
    ['is compressed in an unknown way', 'POST /v1/chat/completions', { 'content-encoding': 'x' }, 415],
    ['is a form without a boundary', 'POST /v1/files', { 'content-type': 'multipart/form-data' }, 400],
  ])('is not answered for a body that %s', async (_, line, headers, status) => {
    open().write(headOf(line, { ...expecting, ...admitted, ...headers }));
    await client.closed();
    expect(client.statuses).toEqual([status]);
  });

  it('is answered for an admitted one', async () => {
    open().write(headOf('POST /v1/chat/completions', { ...expecting, ...admitted }));
    expect(await client.answers(1)).toEqual([100]);
    client.write(body);
    expect(await client.answers(2)).toEqual([100, 200]);
  });
});

it.each(['gzip, chunked', 'x, chunked'])(
  'a body with the transfer-encoding "%s" is refused, and the connection goes on',
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

it('an admitted client that leaves in the middle of its body leaves a record', async () => {
  const before = gateway.records.length;
  open().write(headOf('POST /v1/chat/completions', { ...admitted, 'content-length': 1000, expect: '100-continue' }));
  await client.answers(1);
  client.write(body);
  client.close();
  expect(await until(() => gateway.records[before], 'the record')).toMatchObject({ end: 'client_gone', status: 499, key: 'tests' });
});
