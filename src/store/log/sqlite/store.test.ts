import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyRecord } from '../../../core/records/empty.ts';
import type { LogRecord } from '../../../core/records/record.ts';
import { encodeRecord } from '../../encode.ts';
import { sampleRecord, wholeSlice } from '../../fixtures/sample.ts';
import type { Batch, StoredEntry } from '../log-store.ts';
import { rowOf } from '../stored-row.ts';
import { createQueries } from '../queries/index.ts';
import { blockRecords } from './blocks.ts';
import { isCorruptionError } from '../../damage/damaged-file.ts';
import { openForReading } from './open.ts';
import { migrate, migrations } from './migrations.ts';
import { createSqliteSource } from './source.ts';
import { openSqliteStore, type SqliteStore } from './store.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 10, 20);
let dir: string;
let path: string;
let store: SqliteStore;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sqlite-'));
  path = join(dir, 'log.sqlite');
  store = openSqliteStore(path);
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

function entry(id: string, extra: Partial<LogRecord> = {}): StoredEntry {
  const record = {
    ...emptyRecord,
    v: 1,
    admitted: true,
    id,
    at: start,
    trace: { ...emptyRecord.trace, trace_id: `t-${id}` },
    ...extra,
  } as LogRecord;
  const frame = Buffer.from(`${encodeRecord(record, {}).line}\n\n`);
  return { row: rowOf(record), record, bodies: {}, slice: wholeSlice(frame) };
}

const batch = (records: readonly StoredEntry[], extra: Partial<Batch> = {}): Batch => ({
  records,
  amendments: [],
  positions: [],
  deletedSegments: [],
  ...extra,
});

const count = (table: string): number => (store.db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;

async function retainUntilDone(retention: Parameters<SqliteStore['retain']>[0], now: number): Promise<void> {
  while (await store.retain(retention, now));
}

describe('SqliteStore.write()', () => {
  it('stores a batch and its positions, and ignores the same batch written again', async () => {
    const repeatedBatch = batch([entry('a'), entry('b')], { positions: [{ segment: 's1', offset: 77 }] });
    await store.write(repeatedBatch);
    await store.write(repeatedBatch);
    expect([count('requests'), count('blocks'), [...(await store.positions())]]).toEqual([2, 1, [['s1', 77]]]);
    expect(store.db.prepare("SELECT requests FROM buckets WHERE dim = 'all'").get()).toEqual({ requests: 2 });
    await store.write(batch([], { deletedSegments: ['s1'] }));
    expect([...(await store.positions())]).toEqual([]);
  });

  it('stores the records of a batch in blocks without storing a record twice', async () => {
    await store.write(batch(Array.from({ length: 2 * blockRecords + 1 }, (_, n) => entry(`r${n}`))));
    const blocks = store.db.prepare('SELECT block, count(*) AS n, min(start) AS start FROM requests GROUP BY block ORDER BY block').all();
    expect(blocks.map(({ n, start }) => [n, start])).toEqual([
      [blockRecords, 0],
      [blockRecords, 0],
      [1, 0],
    ]);
    expect(count('blocks')).toBe(3);
  });

  it('stores all of a batch or nothing', async () => {
    const tornEntry = { ...entry('b'), row: null as unknown as StoredEntry['row'] };
    await expect(store.write(batch([entry('a'), tornEntry], { positions: [{ segment: 's1', offset: 5 }] }))).rejects.toThrow('null');
    expect([count('requests'), count('tags'), [...(await store.positions())]]).toEqual([0, 0, []]);
    await store.write(batch([entry('a')]));
    expect(count('requests')).toBe(1);
  });

  it('stores each record of the same millisecond, also after a restart', async () => {
    for (let round = 0; round < 3; round += 1) {
      await store.write(batch(Array.from({ length: 40 }, (_, i) => entry(`${round}-${i}`))));
      await store.close();
      store = openSqliteStore(path);
    }
    expect(count('requests')).toBe(120);
  });

  it('applies an amendment to a record of the same batch or of an earlier one', async () => {
    const end = { end: 'client_gone' as const, total: 99, out: 7 };
    await store.write(batch([entry('a')]));
    await store.write(
      batch([entry('b')], {
        amendments: [
          { id: 'a', end },
          { id: 'b', end },
          { id: 'unknown', end },
        ],
      }),
    );
    const queries = createQueries(createSqliteSource(openForReading(path)), () => start + day);
    for (const id of ['a', 'b']) {
      expect((await queries.get(id))?.record).toMatchObject({ end: 'client_gone', ms: { total: 99 }, bytes: { out: 7 } });
    }
    expect((await queries.search({ query: 'end:client_gone', limit: 10 })).rows).toHaveLength(2);
    await queries.close();
  });
});

it('runs a long query in parts and can end it between two parts', async () => {
  const rows = Array.from({ length: 40 }, (_, i) => entry(`r${i}`, { at: start + i * (day / 8) }));
  await store.write(batch(rows));
  const queries = (afterPart: () => Promise<void>): ReturnType<typeof createQueries> =>
    createQueries({ ...createSqliteSource(openForReading(path)), checkTimeLimit: afterPart }, () => start + 5 * day);
  const slowQueries = [
    (queries) => queries.search({ query: 'agent:nobody', limit: 10 }),
    (queries) => queries.trace('nobody'),
    (queries) => queries.stats({ query: 'latency:>1h' }),
    (queries) => queries.stats({ query: '', by: 'model' }),
    (queries) => queries.names(),
  ] satisfies ((queries: ReturnType<typeof createQueries>) => Promise<unknown>)[];
  let parts = 0;
  const countingQueries = queries(async () => void (parts += 1));
  const abortedQueries = queries(() => Promise.reject(new Error('its time is over')));
  for (const query of slowQueries) {
    parts = 0;
    await query(countingQueries);
    expect(parts).toBeGreaterThan(5);
    await expect(query(abortedQueries)).rejects.toThrow('its time is over');
  }
  await Promise.all([countingQueries.close(), abortedQueries.close()]);
});

describe('SqliteStore.retain()', () => {
  const retention = { age: 14 * day, size: 1e9 };

  it('deletes records that are too old together with their blocks, tags, texts and buckets', async () => {
    await store.write(batch(Array.from({ length: 200 }, (_, i) => entry(`old-${i}`, { metadata: { user: `u${i}` } }))));
    await store.write(batch([entry('new', { at: start + 10 * day, metadata: { user: 'new' } })]));
    while (await store.index('all'));
    await retainUntilDone(retention, start + 20 * day);
    expect(['requests', 'blocks', 'tags', 'texts'].map(count)).toEqual([1, 1, 1, 1]);
    expect(store.db.prepare('SELECT DISTINCT minute FROM buckets').all()).toHaveLength(1);
  });

  it('deletes old records that are stored after blocks of records with a later time', async () => {
    for (let i = 0; i < 12; i += 1) await store.write(batch([entry(`ahead-${i}`, { at: start + 100 * day })]));
    await store.write(batch([entry('old')]));
    await retainUntilDone(retention, start + 20 * day);
    expect([count('requests'), store.db.prepare("SELECT id FROM requests WHERE id = 'old'").get()]).toEqual([12, undefined]);
  });

  it('keeps the file within its size limit', async () => {
    const size = 2 * 1024 * 1024;
    for (let round = 0; round < 60; round += 1) {
      await store.write(
        batch(
          Array.from({ length: 100 }, (_, i) =>
            entry(`${round}-${i}`, { at: start + round * 1000 + i, preview: randomBytes(300).toString('hex') }),
          ),
        ),
      );
      await retainUntilDone({ ...retention, size }, start + day);
    }
    expect(statSync(path).size).toBeLessThan(size * 1.3);
    const { oldest } = await store.size();
    expect(oldest).toBeGreaterThan(start);
    expect(store.db.prepare("SELECT 1 AS found FROM requests WHERE id = '59-99'").get()).toEqual({ found: 1 });
  });

  it.each([
    [
      'buckets of many minutes',
      async () => {
        for (let minute = 0; minute < 6000; minute += 500)
          await store.write(
            batch(
              Array.from({ length: 500 }, (_, i) =>
                entry(`r${minute + i}`, { at: start + (minute + i) * 60_000, preview: randomBytes(150).toString('hex') }),
              ),
            ),
          );
      },
    ],
    [
      'many feedback entries',
      async () => {
        await store.write(batch([entry('r5999', { at: start + day })]));
        for (let i = 0; i < 3000; i += 1)
          await store.feedback({
            id: `f${i}`,
            trace_id: 't',
            value: 1,
            weight: null,
            metadata: { why: randomBytes(300).toString('hex') },
            at: start + i,
          });
      },
    ],
  ])('keeps the newest records and the file within its size limit with %s', async (_, fill) => {
    await fill();
    const size = 1024 * 1024;
    await retainUntilDone({ ...retention, size }, start + 10 * day);
    expect((await store.size()).bytes).toBeLessThan(size * 1.1);
    expect(store.db.prepare("SELECT 1 AS found FROM requests WHERE id = 'r5999'").get()).toEqual({ found: 1 });
    expect(count('buckets')).toBeGreaterThan(0);
  });

  it('returns the space of large bodies to the file system before it ends', async () => {
    const size = 4 * 1024 * 1024;
    for (let i = 0; i < 10; i += 1)
      await store.write(batch([entry(`r${i}`, { at: start + i, preview: randomBytes(1024 * 1024).toString('hex') })]));
    await retainUntilDone({ ...retention, size }, start + day);
    expect((await store.size()).bytes).toBeLessThanOrEqual(size);
  });

  it('deletes records beyond the row limit, also within a block', async () => {
    await store.write(batch(Array.from({ length: 640 }, (_, i) => entry(`r${i}`, { at: start + i }))));
    await retainUntilDone({ ...retention, rows: 300 }, start + day);
    expect(count('requests')).toBeGreaterThan(200);
    expect(count('requests')).toBeLessThanOrEqual(300);
  });

  it('tracks the number of rows without counting them', async () => {
    const isIndexComplete = async (): Promise<boolean> => (await store.size()).records === count('requests');
    const entries = Array.from({ length: 200 }, (_, i) => entry(`r${i}`, { at: start + i }));
    await store.write(batch([...entries, ...entries.slice(0, 50)]));
    expect([await isIndexComplete(), count('requests')]).toEqual([true, 200]);
    await store.close();
    store = openSqliteStore(path);
    await store.write(batch([entry('new', { at: start + 10 * day }), entry('r1')]));
    expect([await isIndexComplete(), count('requests')]).toEqual([true, 201]);
    await retainUntilDone(retention, start + 20 * day);
    expect([await isIndexComplete(), count('requests')]).toEqual([true, 1]);
  });
});

it('finds words of new records after all others were deleted and the file was reopened', async () => {
  const needleEntry = (id: string, at: number): StoredEntry => entry(id, { at, preview: 'a needle' });
  for (let i = 0; i < 3; i += 1) await store.write(batch([needleEntry(`old-${i}`, start)]));
  while (await store.index('all'));
  await retainUntilDone({ age: day, size: 1e9 }, start + 5 * day);
  expect(count('blocks')).toBe(0);
  await store.close();
  store = openSqliteStore(path);
  await store.write(batch([needleEntry('new', start + 5 * day)]));
  const queries = createQueries(createSqliteSource(openForReading(path)), () => start + 5 * day);
  const searchIds = async (): Promise<readonly string[]> => (await queries.search({ query: 'needle', limit: 9 })).rows.map(({ id }) => id);
  expect(await searchIds()).toEqual(['new']);
  while (await store.index('all'));
  expect(await searchIds()).toEqual(['new']);
  await queries.close();
});

it('shows the columns of a block with damaged bytes that SQLite does not detect', async () => {
  const manyEntries = (name: string): StoredEntry[] =>
    Array.from({ length: blockRecords }, (_, i) => entry(`${name}-${i}`, { preview: `needle ${randomBytes(100).toString('hex')}` }));
  await store.write(batch([...manyEntries('damaged'), ...manyEntries('good')]));
  const { bytes } = store.db.prepare('SELECT bytes FROM blocks WHERE block = 1').get() as { bytes: Uint8Array };
  store.db.prepare('UPDATE blocks SET bytes = ? WHERE block = 1').run(bytes.fill(0, 100));
  const queries = createQueries(createSqliteSource(openForReading(path)), () => start);
  const countMatches = async (query: string): Promise<number> => (await queries.search({ query, limit: 500 })).rows.length;
  expect([await countMatches(''), await countMatches('needle')]).toEqual([2 * blockRecords, blockRecords]);
  expect((await queries.get('damaged-1'))?.record).toMatchObject({ id: 'damaged-1', preview: null });
  while (await store.index('all'));
  expect(await countMatches('needle')).toBe(blockRecords);
  await queries.close();
});

it('indexes words while records arrive only if many records wait to be indexed', async () => {
  const indexed = (): number => (store.db.prepare('SELECT count(*) AS n FROM texts').get() as { n: number }).n;
  for (let i = 0; i < 1024; i += 1) await store.write(batch([entry(`r${i}`)]));
  expect([await store.index('many'), indexed()]).toEqual([false, 0]);
  await store.write(batch([entry('one more')]));
  expect(await store.index('many')).toBe(true);
  expect(indexed()).toBe(16);
  expect([await store.index('many'), indexed()]).toEqual([false, 16]);
  expect(await store.index('all')).toBe(true);
  expect(indexed()).toBe(32);
});

describe('SQLite database file', () => {
  it('migrates from version 1 to the latest version with its records', async () => {
    const oldPath = join(dir, 'old.sqlite');
    copyFileSync(new URL('fixtures/version-1.sqlite', import.meta.url), oldPath);
    const migrated = openSqliteStore(oldPath);
    const queries = createQueries(createSqliteSource(openForReading(oldPath)), () => start + day);
    expect((await queries.search({ query: '', limit: 10 })).rows.map(({ id }) => id)).toEqual(['req_b', 'req_a']);
    expect((await queries.get('req_a'))?.record.metadata).toEqual({ user: 'u42' });
    await queries.close();
    expect(migrated.db.prepare('PRAGMA user_version').get()).toEqual({ user_version: migrations.length });
    await migrated.write(batch([entry('c')]));
    await migrated.close();
  });

  it('migrates from version 2 and counts only retries of the same target, in rows and buckets', async () => {
    const oldPath = join(dir, 'old.sqlite');
    copyFileSync(new URL('fixtures/version-2.sqlite', import.meta.url), oldPath);
    await openSqliteStore(oldPath).close();
    const queries = createQueries(createSqliteSource(openForReading(oldPath)), () => start + day);
    const retries = async (query: string): Promise<unknown> => (await queries.stats({ query })).total.retries;
    const retryCounts = await Promise.all(['a', 'aa', 'aaa', 'ab', 'aab'].map((targets) => retries(`id:req_${targets}`)));
    expect(retryCounts).toEqual([0, 1, 2, 0, 1]);
    expect(await retries('')).toBe(4);
    expect((await queries.search({ query: 'retries:>0', limit: 10 })).rows.map((row) => row.retries)).toEqual([1, 2, 1]);
    await queries.close();
  });

  it('migrates from version 3 and finds span names of older and newer records', async () => {
    const oldPath = join(dir, 'old.sqlite');
    copyFileSync(new URL('fixtures/version-3.sqlite', import.meta.url), oldPath);
    const migrated = openSqliteStore(oldPath);
    const trace = { trace_id: 't', span_id: 's-3', parent: 's-2', span_name: 'Read', traceparent: null };
    await migrated.write(batch([entry('req_read', { at: start + 5000, trace })]));
    await migrated.close();
    const queries = createQueries(createSqliteSource(openForReading(oldPath)), () => start + day);
    const names = (await queries.trace('t')).map(({ span, span_name: name, parent }) => [span, name, parent]);
    expect(names).toEqual([
      ['s-1', 'Plan', null],
      ['s-2', 'Search', 's-1'],
      [null, null, null],
      ['s-3', 'Read', 's-2'],
    ]);
    expect((await queries.search({ query: 'span_name:*', limit: 10 })).rows.map(({ id }) => id)).toEqual(['req_read']);
    await queries.close();
  });

  it('migrates from version 4 and deletes an old record stored after a newer one', async () => {
    const oldPath = join(dir, 'old.sqlite');
    copyFileSync(new URL('fixtures/version-4.sqlite', import.meta.url), oldPath);
    const migrated = openSqliteStore(oldPath);
    while (await migrated.retain({ age: day, size: 1e9 }, start + 20 * day));
    expect(migrated.db.prepare('SELECT id FROM requests').all()).toEqual([{ id: 'req_0' }]);
    await migrated.close();
  });

  it('migrates from version 5 and counts requests by the reason of their retries, older ones as without', async () => {
    const oldPath = join(dir, 'old.sqlite');
    copyFileSync(new URL('fixtures/version-5.sqlite', import.meta.url), oldPath);
    const migrated = openSqliteStore(oldPath);
    const attempts = [429, 200].map((status, n) => ({ ...sampleRecord().attempts[0]!, n, status }));
    await migrated.write(batch([entry('req_retried', { at: start + day, attempts }), entry('req_once', { at: start + day })]));
    await migrated.close();
    const queries = createQueries(createSqliteSource(openForReading(oldPath)), () => start + 2 * day);
    const { groups, series } = await queries.stats({ query: '', by: 'reason', step: 86_400 });
    expect(groups.map(({ name, requests, retries, fallbacks }) => [name, requests, retries, fallbacks])).toEqual([
      [null, 4, 0, 1],
      ['429', 1, 1, 0],
    ]);
    expect(series.map(({ requests, by }) => [requests, by['429']?.requests])).toContainEqual([2, 1]);
    expect((await queries.search({ query: 'reason:*', limit: 10 })).rows.map(({ id }) => id)).toEqual(['req_retried']);
    await queries.close();
  });

  it('migrates from version 6 and takes the spending of keys from the figures', async () => {
    const oldPath = join(dir, 'old.sqlite');
    copyFileSync(new URL('fixtures/version-6.sqlite', import.meta.url), oldPath);
    const migrated = openSqliteStore(oldPath);
    const cost = { usd: '0.5', source: null, prices: {} };
    await migrated.write(batch([entry('req_new', { at: start + day, key: 'app', cost })]));
    await migrated.close();
    const queries = createQueries(createSqliteSource(openForReading(oldPath)), () => start + 2 * day);
    const today = start / day;
    expect(await queries.spent(today + 1)).toEqual({ app: { cost_usd: '2.5', unpriced: 1 } });
    expect(Object.entries(await queries.spent(today)).map(([key, { cost_usd: usd, unpriced }]) => [key, usd, unpriced])).toEqual([
      ['high', '9223372.036854775807', 0],
      ['__proto__', '6', 0],
      ['~other', '4', 0],
      ['app', '3.750000000001', 1],
      ['other', '3', 0],
    ]);
    await queries.close();
  });

  it('returns the spending of the 10,000 keys with the highest costs, or of all that are named', async () => {
    store.db.exec(`INSERT INTO spending (day, key, cost, unpriced)
      WITH RECURSIVE keys(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM keys WHERE n <= 10000) SELECT 1, 'key-' || n, n, 0 FROM keys`);
    const queries = createQueries(createSqliteSource(openForReading(path)), () => start);
    const spent = await queries.spent(0);
    expect([Object.keys(spent).length, 'key-1' in spent, 'key-10001' in spent]).toEqual([10_000, false, true]);
    expect(Object.keys(await queries.spent(0, [...Object.keys(spent), 'key-1']))).toHaveLength(10_001);
    await queries.close();
  });

  it('rejects a file of a later version', () => {
    store.db.exec(`PRAGMA user_version = ${migrations.length + 1}`);
    expect(() => openSqliteStore(path)).toThrow(/supports versions up to/);
  });

  it('rolls back a migration step that fails', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('CREATE TABLE requests (attempts, fallback); PRAGMA user_version = 2');
    expect(() => migrate(db)).toThrow('no such table: buckets');
    expect(db.isTransaction).toBe(false);
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 });
    expect(() => db.prepare('SELECT retries FROM requests')).toThrow('no such column');
    db.close();
  });

  it.each([
    [11, true],
    [26, true],
    [267, true],
    [13, false],
    [5, false],
    [undefined, false],
  ])('isCorruptionError() classifies SQLite error %s: %s', (errcode, damaged) => {
    expect(isCorruptionError(Object.assign(new Error('x'), { errcode }))).toBe(damaged);
  });
});
