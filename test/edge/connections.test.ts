import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminUrl } from '../admin/client.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { headOf, WireClient } from './wire-client.ts';
import { turns } from '../support/time.ts';

/** One connection, one key or many idle connections do not block other clients. */

const hashOf = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;
const keys = { one: 'gw-key-one-0123456789', two: 'gw-key-two-0123456789' } as const;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
/** Requests that the provider has received and not answered. */
let pendingResponses: ServerResponse[];
let clients: WireClient[];

const start = async (more: object): Promise<void> => {
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      providers: { a: { type: 'openai', api_key: 'sk-0123456789', custom_host: `${upstream.url}/v1` } },
      ...more,
    }),
  );
};
const open = (): WireClient => {
  const client = new WireClient(gateway.url);
  clients.push(client);
  return client;
};
const request = (model: string, headers: Readonly<Record<string, string>> = {}): string => {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] });
  return (
    headOf('POST /v1/chat/completions', {
      'content-type': 'application/json',
      'x-gateway-provider': '@a',
      ...headers,
      'content-length': body.length,
    }) + body
  );
};

beforeEach(async () => {
  pendingResponses = [];
  clients = [];
  upstream = await startUpstream((response, { body }) => {
    if (body.includes('"model":"held"')) pendingResponses.push(response);
    else json(response, 200, completion(/"model":"(\w+)"/.exec(body.toString())?.[1] ?? ''));
  });
});
afterEach(async () => {
  for (const client of clients) client.close();
  await gateway.close();
  await upstream.close();
});

describe('pipelined requests', () => {
  beforeEach(() => start({ server: { state_dir: 'memory', max_in_flight: 100 } }));

  it('are processed one after the other and answered in order', async () => {
    const models = Array.from({ length: 60 }, (_, n) => `m${n}`);
    const client = open();
    client.write(request('held'), ...models.map((model) => request(model)));
    await until(() => pendingResponses.length === 1, 'the first request');
    await turns();
    expect(upstream.requests.length).toBe(1);
    json(pendingResponses[0] as ServerResponse, 200, completion('held'));
    expect(await client.answers(61)).toEqual(Array.from({ length: 61 }, () => 200));
    expect([...client.text.matchAll(/"content":"(\w+)"/g)].map(([, text]) => text)).toEqual(['held', ...models]);
  });

  it('close their connection if there are thousands of them, and other clients are served', async () => {
    const flood = open();
    flood.write(request('held').repeat(3000));
    await flood.closed();
    expect(upstream.requests.length).toBeLessThanOrEqual(1);
    const other = open();
    other.write(request('other'));
    expect(await other.answers(1)).toEqual([200]);
  });

  it('are not started after the client disconnects', async () => {
    const client = open();
    client.write(request('held').repeat(20));
    await until(() => pendingResponses.length === 1, 'the first request');
    client.close();
    expect(await until(() => gateway.records[0], 'the record')).toMatchObject({ end: 'client_gone' });
    await gateway.gateway.drain();
    expect([upstream.requests.length, gateway.records.length]).toEqual([1, 1]);
  });
});

it('closes idle connections, with 408 if a request head was started', async () => {
  await start({ server: { state_dir: 'memory' } });
  const silent = Array.from({ length: 200 }, open);
  const halves = Array.from({ length: 20 }, open);
  for (const half of halves) half.write('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n');
  for (const client of [...silent, ...halves]) await client.closed(30_000);
  expect(silent.map(({ text }) => text).join('')).toBe('');
  for (const { text } of halves) expect(text).toMatch(/^HTTP\/1\.1 408 .*"code":"timeout"/s);
});

it('closes connections beyond server.max_connections immediately', async () => {
  await start({ server: { state_dir: 'memory', max_connections: 3 } });
  const first = Array.from({ length: 3 }, open);
  for (const client of first) client.write(request('m'));
  for (const client of first) await client.answers(1);
  const late = open();
  late.write(request('m'));
  await late.closed();
  expect(late.text).toBe('');
  first[0]?.close();
  let again = open();
  again.write(request('m'));
  await until(() => {
    if (!again.isClosed) return again.statuses[0] === 200;
    again = open();
    again.write(request('m'));
    return false;
  }, 'room for another connection');
});

it('connections that are rejected are counted and logged, with what to do', async () => {
  const config = {
    version: 1,
    providers: { mock: { type: 'mock' } },
    server: { state_dir: 'memory', max_connections: 2 },
    observability: { metrics: {} },
  };
  gateway = await startTestGateway(JSON.stringify(config), { admin: true });
  const rejected = async (): Promise<string | undefined> => {
    const response = await fetch(`${adminUrl(gateway)}/metrics`);
    return /^gateway_connections_rejected_total (\d+)$/m.exec(await response.text())?.[1];
  };
  expect(await rejected()).toBe('0');
  for (const client of [open(), open()]) {
    client.write(headOf('GET /healthz'));
    await client.answers(1);
  }
  for (const client of [open(), open(), open()]) await client.closed();
  expect(await rejected()).toBe('3');
  // One line in 10 s.
  expect(gateway.lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', rejected: 1, limit: 2, hint: expect.stringContaining('server.max_connections') }),
  ]);
});

describe('the slots of a key', () => {
  const withKeys = (names: readonly (keyof typeof keys)[]) => Object.fromEntries(names.map((name) => [name, { hash: hashOf(keys[name]) }]));
  const of = (name: keyof typeof keys) => ({ 'x-gateway-api-key': keys[name] });

  it.each([
    ['75 % of server.max_in_flight with two keys', {}, ['one', 'two'], 6],
    ['server.max_in_flight with one key', {}, ['one'], 8],
    ['server.max_in_flight_per_key', { max_in_flight_per_key: 3 }, ['one', 'two'], 3],
  ] as const)('is %s', async (_name, server, names, expected) => {
    await start({ server: { state_dir: 'memory', max_in_flight: 8, ...server }, api_keys: withKeys(names) });
    for (let n = 0; n < expected; n += 1) open().write(request('held', of('one')));
    await until(() => pendingResponses.length === expected, 'the slots to be taken');
    const late = open();
    late.write(request('m', of('one')));
    const isOnly = names.length === 1;
    expect(await late.answers(1)).toEqual([isOnly ? 503 : 429]);
    expect(late.text).toMatch(/retry-after: 1\r\n/i);
    if (!isOnly) {
      expect(late.text).toMatch(/"code":"rate_limited".*max_in_flight_per_key/s);
      const other = open();
      other.write(request('m', of('two')));
      expect(await other.answers(1)).toEqual([200]);
    }
    for (const response of pendingResponses) json(response, 200, completion('held'));
    for (const client of clients.slice(0, expected)) await client.answers(1);
    late.write(request('m', of('one')));
    expect((await late.answers(2))[1]).toBe(200);
  });
});
