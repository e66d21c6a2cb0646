import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headOf, WireClient } from '../edge/wire-client.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { turns } from '../support/time.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Bytes that are not a request: alone, after a complete request, and within the body of one. */

let pendingResponses: ServerResponse[];
let upstream: ScriptedUpstream;
let gateway: TestGateway;
let client: WireClient;

beforeEach(async () => {
  pendingResponses = [];
  upstream = await startUpstream((response, { body }) => {
    if (body.includes('"held"')) pendingResponses.push(response);
    else json(response, 200, completion('hi'));
  });
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { state_dir: 'memory' },
      providers: { main: { type: 'openai', api_key: 'sk-0123456789', custom_host: `${upstream.url}/v1` } },
    }),
  );
  client = new WireClient(gateway.url);
});
afterEach(async () => {
  client.close();
  await gateway.close();
  await upstream.close();
});

function request(model: string, headers: Readonly<Record<string, string>> = {}): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] });
  const all = { 'x-gateway-provider': '@main', 'content-type': 'application/json', ...headers, 'content-length': body.length };
  return headOf('POST /v1/chat/completions', all) + body;
}
const chunked = (headers: Readonly<Record<string, string>>): string =>
  headOf('POST /v1/chat/completions', { 'x-gateway-provider': '@main', 'content-type': 'application/json', ...headers });

describe('a complete request gets its response', () => {
  it.each([
    ['before bytes that are not HTTP', `${request('m')}no request\r\n\r\n`, [200, 400]],
    ['before bytes after connection: close', `${request('m', { connection: 'close' })}no request\r\n\r\n`, [200]],
    ['before another request and bytes that are not HTTP', `${request('m')}${request('m')}no request\r\n\r\n`, [200, 200, 400]],
    ['if its body has no length', chunked({}) + '{"model":"m"}\r\n\r\n', [400, 400]],
  ])('%s', async (_name, bytes, statuses) => {
    client.write(bytes);
    await client.closed();
    expect(client.statuses).toEqual(statuses);
    expect(
      await until(() => gateway.records.length === statuses.length && gateway.records.map(({ status }) => status), 'the records'),
    ).toEqual(statuses);
  });

  it('before the error for invalid bytes, if the provider responds late', async () => {
    client.write(`${request('held')}no request\r\n\r\n`);
    const response = await until(() => pendingResponses[0], 'the request');
    client.write('still no request');
    json(response, 200, completion('late'));
    await client.closed();
    expect(client.statuses).toEqual([200, 400]);
    expect(client.text).toContain('"content":"late"');
  });
});

describe('the response to bytes that are not a request', () => {
  it.each([
    ['an invalid request line', 'no request\r\n\r\n', 400, 'The request is not valid HTTP.'],
    [
      'two lengths',
      headOf('POST /v1/chat/completions', { 'content-length': '1\r\ncontent-length: 2' }),
      400,
      'The request is not valid HTTP.',
    ],
    ['a bare line feed', 'GET /v1/models HTTP/1.1\nhost: x\n\n', 400, 'The request is not valid HTTP.'],
    ['a TLS handshake', Buffer.from('16030100c8010000c40303'.padEnd(400, '0'), 'hex'), 400, 'The client uses TLS, but this port does not.'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'The client uses HTTP/2, but this port only accepts HTTP/1.1.'],
    ['headers that are too large', headOf('GET /v1/models', { x: 'x'.repeat(70_000) }), 431, 'larger than 65536 bytes'],
    ['a tunnel', headOf('CONNECT example.com:443'), 405, 'The gateway is not a proxy'],
  ])('has an ID and a record: %s', async (_name, bytes, status, message) => {
    client.write(bytes);
    await client.closed();
    expect(client.statuses).toEqual([status]);
    const id = /x-request-id: (req_\w+)/.exec(client.text)?.[1];
    expect(client.text).toContain(`"request_id":"${id}"`);
    expect(client.text).toContain(message);
    expect(await until(() => gateway.records[0], 'the record')).toMatchObject({
      id,
      status,
      error: { message: expect.stringContaining(message) },
    });
  });

  it('is not sent within a request that already got its response', async () => {
    client.write(headOf('POST /nowhere', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }), '5\r\nab');
    await client.answers(1);
    client.write('cde\r\nno chunk\r\n');
    await client.closed();
    expect(client.statuses).toEqual([404]);
    expect(gateway.records.length).toBe(1);
  });
});

describe('a request that is rejected by its head gets its response, although its body is not valid:', () => {
  const json = 'application/json';

  it.each([
    ['a content-encoding, and chunks', 'POST /v1/chat/completions', { 'content-encoding': 'x' }, 'chunked', 415],
    ['the same, read by node:http', 'POST /v1/chat/completions', { 'content-encoding': 'x', 'proxy-connection': 'close' }, 'chunked', 415],
    ['no route, and chunks', 'POST /nowhere', {}, 'chunked', 404],
    ['no route, and a length that only the end of the connection shows', 'POST /nowhere', {}, 'gzip', 404],
    ['a transfer-encoding', 'POST /v1/chat/completions', {}, 'identity', 400],
    ['a transfer-encoding of a form', 'POST /v1/files', { 'content-type': 'multipart/form-data; boundary=x' }, 'identity', 400],
  ])('%s', async (_name, line, more, coding, status) => {
    client.write(headOf(line, { 'content-type': json, 'transfer-encoding': coding, ...more }) + 'no size\r\n');
    await client.closed();
    expect(client.statuses).toEqual([status]);
    const id = /x-request-id: (req_\w+)/.exec(client.text)?.[1];
    expect(client.text).toContain(`"request_id":"${id}"`);
    expect(await until(() => gateway.records[0], 'the record')).toMatchObject({ id, status });
    expect(gateway.records.length).toBe(1);
  });
});

describe('chunks of a body that are not valid', () => {
  const start = '8\r\n{"model"\r\n';
  const chat = 'POST /v1/chat/completions';
  const json = 'application/json';
  const form = 'multipart/form-data; boundary=x';
  const inFile =
    '--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nabc';
  const sized = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  /** `node:http` reads requests with this header. */
  const slow = { 'proxy-connection': 'close' };

  describe.each([
    ['that arrive with the head', false],
    ['that arrive later', true],
  ])('%s', (_when, isLater) => {
    it.each([
      ['a size that is none', chat, json, {}, start, 'no size\r\n'],
      ['a size that is none, read by node:http', chat, json, slow, start, 'no size\r\n'],
      ['more bytes than the size', chat, json, {}, start, '2\r\nabcdef\r\n0\r\n\r\n'],
      ['more bytes than the size, read by node:http', chat, json, slow, start, '2\r\nabcdef\r\n0\r\n\r\n'],
      ['a trailer that is none', chat, json, {}, start, '0\r\nno trailer\r\n\r\n'],
      ['a trailer that is none, read by node:http', chat, json, slow, start, '0\r\nno trailer\r\n\r\n'],
      ['a form', 'POST /v1/files', form, {}, sized('--x\r\ncontent-dis'), 'no size\r\n'],
      ['a file', 'POST /v1/files', form, {}, sized(inFile), 'no size\r\n'],
      ['a relayed request', 'POST /v1/some/path', json, {}, start, 'no size\r\n'],
    ])('%s', async (_name, line, type, more, before, broken) => {
      const head = { 'x-gateway-provider': '@main', 'content-type': type, 'transfer-encoding': 'chunked', ...more };
      if (isLater) {
        client.write(headOf(line, head), before);
        await turns();
        client.write(broken, 'further bytes');
      } else client.write(headOf(line, head) + before + broken);
      await client.closed();
      expect(client.statuses).toEqual([400]);
      expect(client.text).toMatch(/\r\nconnection: close\r\n/i);
      const id = /x-request-id: (req_\w+)/.exec(client.text)?.[1];
      expect(client.text).toContain(`"request_id":"${id}"`);
      expect(client.text).toContain('"code":"invalid_header","param":"transfer-encoding"');
      expect(await until(() => gateway.records[0], 'the record')).toMatchObject({
        id,
        status: 400,
        end: 'fault',
        error: { message: 'The chunks of the body are not valid.' },
      });
    });
  });
});
