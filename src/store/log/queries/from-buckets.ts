import type { FieldTerm, Filter } from '../../../query/filter.ts';
import { conditionOnTexts } from '../../../query/sql/condition.ts';
import { Statement } from '../../../query/sql/statement.ts';
import type { SqlSource } from '../log-store.ts';
import { restBucket, valueOf, valueSql } from '../bucket-names.ts';
import { bucketCounts, bucketTimes, dimensions } from '../schema.ts';
import { type Cells, costSums, rest } from './sums.ts';

const minuteMs = 60_000;
/** Maximum parts of a long query, so that no part takes much of its time. */
const maxParts = 16;
/** Minimum minutes per part, because shorter parts cost more than they save. A remote server gets fewer statements. */
const minMinutesPerPart = { sqlite: 60, postgres: 24 * 60 } as const;

/** Unix milliseconds, whole minutes. */
interface Range {
  readonly since: number;
  readonly until: number;
}

/** What to read from the buckets. */
export interface BucketPlan {
  readonly dim: string;
  readonly terms: readonly FieldTerm[];
}

/**
 * Each dimension has its own buckets. They have the figures if the grouping and all terms use one dimension. Returns
 * undefined if only the rows have them.
 */
export function bucketPlan(filter: Filter, by: string | undefined): BucketPlan | undefined {
  const dims = new Set(by === undefined ? [] : [by]);
  const terms: FieldTerm[] = [];
  for (const term of filter.terms) {
    if (term.kind === 'words' || term.any.some(({ kind }) => kind === 'compare' || kind === 'range')) return undefined;
    // Statuses are counted as texts.
    if (term.field.type !== 'text' && term.any.some(({ kind }) => kind === 'equal')) return undefined;
    dims.add(term.key === '' ? term.field.name : `${term.field.column}.${term.key}`);
    terms.push(term);
  }
  const [dim = 'all', second] = dims;
  const isCounted = dim === 'all' || (dimensions as readonly string[]).includes(dim);
  // Metadata and labels are excluded, because their buckets lack the requests without that metadata key or label.
  return second === undefined && isCounted ? { dim, terms } : undefined;
}

/** Returns false, and adds nothing, if a value in the terms may be among those that are not counted by name. */
export async function addFromBuckets(
  cells: Cells,
  source: SqlSource,
  { dim, terms }: BucketPlan,
  range: Range,
  step: number | undefined,
): Promise<boolean> {
  if (terms.length > 0 && (await hasRest(source, dim, range))) return false;
  // Also if the database itself ends long statements, because the histograms of many minutes take many megabytes at once.
  const least = source.checkTimeLimit === undefined ? minMinutesPerPart.postgres : minMinutesPerPart.sqlite;
  const part = Math.max(minuteMs * least, Math.ceil((range.until - range.since) / (maxParts * minuteMs)) * minuteMs);
  for (let since = range.since; since < range.until; since += part) {
    await addPart(cells, source, { dim, terms }, { since, until: Math.min(range.until, since + part) }, step);
    await source.checkTimeLimit?.();
  }
  return true;
}

/** True if some values are counted together. */
async function hasRest(source: SqlSource, dim: string, range: Range): Promise<boolean> {
  const statement = new Statement(source.dialect);
  const sql = `SELECT 1 AS found FROM buckets b WHERE ${bucketRangeCondition(dim, range, statement)} AND b.name = '${restBucket}' LIMIT 1`;
  return (await source.all(sql, statement.parameters)).length > 0;
}

function bucketRangeCondition(dim: string, { since, until }: Range, statement: Statement): string {
  const [from, to] = [statement.number(since / minuteMs), statement.number(until / minuteMs)];
  return `b.dim = ${statement.text(dim)} AND b.minute >= ${from} AND b.minute < ${to}`;
}

async function addPart(cells: Cells, source: SqlSource, { dim, terms }: BucketPlan, range: Range, step: number | undefined): Promise<void> {
  const statement = new Statement(source.dialect);
  const conditions = terms.map((term) => conditionOnTexts(valueSql('b.name'), term, statement));
  // The database concatenates the texts of histograms, so that far fewer rows than minutes are transferred.
  const join = source.dialect === 'sqlite' ? 'group_concat' : 'string_agg';
  const counts = bucketCounts.filter((name) => name !== 'cost').map((name) => `CAST(sum(b.${name}) AS BIGINT) AS ${name}`);
  const times = bucketTimes.map((name) => `${join}(b.${name}, ',') AS ${name}`);
  const at = step === undefined ? '0' : `b.minute / ${step / minuteMs}`;
  const columns = [...counts, costSums('b.cost'), ...times].join(', ');
  const where = [bucketRangeCondition(dim, range, statement), ...conditions].join(' AND ');
  const rows = await source.all(`SELECT b.name, ${at} AS at, ${columns} FROM buckets b WHERE ${where} GROUP BY 1, 2`, statement.parameters);
  for (const row of rows) {
    const name = String(row.name);
    const sums = cells.of(name === restBucket ? rest : valueOf(name) || null, Number(row.at) * (step ?? 0));
    sums.addCounts(row);
    for (const name of bucketTimes) sums.times[name].addText(String(row[name] ?? ''));
  }
}
