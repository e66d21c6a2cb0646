import { Histogram } from '../../../core/logs/histogram.ts';
import { addCosts, type BucketFigures } from '../figures.ts';
import { bucketCounts, bucketTimes } from '../schema.ts';
import type { PostgresSession } from './client.ts';

const keys = ['dim', 'minute', 'name', 'writer'] as const;
const figures = [...bucketCounts, ...bucketTimes];
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
    `SELECT b.dim, b.minute, b.name, ${figures.map((name) => `b.${name}`).join(', ')}
     FROM json_to_recordset($1::json) AS w(dim text, minute bigint, name text)
     JOIN buckets b ON b.dim = w.dim AND b.minute = w.minute AND b.name = w.name AND b.writer = $2`,
    [wanted, writer],
  );
  const known = new Map(before.map((row) => [keyOf(String(row.dim), Number(row.minute), String(row.name)), row]));
  const rows = all.map((own) => {
    const row = known.get(keyOf(own.dim, own.minute, own.name));
    const counts = bucketCounts.map((name) => {
      const kept = BigInt((row?.[name] ?? 0) as number | bigint);
      return [name, String(name === 'cost' ? addCosts(kept, own.cost) : kept + BigInt(own.counts[name]))];
    });
    const times = bucketTimes.map((name) => [name, mergeHistograms(own.times[name], row?.[name])]);
    return { dim: own.dim, minute: own.minute, name: own.name, ...Object.fromEntries([...counts, ...times]) };
  });
  const updates = figures.map((name) => `${name} = excluded.${name}`).join(', ');
  await session.query(
    `INSERT INTO buckets (dim, minute, name, ${figures.join(', ')}, writer)
     SELECT f.*, $2 FROM json_to_recordset($1::json) AS f(${typed}) ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${updates}`,
    [JSON.stringify(rows), writer],
  );
}

const keyOf = (dim: string, minute: number, name: string): string => `${minute}\n${dim}\n${name}`;

function mergeHistograms(own: Histogram, text: unknown): string {
  if (typeof text !== 'string' || text === '') return String(own);
  const sum = new Histogram();
  sum.addText(String(own));
  sum.addText(text);
  return String(sum);
}
