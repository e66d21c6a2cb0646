import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { bucketColumns } from '../schema.ts';
import { addStored, type BucketFigures } from '../figures.ts';
import { prepareChange } from './open.ts';

/** Adds figures to the stored buckets of their minutes. */
export class BucketWriter {
  readonly #find: StatementSync;
  readonly #put: StatementSync;

  constructor(db: DatabaseSync) {
    const columns = bucketColumns.join(', ');
    this.#find = db.prepare(`SELECT ${columns} FROM buckets WHERE dim = ? AND minute = ? AND name = ?`);
    this.#find.setReadBigInts(true);
    this.#put = prepareChange(
      db,
      `INSERT OR REPLACE INTO buckets (dim, minute, name, ${columns}) VALUES (${'?, '.repeat(bucketColumns.length + 2)}?)`,
    );
  }

  add(figures: BucketFigures): void {
    const { dim, minute, name } = figures;
    const stored = this.#find.get(dim, minute, name) as Record<string, bigint | string> | undefined;
    this.#put.run(dim, minute, name, ...addStored(figures, stored));
  }
}
