import { histogramScale } from '../../../core/logs/histogram.ts';
import type { Filter } from '../../../query/filter.ts';
import { conditionOf, rangeOf } from '../../../query/sql/condition.ts';
import { type SeqWindow, type SqlDialect, Statement } from '../../../query/sql/statement.ts';
import { bucketTimes, seqStep } from '../schema.ts';
import type { SqlSource } from '../log-store.ts';
import { costSums } from '../sums-sql.ts';
import { newestParts, type Part } from './parts.ts';
import type { Cells } from './cells.ts';

/** Parts that add up the rows themselves, for terms without a bucket. Newest first. */
export function rowParts(cells: Cells, source: SqlSource, filter: Filter, window: SeqWindow, grouping: Grouping): Part[] {
  return newestParts(window).map((part) => ({
    until: Math.ceil(Number(part.to) / seqStep),
    read: () => addPart(cells, source, filter, part, grouping),
  }));
}

interface Grouping {
  readonly by: string | undefined;
  readonly step: number | undefined;
}

async function addPart(cells: Cells, source: SqlSource, filter: Filter, window: SeqWindow, { by, step }: Grouping): Promise<void> {
  const statement = new Statement(source.dialect);
  const { group, join } = groupOf(by, statement, window);
  const at = step === undefined ? '0' : `r.seq / ${step * seqStep}`;
  // One row for each group: with many values, a row for each class of times would be more rows than those that match.
  const figures = [sumColumns(source.dialect), ...bucketTimes.map((time) => timeClasses(time, source.dialect))].join(', ');
  const sql = `SELECT ${group} AS name, ${at} AS at, ${figures} FROM requests r ${join} WHERE ${conditionOf(filter, statement, window)} GROUP BY 1, 2`;
  for (const row of await source.all(sql, statement.parameters)) {
    const cell = cells.of(row.name === null || row.name === '' ? null : String(row.name), Number(row.at) * (step ?? 0));
    cell.addCounts(row);
    for (const time of bucketTimes) cell.times[time].addText(String(row[time] ?? ''));
  }
}

function groupOf(by: string | undefined, statement: Statement, window: SeqWindow): { readonly group: string; readonly join: string } {
  if (by === undefined) return { group: `''`, join: '' };
  const dot = by.indexOf('.');
  if (dot === -1) return { group: by === 'status' ? 'CAST(r.status AS TEXT)' : `r."${by}"`, join: '' };
  const kind = by.startsWith('meta.') ? 'meta' : 'label';
  const name = statement.text(by.slice(dot + 1));
  const range = rangeOf('g.seq', statement, window);
  return { group: 'g.value', join: `LEFT JOIN tags g ON g.kind = '${kind}' AND g.name = ${name} AND ${range} AND g.seq = r.seq` };
}

/** Counts like `isError`, `isCacheHit` and `isUnpriced` of core/logs/row.ts. */
function sumColumns(dialect: SqlDialect): string {
  const isHit = dialect === 'sqlite' ? `substr(r.cache, -3) = 'HIT'` : `right(r.cache, 3) = 'HIT'`;
  const count = (condition: string): string => `CAST(sum(CASE WHEN ${condition} THEN 1 ELSE 0 END) AS BIGINT)`;
  const sum = (value: string): string => `CAST(sum(${value}) AS BIGINT)`;
  return [
    'count(*) AS requests',
    `${count('r.error IS NOT NULL OR r.status >= 400')} AS errors`,
    `${count('r.fallback')} AS fallbacks`,
    `${sum('r.retries')} AS retries`,
    `${count(isHit)} AS cache_hits`,
    `${sum('r.tokens_in')} AS tokens_in`,
    `${sum('r.tokens_out')} AS tokens_out`,
    `${sum('r.tokens_cached')} AS tokens_cached`,
    `${count('r.cost IS NULL AND r.provider IS NOT NULL')} AS unpriced`,
    costSums('r.cost'),
  ].join(', ');
}

/** The classes of times in their histogram, as its text. */
function timeClasses(time: string, dialect: SqlDialect): string {
  const { growth, least, last } = histogramScale;
  const [smaller, join] = dialect === 'sqlite' ? ['min', 'group_concat'] : ['least', 'string_agg'];
  const classOf = `CASE WHEN r.${time} IS NULL THEN NULL WHEN r.${time} > ${least} THEN CAST(${smaller}(${last}, ceil(ln(r.${time} / ${least}) / ${growth} - 1e-9)) AS INTEGER) ELSE 0 END`;
  return `${join}(CAST(${classOf} AS TEXT) || ':1', ',') AS ${time}`;
}
