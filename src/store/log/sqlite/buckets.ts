import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Histogram } from '../../../core/logs/histogram.ts';
import { bucketCounts, bucketTimes } from '../schema.ts';
import { addCosts, type BucketFigures } from '../figures.ts';
import { prepareChange } from './open.ts';

/** Adds figures to the stored buckets of their minutes. */
export class BucketWriter {
  readonly #find: StatementSync;
  readonly #put: StatementSync;

  constructor(db: DatabaseSync) {
    const columns = [...bucketCounts, ...bucketTimes];
    this.#find = db.prepare(`SELECT ${columns.join(', ')} FROM buckets WHERE dim = ? AND minute = ? AND name = ?`);
    this.#find.setReadBigInts(true);
    this.#put = prepareChange(
      db,
      `INSERT OR REPLACE INTO buckets (dim, minute, name, ${columns.join(', ')}) VALUES (${'?, '.repeat(columns.length + 2)}?)`,
    );
  }

  add({ dim, minute, name, counts, cost, times }: BucketFigures): void {
    const before = this.#find.get(dim, minute, name) as Record<string, bigint | string> | undefined;
    const sums = bucketCounts.map((column) => {
      const kept = (before?.[column] ?? 0n) as bigint;
      return column === 'cost' ? addCosts(kept, cost) : kept + BigInt(counts[column]);
    });
    const texts = bucketTimes.map((column) => {
      const own = times[column];
      const text = before?.[column];
      return typeof text === 'string' && text !== '' ? joined(own, text) : String(own);
    });
    this.#put.run(dim, minute, name, ...sums, ...texts);
  }
}

function joined(own: Histogram, text: string): string {
  own.addText(text);
  return String(own);
}
