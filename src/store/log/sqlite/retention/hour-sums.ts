import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { bucketsOfHour, hoursToSum, PendingHours, sumsOfHour } from '../../hours.ts';
import type { SqlValue } from '../../log-store.ts';
import { bucketColumns, bucketCounts, bucketTimes } from '../../schema.ts';
import { prepareChange } from '../open.ts';

/** Sums up hours that are over, one at a time. */
export class HourSums {
  readonly #db: DatabaseSync;
  readonly #put: StatementSync;
  readonly #pending = new PendingHours();

  constructor(db: DatabaseSync) {
    this.#db = db;
    const values = bucketCounts.map(() => 'CAST(? AS INTEGER)').concat(bucketTimes.map(() => '?'));
    this.#put = prepareChange(
      db,
      `INSERT OR REPLACE INTO buckets (dim, minute, name, ${bucketColumns.join(', ')}) VALUES (?, ?, ?, ${values.join(', ')})`,
    );
  }

  /** @returns whether there is more to sum up */
  slice(now: number): boolean {
    const start = this.#pending.searchStart(now);
    if (start !== undefined) {
      const found = this.#all(hoursToSum('sqlite', start, now)).map(({ hour }) => Number(hour));
      this.#pending.found(found, start, now);
    }
    const hour = this.#pending.next();
    if (hour === undefined) return false;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const bucket of bucketsOfHour(hour, this.#all(sumsOfHour('sqlite', hour))))
        this.#put.run(bucket.dim, bucket.minute, bucket.name, ...bucketColumns.map((name) => bucket[name] ?? ''));
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
    return !this.#pending.isEmpty;
  }

  #all({ sql, parameters }: { readonly sql: string; readonly parameters: readonly SqlValue[] }): Record<string, SqlValue>[] {
    return this.#db.prepare(sql).all(...parameters) as Record<string, SqlValue>[];
  }
}
