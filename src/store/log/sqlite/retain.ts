import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Retention } from '../log-store.ts';
import { seqsIn } from './blocks.ts';
import { changing } from './open.ts';

/** Maximum blocks that one slice deletes: some hundred records, a few milliseconds. */
const blocksOfSlice = 8;
/** Maximum pages that one slice returns to the file system. */
const pagesOfSlice = 256;
/** Maximum minutes of figures that one slice deletes. */
const minutesOfSlice = 2000;
/** When the size limit is exceeded, deletes down to this share of it, so that not every batch causes a deletion. */
const lowWater = 0.95;

interface Block {
  readonly block: number;
  readonly newest: number;
  readonly seqs: Uint8Array;
}

/** Deletes what is too old, then what exceeds the limits: the blocks that were stored first. */
export class Retainer {
  readonly #db: DatabaseSync;
  readonly #old: StatementSync;
  readonly #first: StatementSync;
  readonly #request: StatementSync;
  readonly #deletes: readonly StatementSync[];
  readonly #block: StatementSync;
  #isShrinking = false;
  #records: number;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#records = (db.prepare('SELECT count(*) AS n FROM requests').get() as { n: number }).n;
    this.#old = db.prepare('SELECT block, newest, seqs FROM blocks WHERE newest < ? ORDER BY newest LIMIT ?');
    this.#first = db.prepare('SELECT block, newest, seqs FROM blocks ORDER BY block LIMIT ?');
    this.#request = changing(db, 'DELETE FROM requests WHERE seq = ?');
    this.#deletes = ['tags WHERE seq', 'amendments WHERE seq', 'texts WHERE rowid'].map((what) => changing(db, `DELETE FROM ${what} = ?`));
    this.#block = changing(db, 'DELETE FROM blocks WHERE block = ?');
  }

  /** Number of records. Counted when the file is opened, and tracked from then on. */
  get records(): number {
    return this.#records;
  }

  added(records: number): void {
    this.#records += records;
  }

  /** Deletes one slice. @returns whether there is more to delete */
  slice({ age, size, rows }: Retention, now: number): boolean {
    const oldest = now - age;
    const old = this.#old.all(oldest, blocksOfSlice) as unknown as Block[];
    const chosen = old.length > 0 ? old : this.#surplus(size, rows);
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const deleted = chosen.reduce((sum, block) => sum + this.#delete(block), 0);
      const figures = this.#forgetFigures(oldest);
      this.#db.exec('COMMIT');
      this.#records -= deleted;
      this.#db.exec(`PRAGMA incremental_vacuum(${pagesOfSlice})`);
      return chosen.length > 0 || figures;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #surplus(size: number, rows: number | undefined): readonly Block[] {
    const used = this.#used();
    if (used > size) this.#isShrinking = true;
    else if (used <= size * lowWater) this.#isShrinking = false;
    let excess = rows === undefined ? 0 : this.#records - rows;
    if (!this.#isShrinking && excess <= 0) return [];
    const blocks = this.#first.all(blocksOfSlice) as unknown as Block[];
    return blocks.filter(({ seqs }) => {
      const isTooMuch = excess > 0;
      excess -= seqsIn(seqs).length;
      return this.#isShrinking || isTooMuch;
    });
  }

  /** Bytes of pages in use. */
  #used(): number {
    const { used } = this.#db
      .prepare(
        'SELECT (c.page_count - f.freelist_count) * p.page_size AS used FROM pragma_page_count c, pragma_freelist_count f, pragma_page_size p',
      )
      .get() as { used: number };
    return used;
  }

  /** @returns number of records deleted */
  #delete({ block, seqs }: Block): number {
    let deleted = 0;
    for (const seq of seqsIn(seqs)) {
      deleted += Number(this.#request.run(seq).changes);
      for (const statement of this.#deletes) statement.run(seq);
    }
    this.#block.run(block);
    return deleted;
  }

  #forgetFigures(oldest: number): boolean {
    const minute = Math.floor(oldest / 60_000);
    let deleted = 0;
    for (const { dim } of this.#db.prepare('SELECT DISTINCT dim FROM buckets').all() as { dim: string }[]) {
      const { changes } = changing(
        this.#db,
        'DELETE FROM buckets WHERE dim = ? AND minute < ? AND minute < (SELECT min(minute) FROM buckets WHERE dim = ?) + ?',
      ).run(dim, minute, dim, minutesOfSlice);
      deleted += Number(changes);
    }
    const feedback = changing(this.#db, 'DELETE FROM feedback WHERE id IN (SELECT id FROM feedback WHERE at < ? LIMIT 500)').run(oldest);
    return deleted + Number(feedback.changes) > 0;
  }
}
