import type { FieldTerm, Filter } from '../../../query/filter.ts';
import { conditionOnTexts } from '../../../query/sql/condition.ts';
import { Statement } from '../../../query/sql/statement.ts';
import type { SqlSource } from '../log-store.ts';
import { minutesOfHour } from '../hours.ts';
import { restBucket, valueOf, valueSql } from '../bucket-names.ts';
import { bucketTimes, dimensions, isSparse } from '../schema.ts';
import { bucketSums } from '../sums-sql.ts';
import { type BucketRange, bucketDim, bucketRanges, bucketRangeCondition } from './bucket-ranges.ts';
import { Cells, rest } from './cells.ts';
import type { Part } from './parts.ts';
import { hasAllTags } from './tag-names.ts';

const minuteMs = 60_000;
/** Maximum parts of a long query, so that no part takes much of its time. */
const maxParts = 16;
/** Minimum minutes, or hours, per part, because shorter parts cost more than they save. A remote server gets fewer statements. */
const minMinutesPerPart = { sqlite: 60, postgres: 24 * 60 } as const;

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
  const isCounted = isSparse(dim) ? terms.length === 0 : dim === 'all' || (dimensions as readonly string[]).includes(dim);
  return second === undefined && isCounted ? { dim, terms } : undefined;
}

/**
 * Parts that add up the buckets, newest first. Undefined if a value that matters may be among those that are not counted by
 * name.
 */
export async function bucketParts(
  cells: Cells,
  source: SqlSource,
  plan: BucketPlan,
  { since, until }: { readonly since: number; readonly until: number },
  step: number | undefined,
): Promise<Part[] | undefined> {
  const minutes = { since: since / minuteMs, until: until / minuteMs };
  if (plan.dim.includes('.') && !(await hasAllTags(source, minutes))) return undefined;
  const ranges = await bucketRanges(source, minutes, step === undefined ? undefined : step / minuteMs);
  if (isSparse(plan.dim) || plan.terms.length > 0) {
    for (const range of ranges) if (await hasRest(source, plan.dim, range)) return undefined;
  }
  return ranges
    .flatMap((range) => partsOf(source, range))
    .toReversed()
    .map((part) => ({ until: part.until * minuteMs, read: () => addPart(cells, source, plan, part, step) }));
}

/** Adds the requests without a value: all but those that are counted by value. */
function addRemainder(cells: Cells, all: Cells): void {
  for (const { at, sums } of cells.all()) all.of(null, at).subtract(sums);
  for (const { at, sums } of all.all()) if (sums.counts.requests > 0) cells.of(null, at).addAll(sums);
}

function partsOf(source: SqlSource, range: BucketRange): BucketRange[] {
  // Also if the database itself ends long statements, because the histograms of many minutes take many megabytes at once.
  const least = source.checkTimeLimit === undefined ? minMinutesPerPart.postgres : minMinutesPerPart.sqlite;
  const unit = range.isHours ? minutesOfHour : 1;
  const part = Math.max(least, Math.ceil((range.until - range.since) / (maxParts * unit))) * unit;
  const parts: BucketRange[] = [];
  for (let { since } = range; since < range.until; since += part)
    parts.push({ ...range, since, until: Math.min(range.until, since + part) });
  return parts;
}

/** True if some values are counted together. */
async function hasRest(source: SqlSource, dim: string, range: BucketRange): Promise<boolean> {
  const statement = new Statement(source.dialect);
  const sql = `SELECT 1 AS found FROM buckets b WHERE ${bucketRangeCondition([dim], range, statement)} AND b.name = '${restBucket}' LIMIT 1`;
  return (await source.all(sql, statement.parameters)).length > 0;
}

async function addPart(
  cells: Cells,
  source: SqlSource,
  { dim, terms }: BucketPlan,
  range: BucketRange,
  step: number | undefined,
): Promise<void> {
  const statement = new Statement(source.dialect);
  const conditions = terms.map((term) => conditionOnTexts(valueSql('b.name'), term, statement));
  const at = step === undefined ? '0' : `b.minute / ${step / minuteMs}`;
  // In one statement, because a record that is stored between two of them would count as one without a value.
  const dims = bucketRangeCondition(isSparse(dim) ? [dim, 'all'] : [dim], range, statement);
  const where = [dims, ...conditions].join(' AND ');
  const sql = `SELECT b.dim, b.name, ${at} AS at, ${bucketSums(source.dialect)} FROM buckets b WHERE ${where} GROUP BY 1, 2, 3`;
  const allDim = bucketDim('all', range);
  const [found, all] = [new Cells(), new Cells()];
  for (const row of await source.all(sql, statement.parameters)) {
    const name = String(row.name);
    const target = isSparse(dim) && row.dim === allDim ? all : found;
    const sums = target.of(name === restBucket ? rest : valueOf(name) || null, Number(row.at) * (step ?? 0));
    sums.addCounts(row);
    for (const name of bucketTimes) sums.times[name].addText(String(row[name] ?? ''));
  }
  if (isSparse(dim)) addRemainder(found, all);
  cells.addAll(found);
}
