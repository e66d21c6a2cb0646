import { GatewayError } from '../../../core/error.ts';
import type { SearchPage, SearchRequest } from '../../../core/logs/reader.ts';
import type { Filter } from '../../../query/filter.ts';
import { readFilter } from '../../../query/read-filter.ts';
import { conditionOf } from '../../../query/sql/condition.ts';
import { type SeqWindow, Statement } from '../../../query/sql/statement.ts';
import { rangeWithRows, rangeOfFilter } from './range.ts';
import { newestParts, partLength } from './parts.ts';
import { rowsOf } from './records.ts';
import type { SqlSource } from '../log-store.ts';

const maxPageSize = 500;

/** @throws GatewayError `invalid_filter`, `invalid_value` for an invalid page */
export async function search(source: SqlSource, { query, before, limit }: SearchRequest, now: number): Promise<SearchPage> {
  const filter = readFilter(query, now);
  const range = rangeOfFilter(filter);
  const top = before === undefined ? range.to : pageEnd(before);
  const window = await rangeWithRows(source, { from: range.from, to: top < range.to ? top : range.to });
  if (window === undefined) return { rows: [], next: null };
  const wanted = Math.min(Math.max(1, Math.floor(limit)), maxPageSize);
  // One extra row shows whether there is a next page.
  const seqs = await findNewest(source, filter, window, wanted + 1);
  const shown = seqs.slice(0, wanted);
  return { rows: await rowsOf(source, shown), next: seqs.length > wanted ? String(shown.at(-1)) : null };
}

function pageEnd(before: string): bigint {
  if (/^\d{1,18}$/.test(before)) return BigInt(before);
  throw new GatewayError('invalid_value', {
    message: 'There is no such page.',
    param: 'before',
    hint: 'Use `next` of the previous page.',
  });
}

/**
 * The newest matching rows. With terms, the newest hour is searched first, so that frequent values are found without
 * collecting all matches.
 */
async function findNewest(source: SqlSource, filter: Filter, window: SeqWindow, count: number): Promise<number[]> {
  const seqs: number[] = [];
  for (const [i, part] of (filter.terms.length === 0 ? [window] : newestParts(window, partLength(source, window))).entries()) {
    if (seqs.length >= count) break;
    if (i > 0) await source.checkTimeLimit?.();
    seqs.push(...(await findNewestIn(source, filter, part, count - seqs.length)));
  }
  return seqs;
}

async function findNewestIn(source: SqlSource, filter: Filter, window: SeqWindow, count: number): Promise<number[]> {
  const statement = new Statement(source.dialect);
  const condition = conditionOf(filter, statement, window);
  const sql = `SELECT r.seq FROM requests r WHERE ${condition} ORDER BY r.seq DESC LIMIT ${count}`;
  const rows = await source.all(sql, statement.parameters);
  return rows.map(({ seq }) => Number(seq));
}
