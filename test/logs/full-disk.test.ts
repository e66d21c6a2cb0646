import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { tryParseObject } from '../../src/core/json/scan.ts';
import { adminUrl, call } from '../admin/client.ts';
import { main } from '../cli/process.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { smallDisk } from '../support/small-disk.ts';
import { lacking } from '../support/skipping.ts';
import type { Status } from '../../src/admin/api-types.ts';
import { startFleet, usual } from '../workers/rig.ts';

/** A gateway without space in its state directory: it serves requests, counts and reports lost records, and recovers. */

const yaml = 'version: 1\nproviders:\n  mock: {type: mock}\nlogging: {requests: {bodies: full, spool_size: 3MB}}\n';
const endings: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

/** @returns id and status of each */
async function askTimes(count: number, url: string): Promise<{ readonly ids: string[]; readonly statuses: ReadonlySet<number> }> {
  const ids: string[] = [];
  const statuses = new Set<number>();
  for (let i = 0; i < count; i += 1) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: randomBytes(1500).toString('base64') }] }),
    });
    await response.arrayBuffer();
    ids.push(response.headers.get('x-request-id') ?? '');
    statuses.add(response.status);
  }
  return { ids, statuses };
}

async function start(stateDir: string): Promise<TestGateway> {
  const gateway = await startTestGateway(yaml, { stateDir, admin: true });
  endings.push(() => gateway.close());
  return gateway;
}

const notesOf = async ({ url }: TestGateway): Promise<unknown> => tryParseObject(await (await fetch(`${url}/readyz`)).text())?.['notes'];

async function metric(gateway: TestGateway, stateDir: string, name: string): Promise<number> {
  const token = readFileSync(join(stateDir, 'admin-token'), 'utf8').trim();
  const { text } = await call(adminUrl(gateway), '/metrics', { token });
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

/** Ids of all stored records, and the number of requests in the statistics. */
async function storedIn({ gateway }: TestGateway): Promise<{ readonly ids: string[]; readonly counted: number | undefined }> {
  const ids: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = await gateway.logs?.search({ query: '', limit: 100, ...(before === undefined ? {} : { before }) });
    ids.push(...(page?.rows ?? []).map(({ id }) => id));
    before = page?.next ?? undefined;
    if (before === undefined) return { ids, counted: (await gateway.logs?.stats({ query: '' }))?.total.requests };
  }
}

const disk = smallDisk(16);

describe.skipIf(lacking(disk))('a full disk', () => {
  const small = disk as Exclude<typeof disk, { readonly missing: string }>;
  afterAll(() => small.end());

  it('loses only records, which are counted, and later records are stored once', async () => {
    const state = join(small.dir, 'state');
    const gateway = await start(state);
    const before = await askTimes(5, gateway.url);
    small.fill();
    const during = await askTimes(60, gateway.url);
    expect([...during.statuses]).toEqual([200]);
    // In the order of occurrence. SQLite may also report a disk I/O error.
    const notes = async (): Promise<unknown> => ((await notesOf(gateway)) as string[] | undefined)?.toSorted();
    await expect
      .poll(notes)
      .toEqual([
        'Records are lost: the spool cannot be written (ENOSPC).',
        expect.stringMatching(/^Records wait in the spool: .*(?:full|disk I\/O error)/),
      ]);
    expect((await gateway.gateway.logs?.state())?.problems).toHaveLength(2);
    expect(await metric(gateway, state, 'gateway_log_problems')).toBe(2);
    const dropped = await metric(gateway, state, 'gateway_log_dropped_total{what="records"}');
    expect(dropped).toBeGreaterThan(0);
    expect(gateway.lines.filter((line) => line.includes('records could not be written to the spool and are lost'))).toHaveLength(1);

    small.free();
    const after = await askTimes(5, gateway.url);
    await expect.poll(() => notesOf(gateway)).toBeUndefined();
    const { ids, counted } = await storedIn(gateway);
    const sentIds = [...before.ids, ...during.ids, ...after.ids];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !sentIds.includes(id))).toEqual([]);
    expect(ids).toEqual(expect.arrayContaining([...before.ids, ...after.ids]));
    expect([ids.length + (await metric(gateway, state, 'gateway_log_dropped_total{what="records"}')), counted]).toEqual([
      sentIds.length,
      ids.length,
    ]);
    expect(gateway.lines.join('')).toContain('records can be written to the spool again');
  });

  it('is a problem of the store that workers report too', async () => {
    const fleet = await startFleet(usual.replace('workers: 2', `workers: 2, state_dir: "${join(small.dir, 'workers')}"`));
    endings.push(() => fleet.end());
    const problems = async (): Promise<readonly string[]> => (await fleet.callAdmin<Status>('/api/status')).store.problems;
    expect(await problems()).toEqual([]);
    small.fill();
    await askTimes(20, fleet.url);
    const lost = 'Records are lost: the spool cannot be written (ENOSPC).';
    await expect.poll(problems).toContain(lost);
    expect((await fleet.metrics()).get('gateway_log_problems')).toBeGreaterThan(0);
    small.free();
    await askTimes(20, fleet.url);
    await expect.poll(problems).toEqual([]);
  });

  it('does not prevent the start: the log is in memory until the next start', async () => {
    const state = join(small.dir, 'late');
    const before = await askTimes(3, (await start(state)).url);
    await endings.pop()?.();
    small.fill();
    const gateway = await start(state);
    const during = await askTimes(5, gateway.url);
    expect([...during.statuses]).toEqual([200]);
    expect(await notesOf(gateway)).toEqual([expect.stringContaining("can't be used")]);
    expect((await storedIn(gateway)).ids.toSorted()).toEqual(during.ids.toSorted());
    await endings.pop()?.();
    small.free();
    expect((await storedIn(await start(state))).ids.toSorted()).toEqual(before.ids.toSorted());
  });
});

/** Runs on every system: a file size limit of the process works like a quota. */
it('keeps records in the spool if the store has no space, and stores them once after the next start', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'no-room-'));
  endings.push(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'gateway.yaml'), yaml);
  const limited = 'ulimit -S -f 1024; exec "$0" "$@"';
  const args = [main, 'start', '--listen', '127.0.0.1:0', '--no-admin', '--log-format', 'json'];
  const child = spawn('bash', ['-c', limited, process.execPath, ...args], { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] });
  endings.push(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (piece: Buffer) => (out += String(piece)));
  await expect.poll(() => out).toContain('"msg":"gateway started"');
  const url = /"url":"([^"]*)\/v1"/.exec(out)?.[1] ?? '';
  const sentIds: string[] = [];
  for (let round = 0; !out.includes('Records wait in the spool') && round < 200; round += 1) {
    const { ids, statuses } = await askTimes(20, url);
    expect([...statuses]).toEqual([200]);
    sentIds.push(...ids);
    // The writer keeps up until it fails, so that the spool does not reach its own limit.
    await pause(200);
  }
  expect(out.includes('Records wait in the spool')).toBe(true);
  sentIds.push(...(await askTimes(20, url)).ids);
  child.kill('SIGTERM');
  await once(child, 'exit');
  const gateway = await start(join(dir, '.gateway'));
  await expect.poll(async () => (await gateway.gateway.logs?.state())?.spool.bytes).toBe(0);
  const { ids, counted } = await storedIn(gateway);
  expect(ids.toSorted()).toEqual(sentIds.toSorted());
  expect(counted).toBe(sentIds.length);
});
