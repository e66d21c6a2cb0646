import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Status } from '../../src/admin/api-types.ts';
import { statusText } from '../../src/cli/admin/status.ts';
import { headOf, WireClient } from '../edge/wire-client.ts';
import { until } from '../support/gateway.ts';
import { startAccount } from '../isolation/account.ts';
import { sendAs, keyOf, type Name, yamlFor } from '../isolation/rig.ts';
import { startThinker } from '../thinking/strict-upstream.ts';
import { type ReceivedResponse, type Fleet, isAlive, reachBoth, startFleet, token, usual } from './rig.ts';

/** One gateway for all tests; each test except the last three restores what it changes. */
let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet(usual, {
    // Fails only in the worker processes.
    'only-here.mjs': `export default {
  name: 'only-here', options: { type: 'object' },
  setup: () => { if (process.argv[1].includes('serving-worker')) throw new Error('not in a worker'); return {}; },
};`,
    // Fails in processes that start while the file `reason` exists.
    'fragile.mjs': `import { existsSync } from 'node:fs';
export default {
  name: 'fragile', options: { type: 'object' },
  setup: () => { if (existsSync(new URL('./reason', import.meta.url))) throw new Error('not any more'); return {}; },
};`,
  });
});
afterAll(() => fleet.end());

const total = (metrics: ReadonlyMap<string, number>, name: string): number =>
  [...metrics].reduce((sum, [key, value]) => (key === name || key.startsWith(`${name}{`) ? sum + value : sum), 0);

async function totals(): Promise<number[]> {
  const metrics = await fleet.metrics();
  const counters = ['gateway_requests_total', 'gateway_request_duration_seconds_count', 'gateway_worker_requests_total'];
  return [...counters, 'gateway_build_info', 'gateway_provider_up'].map((name) => total(metrics, name));
}

it('serves with both workers, and combines their records and metrics', async () => {
  const responses = await reachBoth(fleet);
  expect(responses.every(({ status }) => status === 200)).toBe(true);
  const { rows } = await fleet.callAdmin<{ rows: { id: string }[] }>('/api/requests?limit=500');
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(responses.map(({ id }) => id)));
  const count = responses.length;
  // A busy worker reports late.
  await expect.poll(totals).toEqual([count, count, count, 1, 1]);
  const [metrics, workers] = [await fleet.metrics(), await fleet.workers()];
  expect([1, 2].map((n) => metrics.get(`gateway_worker_requests_total{worker="${n}"}`))).toEqual(workers.map(({ requests }) => requests));
  const figures = async (): Promise<unknown> => {
    const { providers, in_flight: inFlight } = await fleet.callAdmin<Status>('/api/status');
    return [providers[0]?.figures.requests, inFlight];
  };
  await expect.poll(figures).toEqual([count, 0]);
});

it('shows the workers in the log, the status and /readyz', async () => {
  const workers = await fleet.workers();
  const pids = workers.map(({ pid }) => pid);
  expect(workers.map(({ worker, state, restarts }) => [worker, state, restarts])).toEqual([
    [1, 'serving', 0],
    [2, 'serving', 0],
  ]);
  expect(fleet.running.out()).toContain(`"workers":[${pids.join(',')}]`);
  const status = await fleet.callAdmin<Status>('/api/status');
  const [first] = status.workers;
  const last = { at: Date.now() - 60_000, why: `ended ${'again and '.repeat(20)}again` };
  const statusLines = statusText(
    { ...status, workers: first === undefined ? [] : [{ ...first, restarts: 2, last_end: last }] },
    {},
    Date.now(),
    140,
  );
  const line = statusLines.split('\n').find((text) => text.startsWith('workers')) ?? '';
  expect([line.length, line]).toEqual([
    140,
    expect.stringMatching(/^workers +1: pid \d+ serving · 0 in progress .* MB · delay p99 .* · replaced 2 times, .*…$/),
  ]);
  const ready = await fleet.callAdmin<{ workers: { pid: number }[] }>('/readyz');
  expect(ready.workers.map(({ pid }) => pid)).toEqual(pids);
});

it('shows requests of both workers in the live tail', async () => {
  const abort = new AbortController();
  const response = await fetch(`${fleet.admin}/api/live`, {
    headers: { authorization: 'Bearer token-of-the-operator-0001' },
    signal: abort.signal,
  });
  let received = '';
  const reading = (async () => {
    for await (const piece of response.body ?? []) received += Buffer.from(piece).toString();
  })().catch(() => {});
  const responses = await reachBoth(fleet);
  await until(() => responses.slice(-8).every(({ id }) => received.includes(id)), 'the rows of both workers');
  abort.abort();
  await reading;
});

it('reloads all workers or none', async () => {
  const first = usual.replace('text: one', 'text: two');
  const { result, revision } = await fleet.reload(first);
  expect(result).toBe('applied');
  const texts = async (): Promise<Set<boolean>> => new Set((await reachBoth(fleet)).map(({ text }) => text.includes('"two"')));
  expect(await texts()).toEqual(new Set([true]));
  const invalidConfig = `${first.replace('text: two', 'text: three')}plugins: [auth, {use: ./only-here.mjs}, routing, transform, fallback-retry, logging]\n`;
  const rejected = await fleet.reload(invalidConfig);
  expect([rejected.result, rejected.revision]).toEqual(['rejected', revision]);
  expect(rejected.reason).toContain('not in a worker');
  expect(await texts()).toEqual(new Set([true]));
  expect((await fleet.reload(usual)).result).toBe('applied');
});

it('replaces a worker that is killed under load, and stores each completed response once', async () => {
  const [victim] = await fleet.workers();
  const completedIds: string[] = [];
  let isOver = false;
  const client = async (): Promise<void> => {
    while (!isOver) {
      try {
        completedIds.push((await fleet.send()).id);
      } catch {
        // The request was in the killed worker.
      }
    }
  };
  const clients = Array.from({ length: 6 }, client);
  await until(() => completedIds.length > 20, 'some responses');
  process.kill(victim?.pid ?? 0, 'SIGKILL');
  const now = await until(async () => {
    const workers = await fleet.workers();
    return workers.every(({ state, pid }) => state === 'serving' && pid !== victim?.pid) && workers;
  }, 'another worker');
  const before = completedIds.length;
  await until(() => completedIds.length > before + 20, 'more responses');
  isOver = true;
  await Promise.all(clients);
  expect(now.map(({ restarts }) => restarts)).toEqual([1, 0]);
  expect(isAlive(victim?.pid ?? null)).toBe(false);
  expect((await fleet.metrics()).get('gateway_worker_restarts_total{worker="1"}')).toBe(1);
  const stored = new Map<string, number>();
  let cursor = '';
  do {
    const page = await fleet.callAdmin<{ rows: { id: string }[]; next: string | null }>(`/api/requests?limit=500${cursor}`);
    for (const { id } of page.rows) stored.set(id, (stored.get(id) ?? 0) + 1);
    cursor = page.next === null ? '' : `&before=${encodeURIComponent(page.next)}`;
  } while (cursor !== '');
  expect(completedIds.filter((id) => stored.get(id) !== 1)).toEqual([]);
  await reachBoth(fleet);
});

it('counts the connections that both workers reject', async () => {
  expect((await fleet.reload(usual.replace('workers: 2,', 'workers: 2, max_connections: 2,'))).result).toBe('applied');
  const clients = Array.from({ length: 6 }, () => new WireClient(fleet.url));
  for (const client of clients) client.write(headOf('GET /healthz'));
  await until(() => clients.every(({ isClosed, statuses }) => isClosed || statuses.length > 0), 'all to be served or rejected');
  const rejected = clients.filter(({ statuses }) => statuses.length === 0);
  for (const client of clients) client.close();
  expect(rejected.length).toBeGreaterThanOrEqual(4);
  await expect.poll(async () => (await fleet.metrics()).get('gateway_connections_rejected_total')).toBe(rejected.length);
  expect((await fleet.reload(usual)).result).toBe('applied');
});

it('counts what a key has in flight in all workers', async () => {
  const key = 'key-of-the-application-0001';
  const hash = createHash('sha256').update(key).digest('hex');
  // The stream outlasts the other requests.
  const slower = usual.replace('chunk_delay: 100ms', 'chunk_delay: 600ms');
  const limited = `${slower.replace('workers: 2,', 'workers: 2, max_in_flight_per_key: 1,')}api_keys: {app: {hash: "sha256:${hash}"}}\n`;
  expect((await fleet.reload(limited)).result).toBe('applied');
  const headers = { 'x-gateway-api-key': key };
  // One after the other, possibly in different workers: the only slot moves between them.
  for (let n = 0; n < 12; n += 1) expect((await fleet.send({}, headers)).status).toBe(200);
  const pending = fleet.send({ model: '@mock/slow', stream: true }, headers);
  await until(async () => (await fleet.callAdmin<Status>('/api/status')).in_flight > 0, 'the stream to begin');
  const others = await Promise.all(Array.from({ length: 8 }, () => fleet.send({}, headers)));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 429));
  expect((await pending).status).toBe(200);
  expect((await fleet.send({}, headers)).status).toBe(200);
});

it('shares owners of objects and remembered thoughts between workers', async () => {
  const [account, thinker] = await Promise.all([startAccount(), startThinker()]);
  try {
    const claude = `claude: {type: anthropic, api_key: sk-ant-api03-0123456789, custom_host: "${thinker.url}/v1"}`;
    const yaml = `${yamlFor(account).replace('providers:', `providers:\n  ${claude}`)}server: {workers: 2, admin: {token: "${token}"}}\n`;
    expect((await fleet.reload(yaml)).result).toBe('applied');
    const inBoth = async (check: () => Promise<boolean>): Promise<boolean> => {
      const before = await fleet.workers();
      const checks = await Promise.all(Array.from({ length: 6 }, check));
      const now = await fleet.workers();
      return !checks.includes(false) && now.every(({ requests }, at) => requests > (before[at]?.requests ?? 0));
    };
    const created = await sendAs(fleet.url, 'anna', 'POST', '/v1/responses', { model: 'm', input: 'x' });
    const get = async (name: Name): Promise<number> =>
      (await sendAs(fleet.url, name, 'GET', `/v1/responses/${String(created.json['id'])}`, undefined, { connection: 'close' })).status;
    await until(() => inBoth(async () => (await get('anna')) === 200), 'the owner at both');
    await until(() => inBoth(async () => (await get('ben')) === 404), 'another key at both');
    const turn = async (...messages: object[]): Promise<ReceivedResponse> => {
      const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
      const conversation = [{ role: 'user', content: 'Oslo and Bergen?' }, ...messages];
      const body = { model: '@claude/claude-sonnet-4-0', messages: conversation, tools, reasoning_effort: 'high', max_tokens: 8000 };
      return await fleet.send(body, { 'x-gateway-api-key': keyOf('anna') });
    };
    const { text } = await turn();
    const calls = ['toolu_a', 'toolu_b'].map((id) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } }));
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '4' }));
    expect(text).toContain('toolu_a');
    const history = [{ role: 'assistant', content: 'Ich sehe nach.', tool_calls: calls }, ...results];
    // A message of one worker may arrive after the next request; reasoning_effort is then dropped.
    const thinksOn = async (): Promise<boolean> => (await turn(...history)).dropped === '';
    await until(() => inBoth(thinksOn), 'thoughts at both');
  } finally {
    await Promise.all([account.close(), thinker.close()]);
  }
});

it('serves all connections while a worker cannot be replaced, keeps its counts, and reports the cause', async () => {
  const fragile = `${usual.replace('workers: 2,', 'workers: 2, open: true,')}plugins: [auth, {use: ./fragile.mjs}, routing, transform, fallback-retry, logging]\n`;
  expect((await fleet.reload(fragile)).result).toBe('applied');
  const counted = async (): Promise<number> => total(await fleet.metrics(), 'gateway_requests_total');
  const start = await counted();
  const reached = await reachBoth(fleet);
  const [victim] = await fleet.workers();
  const before = await until(async () => {
    const now = await counted();
    return now >= start + reached.length && now;
  }, 'the counts of both workers');
  await writeFile(join(fleet.dir, 'reason'), '');
  process.kill(victim?.pid ?? 0, 'SIGKILL');
  const { notes } = await until(async () => {
    const status = await fleet.callAdmin<Status>('/api/status');
    return status.notes.length > 0 && status;
  }, 'the trouble to be said');
  expect(notes).toEqual(['Worker 1 could not be replaced: plugin "fragile" could not be set up: not any more.']);
  const sent = await Promise.all(Array.from({ length: 32 }, () => fleet.send()));
  expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
  const [first] = await fleet.workers();
  expect([first?.state === 'serving', first?.last_end?.why]).toEqual([false, expect.stringContaining('not any more')]);
  await expect.poll(counted).toBe(before + sent.length);
});
