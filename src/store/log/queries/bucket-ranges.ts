import { Statement } from '../../../query/sql/statement.ts';
import { changedHours, hoursOf, minutesOfHour } from '../hours.ts';
import type { SqlSource } from '../log-store.ts';

/** Fewest hours for which their sums are used. For a shorter range, more statements take longer than its minutes. */
const minHours = 48;

/** Unix minutes. */
interface MinuteRange {
  readonly since: number;
  readonly until: number;
}

export interface BucketRange extends MinuteRange {
  /** True to read the sums of hours. */
  readonly isHours: boolean;
}

/**
 * Divides a range of minutes into whole hours, whose sums are read, and the minutes around and between them.
 *
 * @param step minutes that are added up together; undefined for all
 */
export async function bucketRanges(source: SqlSource, range: MinuteRange, step: number | undefined): Promise<BucketRange[]> {
  const from = Math.ceil(range.since / minutesOfHour);
  const to = Math.floor(range.until / minutesOfHour);
  if (to - from < minHours || (step !== undefined && step % minutesOfHour !== 0)) return [{ ...range, isHours: false }];
  const { sql, parameters } = changedHours(source.dialect, from, to);
  const changed = (await source.all(sql, parameters)).map(({ hour }) => Number(hour));
  const ranges: BucketRange[] = [];
  // The end of what is covered so far.
  let { since } = range;
  for (const [first, end] of unchangedRuns(changed, from, to)) {
    const hours = { since: first * minutesOfHour, until: end * minutesOfHour };
    ranges.push({ since, until: hours.since, isHours: false }, { ...hours, isHours: true });
    since = hours.until;
  }
  ranges.push({ since, until: range.until, isHours: false });
  return ranges.filter(({ since, until }) => since < until);
}

/** The runs of hours between those that are listed, in order. */
function unchangedRuns(changed: readonly number[], from: number, to: number): (readonly [from: number, to: number])[] {
  const starts = [from, ...changed.map((hour) => hour + 1)];
  const ends = [...changed, to];
  return starts.flatMap((start, i) => {
    const end = ends[i] ?? to;
    return start < end ? [[start, end] as const] : [];
  });
}

/** The dimension under which a range is read. */
export const bucketDim = (dim: string, { isHours }: BucketRange): string => (isHours ? hoursOf(dim) : dim);

/** Condition on `buckets b` for a range of dimensions. */
export function bucketRangeCondition(dims: readonly string[], range: BucketRange, statement: Statement): string {
  const columns = dims.map((dim) => statement.text(bucketDim(dim, range)));
  return `b.dim IN (${columns.join(', ')}) AND b.minute >= ${statement.number(range.since)} AND b.minute < ${statement.number(range.until)}`;
}
