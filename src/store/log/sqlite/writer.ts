import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { storable } from '../../../query/text.ts';
import { FiguresOf, SeenValues } from '../figures.ts';
import type { Batch, FrameSlice, StoredEntry } from '../log-store.ts';
import { seqFor, seqStep, storedAt } from '../schema.ts';
import type { StoredRow } from '../stored-row.ts';
import { blockBytes, blockRecords, packBlock, packSeqs } from './blocks.ts';
import { BucketWriter } from './buckets.ts';
import { costOf } from './columns.ts';
import { indexedMark } from './indexer.ts';
import { RowInserter } from './insert.ts';
import { changing } from './open.ts';

interface Statements {
  readonly block: StatementSync;
  readonly tag: StatementSync;
  readonly position: StatementSync;
  readonly deletePosition: StatementSync;
  readonly used: StatementSync;
  readonly seqOf: StatementSync;
  readonly amend: StatementSync;
  readonly amendRow: StatementSync;
}

/** Writes batches, each in one transaction. Calls must not overlap. */
export class BatchWriter {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #rows: RowInserter;
  readonly #buckets: BucketWriter;
  readonly #seen = new SeenValues();
  /** Number of the next block, and of the next row within its millisecond. */
  #block: number;
  #row = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#statements = prepare(db);
    this.#rows = new RowInserter(db);
    this.#buckets = new BucketWriter(db);
    // Also after deleted blocks: a reused number would count as already indexed.
    const { newest } = db
      .prepare('SELECT max(coalesce((SELECT max(block) FROM blocks), 0), coalesce((SELECT value FROM marks WHERE name = ?), 0)) AS newest')
      .get(indexedMark) as { newest: number };
    this.#block = newest + 1;
  }

  /** @returns number of records that were not stored before. @throws SQLite errors; then nothing of the batch is stored */
  write(batch: Batch): number {
    const block = this.#block;
    let stored = 0;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      stored = this.#records(batch.records);
      for (const amendment of batch.amendments) this.#amend(amendment);
      for (const { segment, offset } of batch.positions) this.#statements.position.run(segment, offset);
      for (const segment of batch.gone) this.#statements.deletePosition.run(segment);
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#block = block;
      // A full disk or a damaged file may have ended the transaction already.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
    return stored;
  }

  /** @returns number of records that were not stored before */
  #records(entries: readonly StoredEntry[]): number {
    const figures = new FiguresOf(this.#seen);
    const used = new Map<string, number>();
    let open = new OpenBlock();
    let stored = 0;
    for (const entry of entries) {
      const { row } = entry;
      const cost = costOf(row);
      const seq = this.#insert(row, cost, open.bytes);
      if (seq === undefined) continue;
      stored += 1;
      open.add(seq, row.at, entry.place);
      this.#tags(seq, row);
      figures.add(row, cost);
      const { key_id: key, at } = row;
      if (key && at > (used.get(key) ?? 0)) used.set(key, at);
      if (!open.isFull) continue;
      this.#close(open);
      open = new OpenBlock();
    }
    this.#close(open);
    for (const [key, at] of used) this.#statements.used.run(key, at);
    for (const bucket of figures.values()) this.#buckets.add(bucket);
    return stored;
  }

  /** Undefined if the record is already stored. */
  #insert(row: StoredRow, cost: bigint | null, start: number): number | undefined {
    const at = storedAt(row.at);
    for (let tries = 0; ; tries += 1) {
      this.#row = (this.#row + 1) % seqStep;
      const seq = seqFor(at, tries) + this.#row;
      try {
        return this.#rows.insert(seq, this.#block, start, row, cost) ? seq : undefined;
      } catch (error) {
        // The number was used before the last start. 1555: SQLITE_CONSTRAINT_PRIMARYKEY.
        if ((error as { errcode?: unknown }).errcode !== 1555) throw error;
      }
    }
  }

  #tags(seq: number, { meta, label }: StoredRow): void {
    for (const name in meta) this.#statements.tag.run('meta', name, meta[name] ?? '', seq);
    for (const name in label) this.#statements.tag.run('label', name, label[name] ?? '', seq);
  }

  #close({ pieces, seqs, newest }: OpenBlock): void {
    if (seqs.length === 0) return;
    const frames = pieces.map(({ bytes, from, to }) => bytes.subarray(from, to));
    this.#statements.block.run(this.#block, newest, packSeqs(seqs), packBlock(frames));
    this.#block += 1;
  }

  /** An amendment whose record is missing or was deleted changes nothing. */
  #amend({ id, end }: Batch['amendments'][number]): void {
    const found = this.#statements.seqOf.get(storable(id)) as { seq: number } | undefined;
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
    block: changing(db, 'INSERT INTO blocks (block, newest, seqs, bytes) VALUES (?, ?, ?, ?)'),
    tag: changing(db, 'INSERT OR IGNORE INTO tags (kind, name, value, seq) VALUES (?, ?, ?, ?)'),
    position: changing(db, 'INSERT OR REPLACE INTO positions (segment, "offset") VALUES (?, ?)'),
    deletePosition: changing(db, 'DELETE FROM positions WHERE segment = ?'),
    used: changing(db, 'INSERT INTO keys_used (key_id, at) VALUES (?, ?) ON CONFLICT (key_id) DO UPDATE SET at = max(at, excluded.at)'),
    seqOf: db.prepare('SELECT seq FROM requests WHERE id = ?'),
    amend: changing(db, 'INSERT OR REPLACE INTO amendments (seq, amended) VALUES (?, ?)'),
    amendRow: changing(db, 'UPDATE requests SET "end" = ?, latency = ? WHERE seq = ?'),
  };
}
