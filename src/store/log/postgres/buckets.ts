import { addStored, type BucketFigures } from '../figures.ts';
import { bucketColumns, bucketCounts, bucketTimes } from '../schema.ts';
import type { PostgresSession } from './client.ts';

const typed = [
  'dim text, minute bigint, name text',
  ...bucketCounts.map((name) => `${name} bigint`),
  ...bucketTimes.map((name) => `${name} text`),
].join(', ');

/**
 * Adds figures to the buckets of their minutes. Each gateway has its own buckets, which readers add up, so that no
 * gateway waits for the transaction of another.
 */
export async function addFigures(session: PostgresSession, writer: string, all: readonly BucketFigures[]): Promise<void> {
  if (all.length === 0) return;
  const wanted = JSON.stringify(all.map(({ dim, minute, name }) => ({ dim, minute, name })));
  const before = await session.query(
    `SELECT b.dim, b.minute, b.name, ${bucketColumns.map((name) => `b.${name}`).join(', ')}
     FROM json_to_recordset($1::json) AS w(dim text, minute bigint, name text)
     JOIN buckets b ON b.dim = w.dim AND b.minute = w.minute AND b.name = w.name AND b.writer = $2`,
    [wanted, writer],
  );
  const known = new Map(before.map((row) => [keyOf(String(row.dim), Number(row.minute), String(row.name)), row]));
  const rows = all.map((own) => {
    const { dim, minute, name } = own;
    const sums = addStored(own, known.get(keyOf(dim, minute, name)));
    return { dim, minute, name, ...Object.fromEntries(bucketColumns.map((column, i) => [column, String(sums[i])])) };
  });
  const updates = bucketColumns.map((name) => `${name} = excluded.${name}`).join(', ');
  await session.query(
    `INSERT INTO buckets (dim, minute, name, ${bucketColumns.join(', ')}, writer)
     SELECT f.*, $2 FROM json_to_recordset($1::json) AS f(${typed}) ON CONFLICT (dim, minute, name, writer) DO UPDATE SET ${updates}`,
    [JSON.stringify(rows), writer],
  );
}

const keyOf = (dim: string, minute: number, name: string): string => `${minute}\n${dim}\n${name}`;
