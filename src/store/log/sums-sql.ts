import type { SqlDialect } from '../../query/sql/statement.ts';
import type { SqlValue } from './log-store.ts';
import { bucketCounts, bucketTimes } from './schema.ts';

/** Money is read in two parts, because a large sum may exceed what a JavaScript number represents exactly. */
const costDivisor = 1_000_000;
export const costSums = (column: string): string =>
  `CAST(coalesce(sum(${column} / ${costDivisor}), 0) AS BIGINT) AS cost_high, CAST(coalesce(sum(${column} % ${costDivisor}), 0) AS BIGINT) AS cost_low`;

/** The cost in a row with the columns of `costSums`. */
export function costOfSums(row: Readonly<Record<string, SqlValue>>): bigint {
  return BigInt(Number(row.cost_high ?? 0)) * BigInt(costDivisor) + BigInt(Number(row.cost_low ?? 0));
}

/** Sums of rows of `buckets b`. The database concatenates the texts of histograms, so that far fewer rows are transferred. */
export function bucketSums(dialect: SqlDialect): string {
  const join = dialect === 'sqlite' ? 'group_concat' : 'string_agg';
  const counts = bucketCounts.filter((name) => name !== 'cost').map((name) => `CAST(sum(b.${name}) AS BIGINT) AS ${name}`);
  return [...counts, costSums('b.cost'), ...bucketTimes.map((name) => `${join}(b.${name}, ',') AS ${name}`)].join(', ');
}

/** All dimensions, for `WITH RECURSIVE`. Finds each next one through the key, because reading all rows takes long. */
export const dims = `dims(dim) AS (
  SELECT min(dim) FROM buckets
  UNION ALL SELECT (SELECT min(b.dim) FROM buckets b WHERE b.dim > dims.dim) FROM dims WHERE dim IS NOT NULL)`;
