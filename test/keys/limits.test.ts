import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { startFleet, token } from '../workers/rig.ts';

/** Limits of keys, from the file to the client's error, the record and the metrics. */

const secretOf = (name: string): string => `secret-of-the-key-${name}`;
const hashOf = (name: string): string => `sha256:${createHash('sha256').update(secretOf(name)).digest('hex')}`;

/** Each request of `echo` with the text "x" costs 0.3 dollars: one token of a request, and one of its response. */
const yamlFor = (keys: Readonly<Record<string, string>>, more = ''): string => `version: 1
providers: {mock: {type: mock, replies: {slow: {text: "a b c d e f g h i j", chunk_delay: 50ms}}}}
pricing: {mock/echo: {input: 100000, output: 200000, currency: USD}}
api_keys:
${Object.entries(keys)
  .map(([name, limits]) => `  ${name}: {hash: "${hashOf(name)}", metadata: {team: of-${name}}, limits: {${limits}}}\n`)
  .join('')}${more}`;

interface Received {
  readonly status: number;
  readonly message: string | undefined;
  readonly headers: Headers;
}

async function send(url: string, name: string, { path = 'chat/completions', method = 'POST' } = {}): Promise<Received> {
  const body = method === 'GET' ? {} : { body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'x' }] }) };
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${secretOf(name)}`, connection: 'close' };
  const response = await fetch(`${url}/v1/${path}`, { method, headers, ...body });
  const { error } = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: error?.message, headers: response.headers };
}

async function statuses(url: string, name: string, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i += 1) found.push((await send(url, name)).status);
  return found;
}

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});
const start = async (yaml: string, options: Parameters<typeof startTestGateway>[1] = {}): Promise<TestGateway> =>
  (gateway = await startTestGateway(yaml, options));

describe('a key with a rate', () => {
  it('gets 429 with a wait, whose record and metric name the key', async () => {
    const { url, record, gateway: running } = await start(yamlFor({ app: 'rate: 2/h', free: 'rate: 100/h' }));
    expect(await statuses(url, 'app', 2)).toEqual([200, 200]);
    const { status, message, headers } = await send(url, 'app');
    expect([status, message]).toEqual([429, 'Key "app" has reached its limit of 2 requests per hour.']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('x-should-retry')).toBeNull();
    expect(await record(headers.get('x-request-id'))).toMatchObject({
      admitted: false,
      key: 'app',
      key_id: hashOf('app').slice(7, 15),
      metadata: { team: 'of-app' },
      error: { code: 'rate_limited', source: 'gateway' },
    });
    expect(await statuses(url, 'free', 1)).toEqual([200]);
    const rejected = await running.logs?.search({ query: 'key:app status:429', limit: 10 });
    expect(rejected?.rows).toMatchObject([{ key: 'app', meta: { team: 'of-app' } }]);
  });

  it('keeps its count after a reload, also with another limit', async () => {
    const { url, write, gateway: running } = await start(yamlFor({ app: 'rate: 2/h' }));
    expect(await statuses(url, 'app', 3)).toEqual([200, 200, 429]);
    await write(yamlFor({ app: 'rate: 3/h' }));
    await running.reload();
    expect(await statuses(url, 'app', 2)).toEqual([200, 429]);
    await write(yamlFor({ app: 'concurrency: 9' }));
    await running.reload();
    expect(await statuses(url, 'app', 2)).toEqual([200, 200]);
  });
});

it.each([
  ['a written chain without the plugin', '[auth, virtual-key, routing, transform, fallback-retry, logging]', [200, 200, 429]],
  ['a plugin that replaces it', '[auth, {use: ./own.ts}, routing, transform, logging]', [200, 200, 200]],
])('limits are those of %s', async (_, chain, expected) => {
  const own = `export default {name: 'own', provides: ['limits'], options: {type: 'object'}, setup: () => ({admit: () => undefined})};`;
  const { url } = await start(yamlFor({ app: 'rate: 2/h' }, `plugins: ${chain}\n`), { files: { 'own.ts': own } });
  expect(await statuses(url, 'app', 3)).toEqual(expected);
});

it('a key with tokens gets 429 once it has used them', async () => {
  const { url } = await start(yamlFor({ app: 'tokens: 4/day' }));
  expect(await statuses(url, 'app', 3)).toEqual([200, 200, 429]);
  expect((await send(url, 'app')).message).toBe('Key "app" has reached its limit of 4 tokens per day.');
});

it('a key with a concurrency gets 429 while as many requests are in flight', async () => {
  const { url } = await start(yamlFor({ app: 'concurrency: 1' }));
  const stream = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secretOf('app')}` },
    body: JSON.stringify({ model: '@mock/slow', stream: true, messages: [{ role: 'user', content: 'x' }] }),
  });
  const { status, message } = await send(url, 'app');
  expect([status, message]).toEqual([429, 'Key "app" has 1 request in flight, its limit.']);
  expect(await stream.text()).toContain('[DONE]');
  expect(await statuses(url, 'app', 1)).toEqual([200]);
});

describe('a key with a budget', () => {
  const exhausted = 'Key "app" has spent 0.6 USD of its budget of 0.5 USD per month.';

  it('gets 412 once it has spent it, but the results of what it has started', async () => {
    const { url } = await start(yamlFor({ app: 'budget: 0.5USD/month' }));
    expect(await statuses(url, 'app', 2)).toEqual([200, 200]);
    const { status, message, headers } = await send(url, 'app');
    expect([status, message]).toEqual([412, exhausted]);
    expect(headers.get('x-should-retry')).toBe('false');
    expect((await send(url, 'app', { path: 'models', method: 'GET' })).status).toBe(200);
  });

  it('cannot open a WebSocket without budget', async () => {
    const { url } = await start(yamlFor({ app: 'budget: 0USD/day' }));
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=@mock/echo`, {
      headers: { authorization: `Bearer ${secretOf('app')}` },
    });
    const status = await new Promise((resolve) => {
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode)).on('open', () => resolve('open'));
      socket.on('error', () => {});
    });
    expect(status).toBe(412);
  });

  it('has spent it after a restart, too', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'budget-'));
    try {
      const first = await start(yamlFor({ app: 'budget: 0.5USD/month' }), { stateDir: dir });
      expect(await statuses(first.url, 'app', 2)).toEqual([200, 200]);
      await first.close();
      const second = await start(yamlFor({ app: 'budget: 0.5USD/month', other: 'budget: 0.5USD/month' }), { stateDir: dir });
      await expect.poll(async () => (await send(second.url, 'app', { path: 'moderations' })).status).toBe(412);
      expect((await send(second.url, 'app')).message).toBe(exhausted);
      expect((await send(second.url, 'other')).status).toBe(200);
    } finally {
      await gateway?.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

it('the workers of a gateway count together, and one that is replaced continues', async () => {
  const fleet = await startFleet(
    `${yamlFor({ rate: 'rate: 20/h', app: 'budget: 1.7USD/day' })}server: {workers: 2, admin: {token: "${token}"}}\nobservability: {metrics: {}}\n`,
  );
  try {
    // Many at once, because the workers must not count apart even for a moment.
    const found = (await Promise.all(Array.from({ length: 60 }, () => send(fleet.url, 'rate')))).map(({ status }) => status);
    expect(found.toSorted((one, other) => one - other)).toEqual([...Array(20).fill(200), ...Array(40).fill(429)]);
    expect(await statuses(fleet.url, 'app', 6)).toEqual(Array(6).fill(200));
    // A message about costs to the other worker takes some milliseconds.
    expect((await statuses(fleet.url, 'app', 12)).slice(-8)).toEqual(Array(8).fill(412));
    const [worker] = await fleet.workers();
    process.kill(worker?.pid ?? 0, 'SIGKILL');
    await expect
      .poll(async () => (await fleet.workers()).map(({ state, restarts }) => [state, restarts]))
      .toEqual([
        ['serving', 1],
        ['serving', 0],
      ]);
    expect(await statuses(fleet.url, 'rate', 8)).toEqual(Array(8).fill(429));
    expect(await statuses(fleet.url, 'app', 8)).toEqual(Array(8).fill(412));
    // Some are missing: those that the killed worker had not told yet.
    const metrics = await fleet.metrics();
    expect(metrics.get('gateway_limit_rejections_total{limit="rate",key="rate"}')).toBeGreaterThan(0);
    expect(metrics.get('gateway_limit_rejections_total{limit="budget",key="app"}')).toBeGreaterThan(0);
  } finally {
    await fleet.end();
  }
});
