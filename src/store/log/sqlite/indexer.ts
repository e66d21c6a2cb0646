import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { toRow } from '../../../core/logs/row.ts';
import { searchTextOf } from '../../../query/match.ts';
import { headAt, seqsIn, unpackBlock } from './blocks.ts';
import { prepareChange } from './open.ts';

/** Blocks per slice, which takes some milliseconds. Each slice becomes a segment of the index, and few large ones are cheaper to merge. */
const blocksOfSlice = 16;
/** Blocks that may wait while records keep arriving: up to 131,072 records, which a query can search in its time without the index. */
const maxWaitingBlocks = 1024;
/** Name in `marks` for the last block whose words are indexed. */
export const indexedMark = 'indexed';

/** Adds rows to the full-text index, a few blocks at a time, in the order in which they were stored. */
export class TextIndexer {
  readonly #db: DatabaseSync;
  readonly #newest: StatementSync;
  readonly #next: StatementSync;
  readonly #startOf: StatementSync;
  readonly #add: StatementSync;
  readonly #mark: StatementSync;
  #lastIndexed: number;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#newest = db.prepare('SELECT max(block) AS block FROM blocks');
    this.#next = db.prepare('SELECT block, seqs, bytes FROM blocks WHERE block > ? ORDER BY block LIMIT ?');
    this.#startOf = db.prepare('SELECT start FROM requests WHERE seq = ?');
    this.#add = prepareChange(db, 'INSERT INTO texts (rowid, words) VALUES (?, ?)');
    this.#mark = prepareChange(db, 'INSERT OR REPLACE INTO marks (name, value) VALUES (?, ?)');
    // Earlier versions restarted block numbers in an empty file. The current blocks of such a file are not indexed.
    prepareChange(db, 'DELETE FROM marks WHERE name = ? AND value > (SELECT max(block) FROM blocks)').run(indexedMark);
    const mark = db.prepare('SELECT value FROM marks WHERE name = ?').get(indexedMark) as { value: number } | undefined;
    this.#lastIndexed = mark?.value ?? 0;
  }

  /** Indexes one slice. @returns whether there is more */
  slice(which: 'all' | 'many'): boolean {
    if (which === 'many' && !this.#areMany()) return false;
    const blocks = this.#next.all(this.#lastIndexed, blocksOfSlice) as unknown as { block: number; seqs: Uint8Array; bytes: Uint8Array }[];
    const last = blocks.at(-1)?.block;
    if (last === undefined) return false;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const { seqs, bytes } of blocks) this.#index(seqsIn(seqs), unpackBlock(bytes));
      this.#mark.run(indexedMark, last);
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
    this.#lastIndexed = last;
    return blocks.length === blocksOfSlice;
  }

  /** Numbers of blocks are consecutive, so their difference is the count, or more if retention has deleted some. */
  #areMany(): boolean {
    const { block } = this.#newest.get() as { readonly block: number | null };
    return (block ?? 0) - this.#lastIndexed > maxWaitingBlocks;
  }

  #index(seqs: Float64Array, block: Buffer): void {
    for (const seq of seqs) {
      const found = this.#startOf.get(seq) as { start: number } | undefined;
      const decoded = found === undefined ? undefined : headAt(block, found.start);
      if (decoded?.entry.kind === 'record') this.#add.run(seq, searchTextOf(toRow(decoded.entry.record)));
    }
  }
}
