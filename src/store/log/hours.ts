import { Histogram } from '../../core/logs/histogram.ts';
import { type SqlDialect, Statement } from '../../query/sql/statement.ts';
import { addCosts } from './figures.ts';
import type { SqlValue } from './log-store.ts';
import { bucketCounts, bucketTimes } from './schema.ts';
import { bucketSums, costOfSums, dims } from './sums-sql.ts';

/**
 * Sums of whole hours, so that statistics of a month need not read every minute. They are buckets of further dimensions,
 * `hours:<dimension>`, under the first minute of their hour.
 *
 * They are written when an hour is over, all dimensions of an hour in one transaction, and are valid as long as their
 * requests are those of the minutes: each record adds to the minutes, and retention deletes them. Queries and the
 * writer compare both, so a late record needs no lock, also if a gateway of an earlier version stores it.
 */
export const hoursOf = (dim: string): string => `${prefix}${dim}`;

const prefix = 'hours:';
export const minutesOfHour = 60;
/** Milliseconds after which an hour is summed up, because some records are stored late. */
const settleMs = 600_000;
const hourMs = 3_600_000;
/** Between two searches for hours to sum up. One of each day covers all hours, which reads every minute; the others a day. */
const searchIntervalMs = hourMs;
const hoursOfDay = 24;

interface Sql {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** The hours (Unix hours, of the given range) whose sums are missing or not those of their minutes. */
export function changedHours(dialect: SqlDialect, from: number, to: number): Sql {
  const statement = new Statement(dialect);
  const requestsOf = (dim: string, sign: string): string =>
    `SELECT minute / ${minutesOfHour} AS hour, ${sign}requests AS requests FROM buckets
     WHERE dim = '${dim}' AND minute >= ${statement.number(from * minutesOfHour)} AND minute < ${statement.number(to * minutesOfHour)}`;
  const both = `${requestsOf('all', '')} UNION ALL ${requestsOf(hoursOf('all'), '-')}`;
  return { sql: `SELECT hour FROM (${both}) AS b GROUP BY hour HAVING sum(requests) <> 0 ORDER BY hour`, parameters: statement.parameters };
}

/** The hours that may be summed up: stored from their beginning, and over for some time. @param from Unix hours */
export function hoursToSum(dialect: SqlDialect, from: number, now: number): Sql {
  const { sql, parameters } = changedHours(dialect, from, Math.max(0, Math.floor((now - settleMs) / hourMs)));
  const first = `SELECT min(minute) FROM buckets WHERE dim = 'all'`;
  return { sql: `SELECT hour FROM (${sql}) AS changed WHERE hour * ${minutesOfHour} >= (${first})`, parameters };
}

/** The sums of an hour, in one statement, so that those of all dimensions include the same records. */
export function sumsOfHour(dialect: SqlDialect, hour: number): Sql {
  const statement = new Statement(dialect);
  const [from, to] = [statement.number(hour * minutesOfHour), statement.number((hour + 1) * minutesOfHour)];
  const isMinutes = `substr(dims.dim, 1, ${prefix.length}) <> '${prefix}'`;
  return {
    sql: `WITH RECURSIVE ${dims} SELECT b.dim, b.name, ${bucketSums(dialect)}
      FROM dims JOIN buckets b ON b.dim = dims.dim AND b.minute >= ${from} AND b.minute < ${to} WHERE ${isMinutes} GROUP BY 1, 2`,
    parameters: statement.parameters,
  };
}

/** The buckets of an hour from the rows of `sumsOfHour`; none if a cost is too high for a column. */
export function bucketsOfHour(hour: number, rows: readonly Readonly<Record<string, SqlValue>>[]): HourBucket[] {
  if (rows.some((row) => !isStorableCost(costOfSums(row)))) return [];
  return rows.map((row) => {
    const bucket: HourBucket = { dim: hoursOf(String(row.dim)), minute: hour * minutesOfHour, name: String(row.name) };
    for (const name of bucketCounts) bucket[name] = String(name === 'cost' ? costOfSums(row) : row[name]);
    for (const name of bucketTimes) bucket[name] = merged(String(row[name] ?? ''));
    return bucket;
  });
}

/** A row of `buckets`, with integers as texts. */
type HourBucket = { readonly dim: string; readonly minute: number; readonly name: string } & {
  [C in (typeof bucketCounts)[number] | (typeof bucketTimes)[number]]?: string;
};

const isStorableCost = (cost: bigint): boolean => addCosts(cost, 0n) === cost;

function merged(text: string): string {
  const times = new Histogram();
  times.addText(text);
  return String(times);
}

/** Hours that wait to be summed up. */
export class PendingHours {
  #hours: number[] = [];
  #searchedAt = Number.NEGATIVE_INFINITY;
  #searchedAllAt = Number.NEGATIVE_INFINITY;

  get isEmpty(): boolean {
    return this.#hours.length === 0;
  }

  /** True if there is something to do. @param now Unix milliseconds; a clock that was set back causes a search */
  isDue(now: number): boolean {
    return !this.isEmpty || Math.abs(now - this.#searchedAt) >= searchIntervalMs;
  }

  /** Unix hour from which to search; undefined if no search is due. */
  searchStart(now: number): number | undefined {
    if (!this.isEmpty || !this.isDue(now)) return undefined;
    const isAllDue = Math.abs(now - this.#searchedAllAt) >= hoursOfDay * hourMs;
    return isAllDue ? 0 : Math.max(0, Math.floor(now / hourMs) - hoursOfDay);
  }

  /** Adds the hours of a search, oldest first. */
  found(hours: readonly number[], start: number, now: number): void {
    this.#hours = hours.toReversed();
    this.#searchedAt = now;
    if (start === 0) this.#searchedAllAt = now;
  }

  /** Removes and returns the oldest. */
  next(): number | undefined {
    return this.#hours.pop();
  }
}
