import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { toStorable } from '../../../query/text.ts';
import { FiguresBuilder, TrackedValues } from '../figures.ts';
import type { Batch, FrameSlice, StoredEntry } from '../log-store.ts';
import { seqRangeStart, seqStep, storedAt } from '../schema.ts';
import { costOf, type StoredRow } from '../stored-row.ts';
import { blockBytes, blockRecords, packBlock, packSeqs } from './blocks.ts';
import { BucketWriter } from './buckets.ts';
import { indexedMark } from './indexer.ts';
import { RowInserter } from './insert.ts';
import { prepareChange } from './open.ts';

interface Statements {
  readonly block: StatementSync;
  readonly tag: StatementSync;
  readonly position: StatementSync;
  readonly deletePosition: StatementSync;
  readonly used: StatementSync;
  readonly spent: StatementSync;
  readonly seqOf: StatementSync;
  readonly amend: StatementSync;
  readonly amendRow: StatementSync;
}

/** Writes batches, each in one transaction. Calls must not overlap. */
export class SqliteBatchWriter {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #rows: RowInserter;
  readonly #buckets: BucketWriter;
  readonly #trackedValues = new TrackedValues();
  /** Number of the next block, and of the next row within its millisecond. */
  #nextBlock: number;
  #lastNumber = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#statements = prepare(db);
    this.#rows = new RowInserter(db);
    this.#buckets = new BucketWriter(db);
    // Also after deleted blocks: a reused number would count as already indexed.
    const { newest } = db
      .prepare('SELECT max(coalesce((SELECT max(block) FROM blocks), 0), coalesce((SELECT value FROM marks WHERE name = ?), 0)) AS newest')
      .get(indexedMark) as { newest: number };
    this.#nextBlock = newest + 1;
  }

  /** @returns number of records that were not stored before. @throws SQLite errors; then nothing of the batch is stored */
  write(batch: Batch): number {
    const block = this.#nextBlock;
    let stored = 0;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      stored = this.#writeRecords(batch.records);
      for (const amendment of batch.amendments) this.#amend(amendment);
      for (const { segment, offset } of batch.positions) this.#statements.position.run(segment, offset);
      for (const segment of batch.deletedSegments) this.#statements.deletePosition.run(segment);
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#nextBlock = block;
      // A full disk or a damaged file may have ended the transaction already.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
    return stored;
  }

  /** @returns number of records that were not stored before */
  #writeRecords(entries: readonly StoredEntry[]): number {
    const figures = new FiguresBuilder(this.#trackedValues);
    const used = new Map<string, number>();
    let open = new OpenBlock();
    let stored = 0;
    for (const entry of entries) {
      const { row } = entry;
      const cost = costOf(row);
      const seq = this.#insert(row, cost, open.bytes);
      if (seq === undefined) continue;
      stored += 1;
      open.add(seq, row.at, entry.slice);
      this.#writeTags(seq, row);
      figures.add(row, cost);
      const { key_id: key, at } = row;
      if (key && at > (used.get(key) ?? 0)) used.set(key, at);
      if (!open.isFull) continue;
      this.#writeBlock(open);
      open = new OpenBlock();
    }
    this.#writeBlock(open);
    for (const [key, at] of used) this.#statements.used.run(key, at);
    for (const { day, key, cost, unpriced } of figures.spending()) this.#statements.spent.run(day, key, cost, unpriced);
    for (const bucket of figures.values()) this.#buckets.add(bucket);
    return stored;
  }

  /** Undefined if the record is already stored. */
  #insert(row: StoredRow, cost: bigint | null, start: number): number | undefined {
    const at = storedAt(row.at);
    for (let tries = 0; ; tries += 1) {
      this.#lastNumber = (this.#lastNumber + 1) % seqStep;
      const seq = seqRangeStart(at, tries) + this.#lastNumber;
      try {
        return this.#rows.insert(seq, this.#nextBlock, start, row, cost) ? seq : undefined;
      } catch (error) {
        // The number was used before the last start. 1555: SQLITE_CONSTRAINT_PRIMARYKEY.
        if ((error as { errcode?: unknown }).errcode !== 1555) throw error;
      }
    }
  }

  #writeTags(seq: number, { meta, label }: StoredRow): void {
    for (const name in meta) this.#statements.tag.run('meta', name, meta[name] ?? '', seq);
    for (const name in label) this.#statements.tag.run('label', name, label[name] ?? '', seq);
  }

  #writeBlock({ pieces, seqs, newest }: OpenBlock): void {
    if (seqs.length === 0) return;
    const frames = pieces.map(({ bytes, from, to }) => bytes.subarray(from, to));
    this.#statements.block.run(this.#nextBlock, newest, packSeqs(seqs), packBlock(frames));
    this.#nextBlock += 1;
  }

  /** An amendment whose record is missing or was deleted changes nothing. */
  #amend({ id, end }: Batch['amendments'][number]): void {
    const found = this.#statements.seqOf.get(toStorable(id)) as { seq: number } | undefined;
    if (found === undefined) return;
    this.#statements.amend.run(found.seq, JSON.stringify(end));
    this.#statements.amendRow.run(end.end, end.total, found.seq);
  }
}

/** The block being filled. */
class OpenBlock {
  readonly pieces: { readonly bytes: Buffer; readonly from: number; to: number }[] = [];
  readonly seqs: number[] = [];
  bytes = 0;
  newest = 0;

  get isFull(): boolean {
    return this.seqs.length >= blockRecords || this.bytes >= blockBytes;
  }

  add(seq: number, at: number, { bytes, from, to }: FrameSlice): void {
    const last = this.pieces.at(-1);
    if (last?.bytes === bytes && last.to === from) last.to = to;
    else this.pieces.push({ bytes, from, to });
    this.seqs.push(seq);
    this.bytes += to - from;
    this.newest = Math.max(this.newest, at);
  }
}

function prepare(db: DatabaseSync): Statements {
  return {
    block: prepareChange(db, 'INSERT INTO blocks (block, newest, seqs, bytes) VALUES (?, ?, ?, ?)'),
    tag: prepareChange(db, 'INSERT OR IGNORE INTO tags (kind, name, value, seq) VALUES (?, ?, ?, ?)'),
    position: prepareChange(db, 'INSERT OR REPLACE INTO positions (segment, "offset") VALUES (?, ?)'),
    deletePosition: prepareChange(db, 'DELETE FROM positions WHERE segment = ?'),
    used: prepareChange(
      db,
      'INSERT INTO keys_used (key_id, at) VALUES (?, ?) ON CONFLICT (key_id) DO UPDATE SET at = max(at, excluded.at)',
    ),
    // A sum beyond an integer becomes a real number, which the cast limits.
    spent: prepareChange(
      db,
      `INSERT INTO spending (day, key, cost, unpriced) VALUES (?, ?, ?, ?)
       ON CONFLICT (day, key) DO UPDATE SET cost = CAST(cost + excluded.cost AS INTEGER), unpriced = unpriced + excluded.unpriced`,
    ),
    seqOf: db.prepare('SELECT seq FROM requests WHERE id = ?'),
    amend: prepareChange(db, 'INSERT OR REPLACE INTO amendments (seq, amended) VALUES (?, ?)'),
    amendRow: prepareChange(db, 'UPDATE requests SET "end" = ?, latency = ? WHERE seq = ?'),
  };
}
