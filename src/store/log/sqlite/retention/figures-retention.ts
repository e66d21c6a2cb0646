import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { dims } from '../../sums-sql.ts';
import { prepareChange } from '../open.ts';

/** Maximum minutes of a dimension that one slice deletes, because of their age or because of the size of the table. */
const minutesOfSlice = { age: 2000, size: 240 } as const;

/** Deletes the figures of old minutes, a slice at a time. */
export class FiguresRetention {
  readonly #db: DatabaseSync;
  readonly #dimensions: StatementSync;
  readonly #later: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    const first = 'SELECT min(b.minute) FROM buckets b WHERE b.dim = dims.dim';
    this.#dimensions = db.prepare(`WITH RECURSIVE ${dims} SELECT dim, (${first}) AS first FROM dims WHERE dim IS NOT NULL`);
    this.#later = db.prepare("SELECT minute FROM buckets WHERE dim = 'all' ORDER BY minute LIMIT 1 OFFSET ?");
    this.#delete = prepareChange(db, 'DELETE FROM buckets WHERE dim = ? AND minute < ?');
  }

  /** @returns whether any were deleted */
  deleteBefore(minute: number): boolean {
    let deleted = 0;
    for (const { dim, first } of this.#dimensions.all() as { dim: string; first: number }[])
      deleted += Number(this.#delete.run(dim, Math.min(minute, first + minutesOfSlice.age)).changes);
    return deleted > 0;
  }

  /** Deletes the oldest minutes, but never all. @returns whether any were deleted */
  deleteOldest(): boolean {
    const next = this.#later.get(minutesOfSlice.size) as { readonly minute: number } | undefined;
    return next !== undefined && this.deleteBefore(next.minute);
  }

  /** Bytes of the table; 0 if this build of SQLite has no `dbstat`. Reads the whole table. */
  bytes(): number {
    try {
      const found = this.#db.prepare("SELECT pgsize AS bytes FROM dbstat('main', 1) WHERE name = 'buckets'").get();
      return (found?.['bytes'] as number | undefined) ?? 0;
    } catch {
      return 0;
    }
  }
}
