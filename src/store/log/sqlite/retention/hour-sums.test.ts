import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LogRecord } from '../../../../core/records/record.ts';
import { encodeRecord } from '../../../encode.ts';
import { sampleRecord, wholeSlice } from '../../../fixtures/sample.ts';
import { createQueries } from '../../queries/index.ts';
import { rowOf } from '../../stored-row.ts';
import { openForReading } from '../open.ts';
import { createSqliteSource } from '../source.ts';
import { openSqliteStore, type SqliteStore } from '../store.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.UTC(2026, 10, 20, 10, 30);
const end = start + 4 * day;
const keepAll = { age: 1000 * day, size: 1e12 };
let dir: string;
let path: string;
let store: SqliteStore;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hours-'));
  path = join(dir, 'log.sqlite');
  store = openSqliteStore(path);
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

async function addRecords(times: readonly number[], extra: Partial<LogRecord> = {}): Promise<void> {
  const records = times.map((at) => {
    const record = sampleRecord({ id: `req_${at}`, at, ...extra });
    const slice = wholeSlice(Buffer.from(`${encodeRecord(record, {}).line}\n\n`));
    return { row: rowOf(record), record, bodies: {}, slice };
  });
  await store.write({ records, amendments: [], positions: [], deletedSegments: [] });
}

async function sumUp(now: number): Promise<void> {
  while (await store.retain(keepAll, now));
}

const hourly = (): number[] =>
  store.db
    .prepare("SELECT minute / 60 AS hour FROM buckets WHERE dim = 'hours:model' ORDER BY minute")
    .all()
    .map((row) => (Number(row['hour']) * hour - Date.UTC(2026, 10, 20)) / hour);

async function statsOf(file: string, now: number): Promise<{ readonly result: unknown; readonly minutesRead: readonly string[] }> {
  const source = createSqliteSource(openForReading(file));
  const read: string[] = [];
  const all: typeof source.all = (sql, parameters) => {
    if (sql.startsWith('SELECT b.dim')) read.push(String(parameters[0]));
    return source.all(sql, parameters);
  };
  const queries = createQueries({ ...source, all, checkTimeLimit: async () => {} }, () => now);
  const result = await queries.stats({ query: '', by: 'model', step: 3600 });
  await queries.close();
  return { result, minutesRead: read };
}

it('sums up hours that are over, except the first, and again those of late records', async () => {
  await addRecords([start, start + hour, start + 2 * hour, end]);
  await sumUp(start + 2 * hour);
  expect(hourly()).toEqual([11]);
  await addRecords([start + hour + 60_000]);
  await sumUp(end + hour);
  const requests = "SELECT minute, requests FROM buckets WHERE dim = 'hours:all' ORDER BY minute";
  expect(
    store.db
      .prepare(requests)
      .all()
      .map(({ requests: n }) => n),
  ).toEqual([2, 1, 1]);
});

it('sums up old hours again once a day', async () => {
  await addRecords([start, start + hour, end]);
  await sumUp(end);
  const requests = (): unknown => store.db.prepare("SELECT requests FROM buckets WHERE dim = 'hours:all'").all()[0]?.['requests'];
  await addRecords([start + hour + 1]);
  await sumUp(end + 2 * hour);
  expect(requests()).toBe(1);
  await sumUp(end + day);
  expect(requests()).toBe(2);
});

it('reads the sums of hours for a long range', async () => {
  await addRecords(Array.from({ length: 96 }, (_, i) => start + i * hour));
  const before = await statsOf(path, end);
  expect(before.minutesRead).not.toContain('hours:model');
  await sumUp(end);
  const after = await statsOf(path, end);
  expect(after.minutesRead).toContain('hours:model');
  expect(after.result).toEqual(before.result);
});

it('stores the sums of all dimensions of an hour or none', async () => {
  await addRecords([start, start + hour, end]);
  store.db.exec(`CREATE TEMP TRIGGER fails BEFORE INSERT ON buckets WHEN new.dim = 'hours:model' BEGIN SELECT raise(ABORT, 'full'); END`);
  await expect(sumUp(end)).rejects.toThrow('full');
  expect(store.db.prepare("SELECT 1 FROM buckets WHERE dim LIKE 'hours:%'").all()).toEqual([]);
  store.db.exec('DROP TRIGGER fails');
  await sumUp(end + day);
  expect(hourly()).toHaveLength(2);
});

it('deletes the sums of an hour together with its first minute, and does not sum it up again', async () => {
  await addRecords(Array.from({ length: 60 }, (_, i) => start + i * 10 * 60_000));
  await sumUp(end);
  expect(hourly()).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  const retention = { age: day, size: 1e12 };
  const now = start + day + 3 * hour;
  while (await store.retain(retention, now));
  expect(hourly()).toEqual([14, 15, 16, 17, 18, 19, 20]);
  while (await store.retain(retention, now + hour));
  expect(hourly()).toEqual([15, 16, 17, 18, 19, 20]);
});

it('leaves an hour to its minutes if its cost is too high for a column', async () => {
  const times = Array.from({ length: 12 }, (_, i) => start + hour + i * 120_000);
  await addRecords([start, ...times], { cost: { usd: '999999', source: null, prices: {} } });
  await sumUp(end);
  expect(hourly()).toEqual([]);
});

it('sums up the hours of a file of an earlier version', async () => {
  const oldPath = join(dir, 'old.sqlite');
  copyFileSync(new URL('../fixtures/version-4.sqlite', import.meta.url), oldPath);
  const old = openSqliteStore(oldPath);
  const now = start + 60 * day;
  const before = await statsOf(oldPath, now);
  while (await old.retain(keepAll, now));
  const after = await statsOf(oldPath, now);
  expect(after.minutesRead).toContain('hours:model');
  expect(after.result).toEqual(before.result);
  await old.close();
});
