import { appendFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sampleRecord } from '../../fixtures/sample.ts';
import { encodeRecord } from '../../encode.ts';
import { listSegments, openSpool } from '../../spool.ts';
import type { Batch } from '../log-store.ts';
import { openSqliteStore } from '../sqlite/store.ts';
import type { RpcReply, ProblemReport } from '../rpc/protocol.ts';
import type { LogDatabase, WriterState } from './settings.ts';
import { startWriter } from './writer.ts';

let isUnavailable = false;
let isMigrating = false;
let closed = 0;
let retained = 0;
let write: (batch: Batch) => Promise<void>;

/** A server without records that fails once `away` is set. */
vi.mock('../postgres/store.ts', () => ({
  openPostgresStore: () => ({
    kind: 'postgres logs',
    positions: async () => new Map(),
    write: (batch: Batch) => write(batch),
    size: async () => ({ records: 0, bytes: 0, oldest: null }),
    index: async () => false,
    get isMigrating() {
      return isMigrating;
    },
    close: async () => void (closed += 1),
    retain: async () => {
      if (isUnavailable) throw Object.assign(new Error('the server is away'), { code: 'log_unavailable' });
      retained += 1;
      return false;
    },
  }),
}));

let dir: string;
let port: MessagePort | undefined;
let reports: ProblemReport[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writer-'));
  [isUnavailable, isMigrating, closed, retained] = [false, false, 0, 0];
  write = async () => {};
});
afterEach(async () => {
  write = async () => {};
  await call('close').catch(() => {});
  port?.close();
  port = undefined;
  reports = [];
  rmSync(dir, { recursive: true, force: true });
});

const spoolDir = (): string => join(dir, 'spool');
const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();

function start(database: LogDatabase, options: { readonly rows?: number; readonly spool?: undefined } = {}): void {
  const channel = new MessageChannel();
  port = channel.port2;
  port.on('message', (reply: RpcReply | ProblemReport) => {
    if ('problems' in reply) reports.push(reply);
    else if ('error' in reply) waiting.get(reply.id)?.reject(new Error(reply.error.message));
    else waiting.get(reply.id)?.resolve(reply.value);
  });
  const retention = { age: 1e12, size: 1e9, rows: options.rows };
  const spool = 'spool' in options ? undefined : spoolDir();
  startWriter(channel.port1, { role: 'writer', database, spool, spoolLimit: 1e9, retention });
}

function call(name: string, argument?: unknown): Promise<unknown> {
  const id = waiting.size + 1;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    port?.postMessage({ id, name, argument });
  });
}

const state = async (): Promise<WriterState> => (await call('state')) as WriterState;

const frame = (id: string): Buffer => Buffer.from(`${encodeRecord(sampleRecord({ id }), {}).line}\n\n`);

function append(...ids: readonly string[]): void {
  const spool = openSpool({ dir: spoolDir(), maxTotal: 1e9 });
  for (const id of ids) spool.append([encodeRecord(sampleRecord({ id }), {})]);
  spool.close();
}

it('reports at start that there is no problem, to clear reports of an earlier writer', async () => {
  start({ kind: 'sqlite', path: join(dir, 'log.sqlite') });
  await expect.poll(() => reports).toEqual([{ problems: [] }]);
});

it('reports a non-negative waiting time after the clock was set back', async () => {
  append('req_1');
  const path = join(dir, 'log.sqlite');
  mkdirSync(path);
  start({ kind: 'sqlite', path });
  await expect.poll(async () => (await state()).problems.length).toBe(1);
  const clock = vi.spyOn(Date, 'now').mockReturnValue(0);
  try {
    expect((await state()).behind.ms).toBeGreaterThanOrEqual(0);
  } finally {
    clock.mockRestore();
  }
});

it('reports the size of a file that it cannot open for writing', async () => {
  const path = join(dir, 'log.sqlite');
  append('req_1', 'req_2');
  start({ kind: 'sqlite', path });
  await expect.poll(async () => (await state()).records).toBe(2);
  await call('close');
  const db = new DatabaseSync(path);
  db.exec('PRAGMA user_version = 999');
  db.close();
  port?.close();
  start({ kind: 'sqlite', path });
  await expect.poll(async () => (await state()).problems).toEqual([expect.stringContaining('has version 999')]);
  const { records, bytes, oldest } = await state();
  expect({ records, oldest }).toEqual({ records: 2, oldest: expect.any(Number) });
  expect(bytes).toBeGreaterThan(8192);
});

it('creates a new file if the current one was deleted', async () => {
  const path = join(dir, 'log.sqlite');
  append('req_1');
  start({ kind: 'sqlite', path });
  await expect.poll(async () => (await state()).records).toBe(1);
  rmSync(dir, { recursive: true });
  append('req_2');
  await call('drain');
  expect(await state()).toMatchObject({ records: 1, problems: [expect.stringContaining('was deleted or replaced')] });
  expect(existsSync(path)).toBe(true);
});

it('does not write the log of a replaced file into the new one, and reports that the file was replaced', async () => {
  const path = join(dir, 'log.sqlite');
  const other = openSqliteStore(join(dir, 'other.sqlite'));
  await other.close();
  start({ kind: 'sqlite', path });
  append('req_1', 'req_2', 'req_3');
  await call('drain');
  // A query keeps the write-ahead log when the writer closes the file.
  const reading = new DatabaseSync(path, { readOnly: true });
  const count = (): number => (reading.prepare('SELECT count(*) AS n FROM requests').get() as { n: number }).n;
  expect(count()).toBe(3);
  for (const segment of listSegments(spoolDir())) rmSync(join(spoolDir(), segment));
  renameSync(join(dir, 'other.sqlite'), path);
  await call('drain');
  expect(await call('state')).toMatchObject({ records: 0, problems: [expect.stringContaining('was deleted or replaced')] });
  expect(count()).toBe(3);
  reading.close();
});

it('reports the same problem each time if a damaged file cannot be renamed', async () => {
  // With the time of the damage added, the name is longer than file systems allow.
  const path = join(dir, 'x'.repeat(240));
  writeFileSync(path, 'no database'.repeat(100));
  append('req_1');
  start({ kind: 'sqlite', path });
  const problems = [expect.stringMatching(/^The request log is damaged and cannot be renamed, so records wait in the spool: ENAMETOOLONG/)];
  await expect.poll(async () => (await state()).problems).toEqual(problems);
  await call('drain').catch(() => {});
  expect((await state()).problems).toEqual(problems);
});

it('handles other calls while it stores a large spool', async () => {
  append(...Array.from({ length: 15_000 }, (_, i) => `req_${i}`));
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10_000));
  try {
    start({ kind: 'sqlite', path: join(dir, 'log.sqlite') });
    const [, found] = await Promise.all([call('drain'), state()]);
    expect(found.records).toBeGreaterThan(0);
    expect(found.behind.bytes).toBeGreaterThan(0);
  } finally {
    clock.mockRestore();
  }
});

it('indexes words for searches, but not after every few records', async () => {
  const path = join(dir, 'log.sqlite');
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const indexed = (): unknown => {
    using db = new DatabaseSync(path, { readOnly: true });
    return db.prepare('SELECT count(*) AS count FROM texts').get()?.['count'];
  };
  try {
    start({ kind: 'sqlite', path });
    for (const [id, seconds, expected] of [
      ['req_1', 0, 1],
      ['req_2', 4, 1],
      ['req_3', 2, 3],
    ] as const) {
      append(id);
      now += seconds * 1000;
      await call('drain');
      await call('words');
      await expect.poll(indexed).toBe(expected);
      // Longer than the pause between two checks of the spool.
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(indexed()).toBe(expected);
    }
  } finally {
    clock.mockRestore();
  }
});

it('handles calls between the transactions of a slow database', async () => {
  append(...Array.from({ length: 5000 }, (_, i) => `req_${i}`));
  let [now, writes] = [performance.now(), 0];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const { promise: started, resolve } = Promise.withResolvers<void>();
  write = async () => {
    writes += 1;
    now += 10_000;
    resolve();
    await new Promise((done) => setTimeout(done, 50));
  };
  try {
    start({ kind: 'postgres', url: 'postgres://u:p@127.0.0.1/logs' });
    await started;
    await state();
    expect(writes).toBeLessThan(3);
  } finally {
    clock.mockRestore();
  }
});

it('stores records if old ones cannot be deleted, and reports the problem if it repeats', async () => {
  const path = join(dir, 'log.sqlite');
  const databaseBefore = openSqliteStore(path);
  databaseBefore.db.exec('DROP TABLE feedback');
  await databaseBefore.close();
  append('req_1');
  start({ kind: 'sqlite', path });
  await expect.poll(async () => (await state()).records).toBe(1);
  expect((await state()).problems).toEqual([]);
  await expect
    .poll(async () => {
      await call('retention', { age: 1e12, size: 1e9 });
      return (await state()).problems;
    })
    .toEqual([expect.stringMatching(/^Old records cannot be deleted, or past hours not be summed up: no such table: /)]);
  append('req_2');
  await expect.poll(async () => (await state()).records).toBe(2);
});

it.each([
  ['records keep arriving', async () => append('req_next')],
  ['records cannot be stored', () => Promise.reject(new Error('database or disk is full'))],
])('deletes old records while %s', async (_, maintain) => {
  append('req_0');
  write = maintain;
  start({ kind: 'postgres', url: 'postgres://u:p@127.0.0.1/logs' });
  await expect.poll(() => retained).toBeGreaterThan(0);
});

it('keeps records in memory while a database without a spool is unavailable, and stores them once', async () => {
  const stored: string[] = [];
  let remainingFailures = 2;
  write = async ({ records }) => {
    remainingFailures -= 1;
    if (remainingFailures >= 0) throw Object.assign(new Error('the server is away'), { code: 'log_unavailable' });
    stored.push(...records.map(({ row }) => row.id));
  };
  start({ kind: 'postgres', url: 'postgres://u:p@127.0.0.1/logs' }, { spool: undefined });
  await call('append', frame('req_1'));
  await call('drain').catch(() => {});
  await call('append', frame('req_2'));
  await expect.poll(async () => (await state()).problems).toEqual(['Records wait in memory: the server is away']);
  await expect.poll(() => stored).toEqual(['req_1', 'req_2']);
  await expect.poll(async () => (await state()).problems).toEqual([]);
  expect((await state()).dropped).toBe(0);
});

it('deletes no record by a clock that was set forward, unless it stays so', async () => {
  const day = 86_400_000;
  const system = vi.spyOn(Date, 'now').mockReturnValue(sampleRecord().at);
  const monotonic = vi.spyOn(performance, 'now');
  const started = performance.now();
  try {
    append('req_1');
    start({ kind: 'sqlite', path: join(dir, 'log.sqlite') });
    await expect.poll(async () => (await state()).records).toBe(1);
    system.mockReturnValue(sampleRecord().at + 2 * day);
    await call('retention', { age: day, size: 1e9 });
    // Longer than until the turn that the call schedules.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await state()).records).toBe(1);
    monotonic.mockReturnValue(started + 3_700_000);
    await expect.poll(async () => (await state()).records).toBe(0);
  } finally {
    monotonic.mockRestore();
    system.mockRestore();
  }
});

it('keeps the memory store within its row limit', async () => {
  start({ kind: 'memory' }, { rows: 200, spool: undefined });
  await call('append', frame('req_first'));
  await expect.poll(async () => (await state()).records).toBe(1);
  for (let i = 0; i < 3000; i += 1) await call('append', frame(`req_${i}`));
  await call('drain');
  await expect.poll(async () => (await state()).records).toBeLessThanOrEqual(200);
  expect((await state()).bytes).toBeLessThan(2e6);
});

it('reports that records wait if the database becomes unavailable, even without new records', async () => {
  start({ kind: 'postgres', url: 'postgres://u:p@127.0.0.1/logs' });
  expect((await state()).problems).toEqual([]);
  isUnavailable = true;
  await call('retention', { age: 1e12, size: 1e9 });
  await expect.poll(async () => (await state()).problems).toEqual(['Records wait in the spool: the server is away']);
});

it.each([
  [true, 0],
  [false, 1],
])('does not close an unavailable database during a migration, and reopens it otherwise: %s', async (isMigrationRun, times) => {
  [isUnavailable, isMigrating, closed] = [true, isMigrationRun, 0];
  start({ kind: 'postgres', url: 'postgres://u:p@127.0.0.1/logs' });
  await call('retention', { age: 1e12, size: 1e9 });
  await expect.poll(async () => (await state()).problems).toEqual(['Records wait in the spool: the server is away']);
  expect(closed).toBe(times);
});

it('reports that the log of the database was damaged', async () => {
  const path = join(dir, 'log.sqlite');
  await openSqliteStore(path).close();
  writeFileSync(`${path}-wal`, Buffer.alloc(50_000, 7));
  start({ kind: 'sqlite', path });
  await expect.poll(async () => (await state()).problems).toEqual([expect.stringContaining('may be missing')]);
});

it.each([
  ['zeros after a power failure', Buffer.alloc(5000), 5000],
  ['bytes that are not a record', Buffer.from(`{"v":2,\n${'x'.repeat(991)}\n`), 1000],
  ['an incomplete frame of a killed process, which is not counted', Buffer.from('{"v":2,"kind":["half'), 0],
])('reports how many bytes of the spool it skipped: %s', async (_, bytes, damaged) => {
  append('req_1');
  appendFileSync(join(spoolDir(), listSegments(spoolDir()).at(-1) ?? ''), bytes);
  append('req_2');
  start({ kind: 'sqlite', path: join(dir, 'log.sqlite') });
  await expect.poll(async () => [(await state()).records, listSegments(spoolDir()).length]).toEqual([2, 1]);
  expect((await state()).problems).toEqual(
    damaged === 0 ? [] : [`The spool was damaged: ${damaged} bytes of it are not records and were skipped.`],
  );
});
