import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Retention } from '../../log-store.ts';
import { seqsIn } from '../blocks.ts';
import { OldFigures } from './old-figures.ts';
import { changing } from '../open.ts';

/** Maximum blocks that one slice deletes: some hundred records, a few milliseconds. */
const blocksOfSlice = 8;
/** Maximum pages that one slice returns to the file system. */
const pagesOfSlice = 256;
/** Maximum share of the size limit that figures may take when it is exceeded, because they are kept longer than records. */
const figuresShare = 0.5;
/** When the size limit is exceeded, deletes down to this share of it, so that not every batch causes a deletion. */
const lowWater = 0.95;

interface Block {
  readonly block: number;
  readonly newest: number;
  readonly seqs: Uint8Array;
}

/**
 * Deletes what is too old, then what exceeds the limits: feedback without records, figures beyond their share, and the
 * blocks that were stored first.
 */
export class Retainer {
  readonly #db: DatabaseSync;
  readonly #old: StatementSync;
  readonly #first: StatementSync;
  readonly #request: StatementSync;
  readonly #deletes: readonly StatementSync[];
  readonly #block: StatementSync;
  readonly #figures: OldFigures;
  #isShrinking = false;
  /** Whether figures exceed their share; undefined if not measured since the log was within its size. */
  #areFiguresLarge: boolean | undefined;
  #records: number;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#records = (db.prepare('SELECT count(*) AS n FROM requests').get() as { n: number }).n;
    this.#old = db.prepare('SELECT block, newest, seqs FROM blocks WHERE newest < ? ORDER BY newest LIMIT ?');
    this.#first = db.prepare('SELECT block, newest, seqs FROM blocks ORDER BY block LIMIT ?');
    this.#request = changing(db, 'DELETE FROM requests WHERE seq = ?');
    this.#deletes = ['tags WHERE seq', 'amendments WHERE seq', 'texts WHERE rowid'].map((what) => changing(db, `DELETE FROM ${what} = ?`));
    this.#block = changing(db, 'DELETE FROM blocks WHERE block = ?');
    this.#figures = new OldFigures(db);
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
    const isTooLarge = old.length === 0 && this.#isTooLarge(size);
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const others = this.#deleteOthers(oldest) || (isTooLarge && this.#deleteBeforeRecords(size));
      const chosen = old.length > 0 ? old : this.#surplus(isTooLarge && !others, rows);
      const deleted = chosen.reduce((sum, block) => sum + this.#delete(block), 0);
      this.#db.exec('COMMIT');
      this.#records -= deleted;
      this.#db.exec(`PRAGMA incremental_vacuum(${pagesOfSlice})`);
      return chosen.length > 0 || others;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #isTooLarge(size: number): boolean {
    const used = this.#used();
    if (used > size) this.#isShrinking = true;
    else if (used <= size * lowWater) this.#isShrinking = false;
    if (!this.#isShrinking) this.#areFiguresLarge = undefined;
    return this.#isShrinking;
  }

  #surplus(isTooLarge: boolean, rows: number | undefined): readonly Block[] {
    let excess = rows === undefined ? 0 : this.#records - rows;
    if (!isTooLarge && excess <= 0) return [];
    const blocks = this.#first.all(blocksOfSlice) as unknown as Block[];
    return blocks.filter(({ seqs }) => {
      const isTooMuch = excess > 0;
      excess -= seqsIn(seqs).length;
      return isTooLarge || isTooMuch;
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

  /** Deletes figures and feedback that are too old. @returns whether there were any */
  #deleteOthers(oldest: number): boolean {
    const hadFigures = this.#figures.deleteBefore(Math.floor(oldest / 60_000));
    return this.#deleteFeedback(oldest) || hadFigures;
  }

  /** Makes room with what is worth less than records. @returns whether there was any */
  #deleteBeforeRecords(size: number): boolean {
    const { first } = this.#db.prepare('SELECT min(seq) / 1000 AS first FROM requests').get() as { first: number | null };
    if (this.#deleteFeedback(first ?? Number.MAX_SAFE_INTEGER)) return true;
    this.#areFiguresLarge ??= this.#figures.bytes() > size * figuresShare;
    if (!this.#areFiguresLarge || !this.#figures.deleteOldest()) return false;
    this.#areFiguresLarge = this.#figures.bytes() > size * figuresShare * lowWater;
    return true;
  }

  #deleteFeedback(before: number): boolean {
    const statement = changing(this.#db, 'DELETE FROM feedback WHERE id IN (SELECT id FROM feedback WHERE at < ? LIMIT 500)');
    return Number(statement.run(before).changes) > 0;
  }
}
