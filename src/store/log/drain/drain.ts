import { statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../../core/text/error-code.ts';
import { listSegments, originalNameOf } from '../../spool.ts';
import type { Batch, LogStore, StoredEntry } from '../log-store.ts';
import { SegmentList } from './segment-list.ts';
import { type SegmentRead, SegmentWindow } from './segment-window.ts';
import { type Rejected, storeBatch } from './store-batch.ts';

/** Maximum segments whose stored frames are counted; the oldest are dropped. */
const maxCountedSegments = 1000;

/** The result of a step: it stored a batch and there is `more`, it stored the `last` one that there was, or it was `idle`. */
export type Step = 'more' | 'last' | 'idle';

/**
 * Moves a spool into a store: the records read and the new position are one transaction, and a segment is deleted after
 * the transaction that contains its end. After a crash at any point the same step is repeated, and stores nothing twice.
 */
export class SpoolDrain {
  readonly #dir: string;
  readonly #window = new SegmentWindow();
  /** What is left of the last list of the segments. */
  #segments: SegmentList | undefined;
  /** Offset up to which each segment is stored; undefined until the store has returned the positions. */
  #offsets: Map<string, number> | undefined;
  /** The positions known before the store became unavailable. Eviction uses them in the meantime. */
  #lastKnown: ReadonlyMap<string, number> | undefined;
  #deletedSegments: string[] = [];
  /** Number of stored frames of each segment that is not completely stored. */
  readonly #storedFrames = new Map<string, number>();
  /** Bytes that are not frames and never can be, as after a power failure. The torn end that a killed process leaves is not counted. */
  damagedBytes = 0;
  readonly rejected: Rejected = { count: 0, why: '' };

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The store was replaced: the positions are requested again. */
  reset(): void {
    this.#lastKnown = this.#offsets ?? this.#lastKnown;
    this.#offsets = undefined;
    this.#deletedSegments = [];
  }

  /** Offset up to which a segment is stored; undefined if unknown. */
  offsetOf(segment: string): number | undefined {
    const offsets = this.#offsets ?? this.#lastKnown;
    return offsets === undefined ? undefined : (offsets.get(segment) ?? 0);
  }

  /** Performs one transaction. Rejects with errors of the store or the file system; the next step retries the same records. */
  async step(store: LogStore): Promise<Step> {
    const offsets = this.#offsets ?? (await this.#loadOffsets(store));
    const batch = this.#nextBatch(offsets);
    if (batch !== undefined) {
      await storeBatch(store, batch, this.rejected);
      this.#deletedSegments = [];
      this.#setStored(batch, offsets);
      return this.#segments?.current === undefined ? 'last' : 'more';
    }
    if (this.#deletedSegments.length > 0) {
      await store.write({ records: [], amendments: [], positions: [], deletedSegments: this.#deletedSegments });
      this.#deletedSegments = [];
    }
    return 'idle';
  }

  /** Undefined if nothing is to be stored. Deletes segments that are completely stored. */
  #nextBatch(offsets: Map<string, number>): Batch | undefined {
    for (let isNew = false; ; ) {
      const segment = this.#segments?.current;
      if (segment === undefined) {
        if (isNew) return undefined;
        this.#segments = new SegmentList(this.#dir);
        isNew = true;
        continue;
      }
      const found = this.#read(segment, offsets.get(segment) ?? 0);
      if (found === undefined) {
        // It was evicted, or has another name because its bodies were.
        this.#segments = new SegmentList(this.#dir);
        continue;
      }
      const isClosed = this.#segments?.isClosed === true;
      // What is written to an open segment from now on waits for the next list: small batches cost more per record.
      if (found.entries.length === 0 || (found.following !== 'more' && !isClosed)) this.#segments?.advance();
      if (found.entries.length > 0) return this.#batchOf(segment, found);
      if (isClosed) this.#delete(segment, found, offsets);
    }
  }

  #setStored({ records, amendments, positions }: Batch, offsets: Map<string, number>): void {
    for (const { segment, offset } of positions) {
      offsets.set(segment, offset);
      const name = originalNameOf(segment);
      this.#storedFrames.set(name, (this.#storedFrames.get(name) ?? 0) + records.length + amendments.length);
    }
    if (this.#storedFrames.size > maxCountedSegments) this.#storedFrames.delete(this.#storedFrames.keys().next().value ?? '');
  }

  /** Number of frames that this process stored, for each segment that was evicted before it was completely stored. */
  storedFramesOfEvicted(): Readonly<Record<string, number>> {
    const existing = new Set(listSegments(this.#dir).map(originalNameOf));
    return Object.fromEntries([...this.#storedFrames].filter(([segment]) => !existing.has(segment)));
  }

  /** Bytes that are not stored yet. */
  pendingBytes(): number {
    let bytes = 0;
    for (const segment of listSegments(this.#dir)) bytes += this.#remainingBytes(segment, this.offsetOf(segment) ?? 0);
    return bytes;
  }

  async #loadOffsets(store: LogStore): Promise<Map<string, number>> {
    const offsets = new Map(await store.positions());
    const existing = new Set(listSegments(this.#dir));
    for (const segment of offsets.keys()) {
      if (existing.has(segment)) continue;
      offsets.delete(segment);
      this.#deletedSegments.push(segment);
    }
    this.#offsets = offsets;
    return offsets;
  }

  /** Undefined if the segment no longer exists, because it was evicted. */
  #read(segment: string, from: number): SegmentRead | undefined {
    try {
      return this.#window.read(join(this.#dir, segment), from);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #batchOf(segment: string, found: SegmentRead): Batch {
    const records: StoredEntry[] = [];
    const amendments: { id: string; end: Batch['amendments'][number]['end'] }[] = [];
    for (const read of found.entries) {
      if (read.kind === 'record') records.push(read.entry);
      else amendments.push({ id: read.id, end: read.end });
    }
    return { records, amendments, positions: [{ segment, offset: found.next }], deletedSegments: this.#deletedSegments };
  }

  #remainingBytes(segment: string, from: number): number {
    const size = statSync(join(this.#dir, segment), { throwIfNoEntry: false })?.size ?? 0;
    return Math.max(0, size - from);
  }

  #delete(segment: string, { following, next }: SegmentRead, offsets: Map<string, number>): void {
    if (following === 'broken') this.damagedBytes += this.#remainingBytes(segment, next);
    try {
      unlinkSync(join(this.#dir, segment));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
    this.#storedFrames.delete(originalNameOf(segment));
    if (offsets.delete(segment)) this.#deletedSegments.push(segment);
  }
}
