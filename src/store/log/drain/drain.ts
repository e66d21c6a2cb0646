import { storeFeedback } from '../feedback.ts';
import { statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../../core/text/error-code.ts';
import { listSegments, openSegments, wholeName } from '../../spool.ts';
import type { Batch, LogStore, StoredEntry } from '../log-store.ts';
import { DamagedFrame } from './entry.ts';
import { type Look, SegmentWindow } from './segment-window.ts';

/** Segments whose frames are counted: of those that made room, the last ones. */
const mostCounted = 1000;

/** Codes of Postgres for what a record has (a text or a number that cannot be, too much of one), not for the state of the server. */
const codesOfRecords = /^(?:22|54)[0-9A-Z]{3}$/;

/** What became of a step. */
export type Step = 'more' | 'idle';

/**
 * Carries a spool over into a store: what was read and how far is one transaction, and a segment is deleted after the
 * transaction that has its end. After a crash at any point the same step is done again, and stores nothing twice.
 */
export class SpoolDrain {
  readonly #dir: string;
  readonly #window = new SegmentWindow();
  /** How far each segment is stored; undefined until the store has told. */
  #offsets: Map<string, number> | undefined;
  /** What was known before a store went away: what making room goes by meanwhile. */
  #lastKnown: ReadonlyMap<string, number> | undefined;
  #gone: string[] = [];
  /** Frames that were stored, of each segment that is not stored whole. */
  readonly #stored = new Map<string, number>();
  /** Bytes that were no frames and never can be: as after a power cut, not what a killed process left half written. */
  damaged = 0;
  /** Records that cannot be stored for what is in them, and what was said of the last one. */
  rejected = { count: 0, why: '' };

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Positions are asked for again: the store is another one. */
  reset(): void {
    this.#lastKnown = this.#offsets ?? this.#lastKnown;
    this.#offsets = undefined;
    this.#gone = [];
  }

  /** How far a segment is stored; undefined: unknown. */
  offsetOf(segment: string): number | undefined {
    const offsets = this.#offsets ?? this.#lastKnown;
    return offsets === undefined ? undefined : (offsets.get(segment) ?? 0);
  }

  /** One transaction. Rejects with what the store or the file system says; the next step tries the same again. */
  async step(store: LogStore): Promise<Step> {
    const offsets = this.#offsets ?? (await this.#recall(store));
    const segments = listSegments(this.#dir);
    let open: ReadonlySet<string> | undefined;
    for (const segment of segments) {
      const from = offsets.get(segment) ?? 0;
      const look = this.#read(segment, from);
      if (look === undefined) continue;
      if (look.entries.length > 0) {
        const batch = this.#batchOf(segment, look);
        await this.#store(store, batch);
        this.#gone = [];
        offsets.set(segment, look.next);
        this.#count(wholeName(segment), look.entries.length);
        return 'more';
      }
      // Those that are being written go on; what is torn there may become whole.
      if (segment === segments.at(-1)) break;
      if ((open ??= openSegments(segments)).has(segment)) continue;
      if (look.then === 'broken') this.damaged += this.#left(segment, look.next);
      this.#drop(segment, offsets);
    }
    if (this.#gone.length > 0) {
      await store.write({ records: [], amendments: [], positions: [], gone: this.#gone });
      this.#gone = [];
    }
    return 'idle';
  }

  /** Where a record cannot be stored, the others are: one at a time. What is stored twice meanwhile, the store knows. */
  async #store(store: LogStore, batch: Batch): Promise<void> {
    if (await this.#takes(store, batch)) return;
    const alone = { amendments: [], positions: [], gone: [] };
    let rejected = 0;
    for (const record of batch.records) {
      if (!(await this.#takes(store, { ...alone, records: [record] }))) rejected += 1;
    }
    await store.write({ ...batch, records: [] });
    // Where the database goes away before this, the next step finds them again.
    this.rejected.count += rejected;
  }

  /** False where it is the records that cannot be stored. Rejects with everything else. */
  async #takes(store: LogStore, batch: Batch): Promise<boolean> {
    try {
      await storeFeedback(store, batch.records);
      await store.write(batch);
      return true;
    } catch (error) {
      if (!(error instanceof DamagedFrame) && !codesOfRecords.test(errorCode(error))) throw error;
      this.rejected.why = error instanceof Error ? error.message : String(error);
      return false;
    }
  }

  #count(segment: string, frames: number): void {
    this.#stored.set(segment, (this.#stored.get(segment) ?? 0) + frames);
    if (this.#stored.size > mostCounted) this.#stored.delete(this.#stored.keys().next().value ?? '');
  }

  /** Frames that this process stored, of each segment that made room before it was stored whole. */
  storedOfGone(): Readonly<Record<string, number>> {
    const there = new Set(listSegments(this.#dir).map(wholeName));
    return Object.fromEntries([...this.#stored].filter(([segment]) => !there.has(segment)));
  }

  /** Bytes that are not stored yet. */
  behind(): number {
    let bytes = 0;
    for (const segment of listSegments(this.#dir)) bytes += this.#left(segment, this.offsetOf(segment) ?? 0);
    return bytes;
  }

  async #recall(store: LogStore): Promise<Map<string, number>> {
    const offsets = new Map(await store.positions());
    const there = new Set(listSegments(this.#dir));
    for (const segment of offsets.keys()) {
      if (there.has(segment)) continue;
      offsets.delete(segment);
      this.#gone.push(segment);
    }
    this.#offsets = offsets;
    return offsets;
  }

  /** Undefined where the segment is gone: it made room for newer ones. */
  #read(segment: string, from: number): Look | undefined {
    try {
      return this.#window.read(join(this.#dir, segment), from);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #batchOf(segment: string, look: Look): Batch {
    const records: StoredEntry[] = [];
    const amendments: { id: string; end: Batch['amendments'][number]['end'] }[] = [];
    for (const read of look.entries) {
      if (read.kind === 'record') records.push(read.entry);
      else amendments.push({ id: read.id, end: read.end });
    }
    return { records, amendments, positions: [{ segment, offset: look.next }], gone: this.#gone };
  }

  #left(segment: string, from: number): number {
    const size = statSync(join(this.#dir, segment), { throwIfNoEntry: false })?.size ?? 0;
    return Math.max(0, size - from);
  }

  #drop(segment: string, offsets: Map<string, number>): void {
    try {
      unlinkSync(join(this.#dir, segment));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
    this.#stored.delete(wholeName(segment));
    if (offsets.delete(segment)) this.#gone.push(segment);
  }
}
