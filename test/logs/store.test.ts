import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { dayOf } from '../../src/core/logs/day.ts';
import type { LogReader } from '../../src/core/logs/reader.ts';
import { RowScanner } from '../../src/store/log/drain/row-scanner.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';

const yaml = 'version: 1\nproviders:\n  mock: {type: mock}\nlogging: {requests: {bodies: full}}\n';
const gateways: TestGateway[] = [];

afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});

async function start(options: TestGatewayOptions = {}, text = yaml): Promise<TestGateway & { readonly logs: LogReader }> {
  const gateway = await startTestGateway(text, options);
  gateways.push(gateway);
  const { logs } = gateway.gateway;
  if (logs === undefined) throw new Error('the gateway keeps no request log');
  return { ...gateway, logs };
}

async function sendChat(url: string, text: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: text }] }),
  });
  await response.arrayBuffer();
  return response.headers.get('x-request-id') ?? '';
}

it.each([
  ['in a file', undefined],
  ['in memory', 'memory'],
])('finds a request as soon as its response is complete: %s', async (_name, stateDir) => {
  const { url, logs } = await start(stateDir === undefined ? {} : { stateDir });
  const id = await sendChat(url, 'hello', { 'x-gateway-metadata': '{"user":"u42"}' });
  const found = await logs.get(id);
  expect(found?.record).toMatchObject({ id, status: 200, metadata: { user: 'u42' }, provider: 'mock' });
  expect(found?.bodies).toContain('request');
  const body = await logs.body(id, 'request');
  expect(Buffer.from(body ?? []).toString()).toContain('"hello"');
  expect((await logs.search({ query: '', limit: 10 })).rows.map((row) => row.id)).toEqual([id]);
  expect(Buffer.from((await logs.json(['names'])) ?? []).toString()).toBe('{"meta":["user"],"label":[]}\n');
  expect(await logs.state()).toMatchObject({ records: 1, dropped: 0, problems: [], kind: stateDir ?? expect.stringContaining('sqlite /') });
});

it('contains records of earlier processes, including those still in the spool', async () => {
  const first = await start();
  const ids = [await sendChat(first.url, 'one'), await sendChat(first.url, 'two')];
  await first.gateway.close();
  const second = await start({ stateDir: join(first.dir, '.gateway') });
  ids.push(await sendChat(second.url, 'three'));
  expect((await second.logs.search({ query: '', limit: 10 })).rows.map((row) => row.id)).toEqual(ids.toReversed());
  expect(readdirSync(join(first.dir, '.gateway/spool')).length).toBe(1);
});

it('creates rows from the records of a gateway without parsing them', async () => {
  const { url, logs, dir } = await start();
  const id = await sendChat(url, 'Grüße …', { 'x-gateway-metadata': '{"user":"Jürgen"}' });
  const [segment = ''] = readdirSync(join(dir, '.gateway/spool'));
  const [line = ''] = readFileSync(join(dir, '.gateway/spool', segment), 'latin1').split('\n', 1);
  const [row] = (await logs.search({ query: '', limit: 1 })).rows;
  const { latency, model, tokens_out } = row ?? {};
  const meta = { user: 'Jürgen' };
  expect(new RowScanner().scan(line)).toMatchObject({ id, status: 200, provider: 'mock', meta, latency, model, tokens_out });
});

it('returns pages, newest first', async () => {
  const { url, logs } = await start();
  const ids: string[] = [];
  for (const text of ['a', 'b', 'c', 'd', 'e']) ids.push(await sendChat(url, text));
  const first = await logs.search({ query: '', limit: 2 });
  const second = await logs.search({ query: '', limit: 2, before: first.next ?? '' });
  const third = await logs.search({ query: '', limit: 2, before: second.next ?? '' });
  expect([first, second, third].map(({ rows }) => rows.map(({ id }) => id))).toEqual([[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]]);
  expect(third.next).toBeNull();
});

it('counts requests, finds words and rejects an invalid filter', async () => {
  const { url, logs } = await start();
  const id = await sendChat(url, 'hello', { 'x-gateway-trace-id': 'tracing-refunds' });
  await sendChat(url, 'bye');
  expect((await logs.search({ query: 'refunds', limit: 10 })).rows.map((row) => row.id)).toEqual([id]);
  const { total, groups } = await logs.stats({ query: '', by: 'provider' });
  expect([total.requests, groups.map(({ name, requests }) => [name, requests])]).toEqual([2, [['mock', 2]]]);
  await expect(logs.search({ query: 'status:>>', limit: 10 })).rejects.toMatchObject({ code: 'invalid_filter' });
});

it.each([
  ['in a file', {}],
  ['in memory', { stateDir: 'memory' }],
])('returns what each key has spent, including its last request: %s', async (_name, options) => {
  const hash = createHash('sha256').update('a-key-chosen-by-hand').digest('hex');
  const price = 'pricing: {mock/echo: {input: 0, output: 0, request: 0.25}}';
  const { url, logs } = await start(options, `${yaml}api_keys: {constructor: {hash: "sha256:${hash}"}}\n${price}\n`);
  const today = dayOf(Date.now());
  for (const cost of ['0.25', '0.5']) {
    await sendChat(url, 'hello', { authorization: 'Bearer a-key-chosen-by-hand' });
    expect(await logs.spent(today)).toEqual({ constructor: { cost_usd: cost, unpriced: 0 } });
  }
  expect((await logs.spent(today))['toString']).toBeUndefined();
});

it('stores nothing if the request log is off, but still creates records', async () => {
  const gateway = await startTestGateway(yaml.replace('{bodies: full}', 'off'));
  gateways.push(gateway);
  const id = await sendChat(gateway.url, 'hello');
  expect((await gateway.record(id)).status).toBe(200);
  expect(gateway.gateway.logs).toBeUndefined();
  expect(readdirSync(join(gateway.dir, '.gateway/spool'))).toEqual([]);
  expect(readdirSync(join(gateway.dir, '.gateway'))).not.toContain('log.sqlite');
});

it('rejects a second gateway with the same state directory and names the first', async () => {
  const first = await start();
  const second = startTestGateway(yaml, { stateDir: join(first.dir, '.gateway') });
  await expect(second).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining(`(pid ${process.pid} on `) });
});
