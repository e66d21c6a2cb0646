import { expect, it } from 'vitest';
import { sampleRecord } from '../../fixtures/sample.ts';
import { rowOf, type StoredRow } from '../stored-row.ts';
import { commonColumns, commonValuesOf, haveSameCommonValues, rowColumns, rowValuesOf } from './columns.ts';
import { RowInserter } from './insert.ts';
import { inMemory, openForWriting } from './open.ts';

const plainRow = rowOf(sampleRecord());

/** Values that rows of one kind have in common. */
const kinds: readonly Partial<StoredRow>[] = [
  {},
  { key: "o'clock'", model: "'); DROP TABLE requests; --" },
  { reason: 'timeout' },
  { agent: '日本 "é"', stream: !plainRow.stream, fallback: !plainRow.fallback },
  { agent: 'x'.repeat(300) },
  { config: null, provider: null, model: null, key: null, virtual_key: null, agent: null },
  { status: 504, error: 'timeout', end: 'fault', attempts: 3, retries: 2 },
  { guardrail: 'denied', prompt: 'greet', virtual_key: 'v', cache: 'HIT', endpoint: 'embeddings', revision: 'b' },
  ...Array.from({ length: 20 }, (_, i) => ({ model: `model-${i}` })),
];

const names = `${rowColumns}, ${commonColumns}`;

it('stores each row unchanged, for any number of rows of one kind', () => {
  const db = openForWriting(inMemory);
  const inserter = new RowInserter(db);
  const expected: unknown[] = [];
  for (const [n, kind] of [...kinds, ...kinds].entries()) {
    for (let i = 0; i < 80; i += 1) {
      const row = { ...plainRow, ...kind, id: `req_${n}_${i}`, latency: i + 0.5, span: i % 2 === 0 ? null : `${i}` };
      const cost = i % 3 === 0 ? null : BigInt(i) * 1_000_000n;
      expect(inserter.insert(expected.length, n, i, row, cost)).toBe(true);
      expected.push(
        [n, i, ...rowValuesOf(row, cost), ...commonValuesOf(row)].map((value) => (typeof value === 'bigint' ? Number(value) : value)),
      );
    }
  }
  const stored = db.prepare(`SELECT block, start, ${names} FROM requests ORDER BY seq`).all();
  expect(stored.map((row) => Object.values(row))).toEqual(expected);
  db.close();
});

it('skips a row whose id is already stored', () => {
  const db = openForWriting(inMemory);
  const inserter = new RowInserter(db);
  const inserted = Array.from({ length: 200 }, (_, i) => inserter.insert(i, 1, 0, { ...plainRow, id: `req_${i >> 1}` }, null));
  expect(inserted).toEqual(Array.from({ length: 200 }, (_, i) => i % 2 === 0));
  db.close();
});

it.each(Object.keys(plainRow))('isAlike() compares the columns that rows of a kind have in common: %s', (name) => {
  const value = plainRow[name as keyof StoredRow];
  const otherValue =
    typeof value === 'boolean'
      ? !value
      : typeof value === 'number'
        ? value + 1
        : typeof value === 'object' && value !== null
          ? {}
          : `${value}x`;
  const row = { ...plainRow, [name]: otherValue } as StoredRow;
  expect(haveSameCommonValues(plainRow, row)).toBe(JSON.stringify(commonValuesOf(plainRow)) === JSON.stringify(commonValuesOf(row)));
});

it('isAlike() detects a difference in each common column', () => {
  const names = Object.keys(plainRow).filter(
    (name) => !haveSameCommonValues(plainRow, { ...plainRow, [name]: Number.NaN } as unknown as StoredRow),
  );
  expect(names).toHaveLength(commonValuesOf(plainRow).length);
});
