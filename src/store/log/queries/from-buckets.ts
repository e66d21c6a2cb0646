import type { FieldTerm, Filter } from '../../../query/filter.ts';
import { conditionOnTexts } from '../../../query/sql/condition.ts';
import { Statement } from '../../../query/sql/statement.ts';
import type { SqlSource } from '../log-store.ts';
import { bucketCounts, bucketTimes, dimensions, otherValues } from '../schema.ts';
import { type Cells, costSums } from './sums.ts';

const minuteMs = 60_000;
/** So many parts at most, of which no one takes much of a long question's time. */
const mostParts = 16;
/** Minutes of a part at least: shorter ones would cost more than they spare. Statements to a server that may be far away are fewer. */
const leastMinutes = { here: 60, away: 24 * 60 } as const;

/** Unix milliseconds, whole minutes. */
interface Range {
  readonly since: number;
  readonly until: number;
}

/** What is read of the buckets. */
export interface BucketPlan {
  readonly dim: string;
  readonly terms: readonly FieldTerm[];
}

/**
 * Buckets count each dimension by itself: they have the figures where grouping and terms are about one dimension. Undefined
 * where only the rows have them.
 */
export function bucketPlan(filter: Filter, by: string | undefined): BucketPlan | undefined {
  const dims = new Set(by === undefined ? [] : [by]);
  const terms: FieldTerm[] = [];
  for (const term of filter.terms) {
    if (term.kind === 'words' || term.any.some(({ kind }) => kind === 'compare' || kind === 'range')) return undefined;
    // Statuses are counted by their texts.
    if (term.field.type !== 'text' && term.any.some(({ kind }) => kind === 'equal')) return undefined;
    dims.add(term.key === '' ? term.field.name : `${term.field.column}.${term.key}`);
    terms.push(term);
  }
  const [dim = 'all', second] = dims;
  const isCounted = dim === 'all' || (dimensions as readonly string[]).includes(dim);
  // Requests without a key are not counted by it.
  return second === undefined && isCounted ? { dim, terms } : undefined;
}

/** False, and nothing is added, where a value that the terms name may be among those that are not counted by name. */
export async function addOfBuckets(
  cells: Cells,
  source: SqlSource,
  { dim, terms }: BucketPlan,
  range: Range,
  step: number | undefined,
): Promise<boolean> {
  if (terms.length > 0 && (await hasOthers(source, dim, range))) return false;
  // Also where the database ends long statements by itself: histograms of many minutes are many megabytes at once.
  const least = source.between === undefined ? leastMinutes.away : leastMinutes.here;
  const part = Math.max(minuteMs * least, Math.ceil((range.until - range.since) / (mostParts * minuteMs)) * minuteMs);
  for (let since = range.since; since < range.until; since += part) {
    await addPart(cells, source, { dim, terms }, { since, until: Math.min(range.until, since + part) }, step);
    await source.between?.();
  }
  return true;
}

/** Whether values are counted together. */
async function hasOthers(source: SqlSource, dim: string, range: Range): Promise<boolean> {
  const statement = new Statement(source.dialect);
  const sql = `SELECT 1 AS found FROM buckets b WHERE ${placeOf(dim, range, statement)} AND b.name = '${otherValues}' LIMIT 1`;
  return (await source.all(sql, statement.parameters)).length > 0;
}

function placeOf(dim: string, { since, until }: Range, statement: Statement): string {
  const [from, to] = [statement.number(since / minuteMs), statement.number(until / minuteMs)];
  return `b.dim = ${statement.text(dim)} AND b.minute >= ${from} AND b.minute < ${to}`;
}

async function addPart(cells: Cells, source: SqlSource, { dim, terms }: BucketPlan, range: Range, step: number | undefined): Promise<void> {
  const statement = new Statement(source.dialect);
  const conditions = terms.map((term) => conditionOnTexts('b.name', term, statement));
  // Texts of histograms are joined by the database: far fewer rows come here than there are minutes.
  const join = source.dialect === 'sqlite' ? 'group_concat' : 'string_agg';
  const counts = bucketCounts.filter((name) => name !== 'cost').map((name) => `CAST(sum(b.${name}) AS BIGINT) AS ${name}`);
  const times = bucketTimes.map((name) => `${join}(b.${name}, ',') AS ${name}`);
  const at = step === undefined ? '0' : `b.minute / ${step / minuteMs}`;
  const columns = [...counts, costSums('b.cost'), ...times].join(', ');
  const where = [placeOf(dim, range, statement), ...conditions].join(' AND ');
  const rows = await source.all(`SELECT b.name, ${at} AS at, ${columns} FROM buckets b WHERE ${where} GROUP BY 1, 2`, statement.parameters);
  for (const row of rows) {
    const sums = cells.of(row.name === '' ? null : String(row.name), Number(row.at) * (step ?? 0));
    sums.addCounts(row);
    for (const name of bucketTimes) sums.times[name].addText(String(row[name] ?? ''));
  }
}
