import { expect, it } from 'vitest';
import { encodeRecord } from '../../encode.ts';
import { sampleRecord, wholeSlice } from '../../fixtures/sample.ts';
import type { StoredEntry } from '../log-store.ts';
import { inMemory } from '../sqlite/open.ts';
import { createSqliteSource } from '../sqlite/source.ts';
import { openSqliteStore } from '../sqlite/store.ts';
import { rowOf } from '../stored-row.ts';
import { createQueries } from './index.ts';

const start = Date.UTC(2026, 10, 20, 10);

function entry(i: number): StoredEntry {
  const ms = { total: 10 + i * 7, first_event: 5 + i, overhead: 1 + i };
  const record = sampleRecord({ id: `req_${i}`, at: start + i, metadata: { user: `u${i % 20}` }, labels: {}, ms });
  return { row: rowOf(record), record, bodies: {}, slice: wholeSlice(Buffer.from(`${encodeRecord(record, {}).line}\n\n`)) };
}

it('statistics that add up records read one row per group', async () => {
  const store = openSqliteStore(inMemory);
  const records = Array.from({ length: 60 }, (_, i) => entry(i));
  await store.write({ records, amendments: [], positions: [], deletedSegments: [] });
  const source = createSqliteSource(store.db);
  let rows = 0;
  const all: typeof source.all = async (sql, parameters) => {
    const found = await source.all(sql, parameters);
    rows = Math.max(rows, found.length);
    return found;
  };
  const queries = createQueries({ ...source, all }, () => start + 1000);
  const { total, groups } = await queries.stats({ query: 'status:200', by: 'meta.user' });
  expect([total.requests, groups.length, rows]).toEqual([60, 20, 20]);
  await queries.close();
});
