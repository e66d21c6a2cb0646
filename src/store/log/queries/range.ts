import type { Filter } from '../../../query/filter.ts';
import { rangeOf } from '../../../query/sql/condition.ts';
import { type SeqWindow, Statement } from '../../../query/sql/statement.ts';
import { seqStep } from '../schema.ts';
import type { SqlSource } from '../log-store.ts';

const step = BigInt(seqStep);
/** Above the number of every row, because Unix milliseconds have at most 53 bits. */
const end = 2n ** 63n - 1n;

/** The range of rows that matches the times of a filter. */
export function rangeOfFilter({ since, until }: Pick<Filter, 'since' | 'until'>): SeqWindow {
  return { from: since === null ? 0n : seqAt(since), to: until === null ? end : seqAt(until) };
}

const seqAt = (ms: number): bigint => BigInt(Math.max(0, Math.floor(ms))) * step;

/** Limits the range to existing rows. Undefined if there are none. */
export async function rangeWithRows(source: SqlSource, window: SeqWindow): Promise<SeqWindow | undefined> {
  const statement = new Statement(source.dialect);
  const range = rangeOf('r.seq', statement, window);
  const sql = `SELECT (SELECT min(r.seq) FROM requests r WHERE ${range}) AS first, (SELECT max(r.seq) FROM requests r WHERE ${range}) AS last`;
  const [row] = await source.all(sql, statement.parameters);
  if (row === undefined || row.first === null || row.last === null) return undefined;
  return { from: BigInt(row.first as number), to: BigInt(row.last as number) + 1n };
}
