import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { dayOf } from '../../../../core/logs/day.ts';
import type { Retention } from '../../log-store.ts';
import { spendingDays } from '../../schema.ts';
import { seqsIn } from '../blocks.ts';
import { FiguresRetention } from './figures-retention.ts';
import { HourSums } from './hour-sums.ts';
import { prepareChange } from '../open.ts';

/** Maximum blocks that one slice deletes: some hundred records, a few milliseconds. */
const blocksOfSlice = 8;
/** Maximum keys whose spending on a day one slice deletes. */
const spendingOfSlice = 2000;
/** Maximum pages that one slice returns to the file system. */
const pagesOfSlice = 256;
/** Maximum share of the size limit that figures may take when it is exceeded, because they are kept longer than records. */
const figuresShare = 0.5;
/** When the size limit is exceeded, deletes down to this share of it, so that not every batch causes a deletion. */
const lowWater = 0.95;

interface StoredBlock {
  readonly block: number;
  readonly seqs: Uint8Array;
}

export const countRecords = (db: DatabaseSync): number => (db.prepare('SELECT count(*) AS n FROM requests').get() as { n: number }).n;

/**
 * Deletes what is too old, then what exceeds the limits: feedback without records, figures beyond their share, and the
 * blocks that were stored first.
 */
export class Retainer {
  readonly #db: DatabaseSync;
  readonly #findExpired: StatementSync;
  readonly #findFirst: StatementSync;
  readonly #deleteRequest: StatementSync;
  readonly #deleteRelated: readonly StatementSync[];
  readonly #deleteBlockRow: StatementSync;
  readonly #figures: FiguresRetention;
  readonly #hours: HourSums;
  #isShrinking = false;
  /** Whether figures exceed their share; undefined if not measured since the log was within its size. */
  #areFiguresLarge: boolean | undefined;
  #records: number;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#records = countRecords(db);
    this.#findExpired = db.prepare('SELECT block, seqs FROM blocks WHERE newest < ? ORDER BY newest LIMIT ?');
    this.#findFirst = db.prepare('SELECT block, seqs FROM blocks ORDER BY block LIMIT ?');
    this.#deleteRequest = prepareChange(db, 'DELETE FROM requests WHERE seq = ?');
    this.#deleteRelated = ['tags WHERE seq', 'amendments WHERE seq', 'texts WHERE rowid'].map((what) =>
      prepareChange(db, `DELETE FROM ${what} = ?`),
    );
    this.#deleteBlockRow = prepareChange(db, 'DELETE FROM blocks WHERE block = ?');
    this.#figures = new FiguresRetention(db);
    this.#hours = new HourSums(db);
  }

  /** Number of records. Counted when the file is opened, and tracked from then on. */
  get records(): number {
    return this.#records;
  }

  added(records: number): void {
    this.#records += records;
  }

  /** Deletes one slice, or sums up an hour if there is nothing to delete. @returns whether there is more to do */
  slice({ age, size, rows }: Retention, now: number): boolean {
    const oldest = now - age;
    const old = this.#findExpired.all(oldest, blocksOfSlice) as unknown as StoredBlock[];
    const isTooLarge = old.length === 0 && this.#isTooLarge(size);
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const others = this.#deleteOthers(oldest, now) || (isTooLarge && this.#deleteBeforeRecords(size));
      const chosen = old.length > 0 ? old : this.#surplus(isTooLarge && !others, rows);
      const deleted = chosen.reduce((sum, block) => sum + this.#deleteBlock(block), 0);
      this.#db.exec('COMMIT');
      this.#records -= deleted;
      if (this.#shrinkFile(size) || chosen.length > 0 || others) return true;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
    return this.#hours.slice(now);
  }

  /** Returns free pages to the file system. @returns whether the file is still too large, and can become smaller */
  #shrinkFile(size: number): boolean {
    const free = this.#db.prepare(
      'SELECT f.freelist_count AS pages, c.page_count * p.page_size AS bytes FROM pragma_page_count c, pragma_freelist_count f, pragma_page_size p',
    );
    const { pages: before } = free.get() as { pages: number };
    this.#db.exec(`PRAGMA incremental_vacuum(${pagesOfSlice})`);
    const { pages, bytes } = free.get() as { pages: number; bytes: number };
    return bytes > size && pages > 0 && pages < before;
  }

  #isTooLarge(size: number): boolean {
    const used = this.#used();
    if (used > size) this.#isShrinking = true;
    else if (used <= size * lowWater) this.#isShrinking = false;
    if (!this.#isShrinking) this.#areFiguresLarge = undefined;
    return this.#isShrinking;
  }

  #surplus(isTooLarge: boolean, rows: number | undefined): readonly StoredBlock[] {
    let excess = rows === undefined ? 0 : this.#records - rows;
    if (!isTooLarge && excess <= 0) return [];
    const blocks = this.#findFirst.all(blocksOfSlice) as unknown as StoredBlock[];
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
  #deleteBlock({ block, seqs }: StoredBlock): number {
    let deleted = 0;
    for (const seq of seqsIn(seqs)) {
      deleted += Number(this.#deleteRequest.run(seq).changes);
      for (const statement of this.#deleteRelated) statement.run(seq);
    }
    this.#deleteBlockRow.run(block);
    return deleted;
  }

  /** Deletes figures, feedback and spending that are too old. @returns whether there were any */
  #deleteOthers(oldest: number, now: number): boolean {
    const hadFigures = this.#figures.deleteBefore(Math.floor(oldest / 60_000));
    const hadFeedback = this.#deleteFeedback(oldest);
    return this.#deleteSpending(dayOf(now) - spendingDays) || hadFeedback || hadFigures;
  }

  /**
   * Frees space by deleting data that is less valuable than records: feedback without records, then old figures.
   *
   * @returns whether there was any
   */
  #deleteBeforeRecords(size: number): boolean {
    const { first } = this.#db.prepare('SELECT min(seq) / 1000 AS first FROM requests').get() as { first: number | null };
    if (this.#deleteFeedback(first ?? Number.MAX_SAFE_INTEGER)) return true;
    this.#areFiguresLarge ??= this.#figures.bytes() > size * figuresShare;
    if (!this.#areFiguresLarge || !this.#figures.deleteOldest()) return false;
    this.#areFiguresLarge = this.#figures.bytes() > size * figuresShare * lowWater;
    return true;
  }

  #deleteFeedback(before: number): boolean {
    const statement = prepareChange(this.#db, 'DELETE FROM feedback WHERE id IN (SELECT id FROM feedback WHERE at < ? LIMIT 500)');
    return Number(statement.run(before).changes) > 0;
  }

  /** @param before Unix day number */
  #deleteSpending(before: number): boolean {
    const old = `SELECT day, key FROM spending WHERE day < ? LIMIT ${spendingOfSlice}`;
    return Number(prepareChange(this.#db, `DELETE FROM spending WHERE (day, key) IN (${old})`).run(before).changes) > 0;
  }
}
