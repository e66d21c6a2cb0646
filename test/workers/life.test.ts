import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WorkerState } from '../../src/gateway/serving.ts';
import { adminUrl } from '../admin/client.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { deadPort } from '../support/upstream.ts';
import { type Fleet, isAlive, reachBoth, readMetrics, sendChat, startFleet, token, usual } from './rig.ts';

let fleet: Fleet | undefined;

afterEach(async () => {
  await fleet?.end();
  fleet = undefined;
});

/** Opens streams until both workers have one, and waits for their first bytes. */
async function openStreams(on: Fleet): Promise<Promise<string>[]> {
  const streams: Promise<string>[] = [];
  await until(async () => {
    streams.push(on.send({ model: '@mock/slow', stream: true }).then(({ text }) => text));
    const workers = await on.workers();
    return workers.every(({ in_flight: inFlight }) => inFlight > 0);
  }, 'a stream in both workers');
  return streams;
}

describe('stopping', () => {
  it('completes the streams of all workers after SIGINT to each process, and stores their records', async () => {
    fleet = await startFleet();
    const pids = (await fleet.workers()).map(({ pid }) => pid ?? 0);
    // Whole lines are written although the reader of the log pauses.
    const one = fleet;
    const { stdout } = one.running.child;
    stdout?.pause();
    const furtherRequests = 200;
    for (let n = 0; n < furtherRequests; n += 20) await Promise.all(Array.from({ length: 20 }, () => one.send()));
    stdout?.resume();
    const streams = await openStreams(fleet);
    const sent = streams.length + furtherRequests;
    // Like Ctrl-C: a terminal sends the signal to each process.
    for (const pid of [...pids, fleet.running.child.pid ?? 0]) process.kill(pid, 'SIGINT');
    for (const text of await Promise.all(streams)) expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    const { code, out } = await fleet.running.ended;
    expect(code).toBe(0);
    expect(out).toContain(`"served":${sent},`);
    expect(pids.filter(isAlive)).toEqual([]);
    // The log contains the complete lines of both workers.
    const lines = out.trimEnd().split('\n');
    const requests = lines.map((line) => JSON.parse(line) as { msg?: string; id?: string }).filter(({ id }) => id !== undefined);
    expect(requests.length).toBe(sent);
    const db = new DatabaseSync(join(fleet.dir, '.gateway/log.sqlite'), { readOnly: true });
    const { stored } = db.prepare('SELECT count(*) AS stored FROM requests').get() as { stored: number };
    db.close();
    expect(stored).toBe(sent);
  });

  it('logs a worker that dies before its requests have ended', async () => {
    // Its output stays open a little longer than the process, as on a busy machine.
    const script = 'while kill -0 $PPID; do sleep 0.05; done 2>&-; sleep 0.3';
    const holder = `import { spawn } from 'node:child_process';
export default { name: 'holder', options: { type: 'object' }, setup: () => (spawn('sh', ['-c', '${script}'], { stdio: 'inherit' }), {}) };
`;
    const chain = 'plugins: [auth, {use: ./holder.mjs}, routing, transform, fallback-retry, logging]\n';
    // The streams are still open when the signals arrive.
    const slower = usual.replace('chunk_delay: 100ms', 'chunk_delay: 600ms');
    fleet = await startFleet(`${slower}${chain}`, { 'holder.mjs': holder });
    const [victim] = await fleet.workers();
    const streams = (await openStreams(fleet)).map((stream) => stream.catch(() => 'cut'));
    fleet.running.child.kill('SIGTERM');
    await fleet.running.waitForOutput(/"msg":"stopping"/);
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    expect(await Promise.all(streams)).toContain('cut');
    const { out } = await fleet.running.ended;
    expect(out).toContain(`"worker":1,"pid":${victim?.pid},"why":"ended by SIGKILL","msg":"a worker process ended before its requests"`);
    expect(out.match(/ended before its requests/g)).toHaveLength(1);
  });

  it('ends all workers and frees the port if the supervisor is killed with SIGKILL', async () => {
    const port = await deadPort();
    fleet = await startFleet(usual, {}, ['--listen', `127.0.0.1:${port}`]);
    const pids = (await fleet.workers()).map(({ pid }) => pid);
    fleet.running.child.kill('SIGKILL');
    await until(() => !pids.some(isAlive), 'the end of the workers');
    await canListen(port);
  });
});

it('a gateway with workers occupies its port, and frees it at the end', async () => {
  const port = await deadPort();
  fleet = await startFleet(usual, {}, ['--listen', `127.0.0.1:${port}`]);
  await expect(canListen(port)).rejects.toThrow('EADDRINUSE');
  const second = startFleet(usual, {}, ['--listen', `127.0.0.1:${port}`]);
  await expect(second).rejects.toThrow('the address is in use');
  fleet.running.child.kill('SIGTERM');
  expect((await fleet.running.ended).code).toBe(0);
  await canListen(port);
});

describe('a worker', () => {
  let ownFleet: TestGateway;
  beforeAll(async () => {
    ownFleet = await startTestGateway(usual, { workers: { beatMs: 50, maxMissed: 200 }, admin: true });
  });
  afterAll(() => ownFleet.close());
  const workers = (): readonly WorkerState[] => ownFleet.gateway.workers() ?? [];
  const isReplaced = (before: number | undefined): boolean => workers().every(({ state, pid }) => state === 'serving' && pid !== before);

  it('that is killed keeps its counts in the metrics', async () => {
    const counted = async (): Promise<number> => {
      const response = await fetch(`${adminUrl(ownFleet)}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      const metrics = [...readMetrics(await response.text())];
      return metrics.reduce((sum, [name, value]) => (name.startsWith('gateway_requests_total{') ? sum + value : sum), 0);
    };
    const reportedRequests = (): number => workers().reduce((sum, { requests }) => sum + requests, 0);
    // Counts after its last report are lost. Metrics are reported less often than requests, so this may need several attempts.
    await until(async () => {
      const [before, reportedBefore] = [await counted(), reportedRequests()];
      const victim = workers()[0];
      let sent = 0;
      for (; workers()[0]?.requests === victim?.requests; sent += 1) await sendChat(ownFleet.url, {});
      await until(() => reportedRequests() >= reportedBefore + sent, 'the beats');
      await pause(1000);
      process.kill(victim?.pid ?? 0, 'SIGKILL');
      await until(() => isReplaced(victim?.pid), 'another worker');
      return (await counted()) === before + sent;
    }, 'a death that loses nothing');
  });

  it('that does not respond is replaced, and metrics are returned without it', async () => {
    const [stopped, other] = workers().map(({ pid }) => pid ?? 0);
    process.kill(stopped ?? 0, 'SIGSTOP');
    await until(() => isReplaced(stopped), 'another worker');
    expect([isAlive(stopped ?? null), workers()[1]?.pid]).toEqual([false, other]);
    const { id } = await sendChat(ownFleet.url, {});
    await until(async () => (await ownFleet.gateway.logs?.get(id)) !== undefined, 'its record');
  });
});

it('workers serve on a Unix socket, and keep records in memory', async () => {
  fleet = await startFleet(usual.replace('workers: 2,', 'workers: 2, state_dir: memory, listen: "unix:./gw.sock",'), {}, [
    '--listen',
    'unix:./gw.sock',
  ]);
  const url = `unix:${join(fleet.dir, 'gw.sock')}`;
  const ids: string[] = [];
  const on: Fleet = { ...fleet, send: async (body = {}) => await sendChat(url, body) };
  for (const { id } of await reachBoth(on)) ids.push(id);
  const { rows } = await fleet.callAdmin<{ rows: { id: string }[] }>('/api/requests?limit=500');
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(ids));
});

function canListen(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}
