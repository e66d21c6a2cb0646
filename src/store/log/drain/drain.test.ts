import { mkdtempSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LogRecord } from '../../../core/records/record.ts';
import { sampleRecord } from '../../fixtures/sample.ts';
import { encodeRecord } from '../../encode.ts';
import { listSegments, openSpool } from '../../spool.ts';
import type { Batch } from '../log-store.ts';
import { openSqliteStore, type SqliteStore } from '../sqlite/store.ts';
import { inMemory } from '../sqlite/open.ts';
import { SpoolDrain } from './drain.ts';

vi.mock(import('../../spool.ts'), async (importOriginal) => {
  const actual = await importOriginal();
  return { ...actual, listSegments: vi.fn<typeof actual.listSegments>(actual.listSegments) };
});

let dir: string;
let store: SqliteStore;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'drain-'));
  store = openSqliteStore(inMemory);
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

it('reports how many records of a partly stored segment it stored if the segment is evicted', async () => {
  const spool = openSpool({ dir, maxTotal: 1e9, maxSegment: 1e9 });
  const frames = Array.from({ length: 3000 }, (_, i) => encodeRecord(sampleRecord({ id: `req_${i}`, at: 1_795_253_467_000 + i }), {}));
  spool.append(frames);
  const drain = new SpoolDrain(dir);
  expect(await drain.step(store)).toBe('more');
  expect(drain.storedFramesOfEvicted()).toEqual({});
  const [segment = ''] = listSegments(dir);
  unlinkSync(join(dir, segment));
  const { records } = await store.size();
  expect(records).toBeGreaterThan(0);
  expect(records).toBeLessThan(frames.length);
  expect(drain.storedFramesOfEvicted()).toEqual({ [segment]: records });
  spool.close();
});

it('stores the other records of a batch if the database rejects some for their content', async () => {
  const spool = openSpool({ dir, maxTotal: 1e9 });
  spool.append(Array.from({ length: 9 }, (_, i) => encodeRecord(sampleRecord({ id: `req_${i}` }), {})));
  let code = '57P01';
  const strict = Object.assign(Object.create(store) as SqliteStore, {
    write: (batch: Batch) =>
      batch.records.some(({ row }) => row.id === 'req_3' || row.id === 'req_8')
        ? Promise.reject(Object.assign(new Error('no such text'), { code }))
        : store.write(batch),
  });
  const drain = new SpoolDrain(dir);
  await expect(drain.step(strict)).rejects.toThrow('no such text');
  expect(drain.rejected.count).toBe(0);
  code = '22P05';
  // The database fails before the position in the segment is stored.
  const faultyStore = Object.assign(Object.create(strict) as SqliteStore, {
    write: (batch: Batch) =>
      batch.records.length === 0 ? Promise.reject(Object.assign(new Error('going'), { code: '57P01' })) : strict.write(batch),
  });
  await expect(drain.step(faultyStore)).rejects.toThrow('going');
  expect(await drain.step(strict)).toBe('last');
  expect(drain.rejected).toEqual({ count: 2, why: 'no such text' });
  expect((await store.size()).records).toBe(7);
  expect(await drain.step(strict)).toBe('idle');
  expect(drain.pendingBytes()).toBe(0);
  spool.close();
});

it('leaves records that arrive while it stores a batch to a later one', async () => {
  const spool = openSpool({ dir, maxTotal: 1e9 });
  const append = (id: string): void => spool.append([encodeRecord(sampleRecord({ id }), {})]);
  const sizes: number[] = [];
  const busyStore = Object.assign(Object.create(store) as SqliteStore, {
    write: (batch: Batch) => {
      sizes.push(batch.records.length);
      append(`req_${sizes.length}`);
      return store.write(batch);
    },
  });
  const drain = new SpoolDrain(dir);
  append('req_0');
  expect(await drain.step(busyStore)).toBe('last');
  for (let more = 0; more < 3; more += 1) append(`req_more_${more}`);
  expect(await drain.step(busyStore)).toBe('last');
  expect(sizes).toEqual([1, 4]);
  spool.close();
});

it('stores the other records if one record can be decoded only up to its row', async () => {
  const spool = openSpool({ dir, maxTotal: 1e9 });
  spool.append(Array.from({ length: 3 }, (_, i) => encodeRecord(sampleRecord({ id: `req_${i}` }), {})));
  spool.close();
  const path = join(dir, listSegments(dir)[0] ?? '');
  const bytes = readFileSync(path);
  bytes.write('\u0001', bytes.indexOf('"messages":[[{', bytes.indexOf('req_1')) + '"messages":[['.length + 1);
  writeFileSync(path, bytes);
  // Postgres reads the whole record, too.
  const readingStore = Object.assign(Object.create(store) as SqliteStore, {
    write: async (batch: Batch) => {
      for (const { record } of batch.records) expect(record.request.headers).toBeDefined();
      await store.write(batch);
    },
  });
  const drain = new SpoolDrain(dir);
  expect(await drain.step(readingStore)).toBe('last');
  expect(drain.rejected.count).toBe(1);
  expect((await store.size()).records).toBe(2);
});

it.each([
  ['in an error', { error: { code: 'timeout', source: 'gateway', message: 7 } }],
  ['in a name', { provider: 7 }],
  ['in place of a required value', { end: null }],
  ['that SQLite does not have', { end: {} }],
])('stores the other records if one record has a value of another type %s', async (_, changed) => {
  const spool = openSpool({ dir, maxTotal: 1e9 });
  const damaged = sampleRecord({ id: 'req_1', ...(changed as Partial<LogRecord>) });
  spool.append([sampleRecord({ id: 'req_0' }), damaged, sampleRecord({ id: 'req_2' })].map((record) => encodeRecord(record, {})));
  spool.close();
  const drain = new SpoolDrain(dir);
  while ((await drain.step(store)) === 'more');
  expect(store.db.prepare('SELECT id FROM requests ORDER BY id').all()).toEqual([{ id: 'req_0' }, { id: 'req_2' }]);
  expect([drain.rejected.count, drain.pendingBytes()]).toEqual([1, 0]);
});

/** Writes segments of one record each, as a gateway does that is restarted while its database is away. */
function writeSegments(from: number, to: number): void {
  for (let n = from; n < to; n++) {
    const spool = openSpool({ dir, maxTotal: 1e9, startedAt: n, pid: maxPid + n });
    spool.append([encodeRecord(sampleRecord({ id: `req_${n}` }), {})]);
    spool.close();
  }
}

/** Above the process ids of all systems. */
const maxPid = 4_200_000;

it('lists the segments once for many steps', async () => {
  writeSegments(1, 101);
  const drain = new SpoolDrain(dir);
  vi.mocked(listSegments).mockClear();
  while ((await drain.step(store)) === 'more');
  expect(vi.mocked(listSegments).mock.calls.length).toBeLessThan(10);
  expect((await store.size()).records).toBe(100);
  expect(listSegments(dir)).toHaveLength(1);
});

it('stores segments that were added, deleted or lost their bodies after it listed them', async () => {
  writeSegments(1, 6);
  const drain = new SpoolDrain(dir);
  expect(await drain.step(store)).toBe('more');
  const [, second = '', third = ''] = listSegments(dir);
  renameSync(join(dir, second), join(dir, second.replace('.log', '.bare.log')));
  unlinkSync(join(dir, third));
  writeSegments(6, 8);
  while ((await drain.step(store)) === 'more');
  const ids = store.db.prepare('SELECT id FROM requests ORDER BY id').all();
  expect(ids.map(({ id }) => id)).toEqual(['req_1', 'req_2', 'req_4', 'req_5', 'req_6', 'req_7']);
  expect(drain.pendingBytes()).toBe(0);
});

it('keeps no count of finished segments, only of the newest one', async () => {
  for (const startedAt of [1, 2]) {
    const spool = openSpool({ dir, maxTotal: 1e9, startedAt });
    spool.append([encodeRecord(sampleRecord({ id: `req_${startedAt}` }), {})]);
    spool.close();
  }
  const drain = new SpoolDrain(dir);
  while ((await drain.step(store)) === 'more');
  const [lastSegment = ''] = listSegments(dir);
  unlinkSync(join(dir, lastSegment));
  expect(drain.storedFramesOfEvicted()).toEqual({ [lastSegment]: 1 });
});

it('stores records written after a failed partial write, even if it read the partial frame', async () => {
  let freeBytes = 4000;
  let pendingRead: Promise<unknown> | undefined;
  const drain = new SpoolDrain(dir);
  expect(await drain.step(store)).toBe('idle');
  const spool = openSpool({
    dir,
    maxTotal: 1e9,
    write: (fd, bytes, offset, length) => {
      if (freeBytes > 0) {
        freeBytes -= length;
        return writeSync(fd, bytes, offset, Math.min(length, 4000));
      }
      // The thread that stores records may read the segment before it is truncated.
      pendingRead ??= drain.step(store);
      throw new Error('the disk is full');
    },
  });
  const append = (ids: readonly string[]): void => spool.append(ids.map((id) => encodeRecord(sampleRecord({ id }), {})));
  append(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(await pendingRead).toBe('last');
  freeBytes = 1e9;
  append(['g']);
  append(['h']);
  spool.close();
  while ((await drain.step(store)) === 'more');
  expect(store.db.prepare("SELECT id FROM requests WHERE id IN ('g', 'h')").all()).toHaveLength(2);
});
