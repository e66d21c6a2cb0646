import { rowWithoutContent } from '../../core/logs/contents.ts';
import { toRow, type LogRow } from '../../core/logs/row.ts';
import type { LogRecord } from '../../core/records/record.ts';
import type { Mask } from '../../core/secrets/mask.ts';

/** One row, sent to all readers. */
export class LiveRow {
  /** Increments by one per request. Within one process, a number always means the same row. */
  readonly id: number;
  readonly row: LogRow;
  readonly #texts = new Map<boolean, { readonly mask: Mask; readonly text: string }>();

  constructor(id: number, row: LogRow) {
    this.id = id;
    this.row = row;
  }

  /** The row as JSON with secrets masked, serialized once for all readers. @param isBare omits texts written by users */
  text(isBare: boolean, mask: Mask): string {
    const kept = this.#texts.get(isBare);
    if (kept?.mask === mask) return kept.text;
    const text = mask.text(JSON.stringify(isBare ? rowWithoutContent(this.row) : this.row));
    this.#texts.set(isBare, { mask, text });
    return text;
  }
}

/** Minimum number of rows kept for readers that reconnect; at most twice as many are kept. */
const minKeptRows = 500;
/** How long rows are kept without a reader, in milliseconds. */
const keepAfterLastReaderMs = 60_000;
/** Milliseconds for which records are batched: sending many rows at once is much cheaper for the event loop than one by one. */
const batchMs = 150;
/** Maximum batch size. */
const maxBatch = 200;

/** A reader of the live log. */
export interface LiveReader {
  /** Identifies the user. */
  readonly owner: string;
  addRow(row: LiveRow): void;
  /** Called after the last row of a batch. */
  flush(): void;
}

/** Delivers finished requests to readers. No cost per request while there are no readers. */
export class LiveHub {
  readonly #readers = new Set<LiveReader>();
  readonly #recent: LiveRow[] = [];
  readonly #now: () => number;
  #batch: LogRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #lastReaderLeftAt = Number.NEGATIVE_INFINITY;

  readonly #onFault: (error: unknown) => void;
  /** Called when a reader is added. */
  onReader: (() => void) | undefined;

  /**
   * @param now monotonic milliseconds
   * @param onFault called with an error that affects one row or reader only
   */
  constructor(now: () => number, onFault: (error: unknown) => void) {
    this.#now = now;
    this.#onFault = onFault;
  }

  get readers(): number {
    return this.#readers.size;
  }

  readersOf(owner: string): number {
    return [...this.#readers].filter((reader) => reader.owner === owner).length;
  }

  /** Number of the newest row. */
  get last(): number {
    this.flush();
    return this.#last;
  }

  /** True while there is a reader, or one disconnected a short time ago and may return. */
  get isFollowed(): boolean {
    return this.#readers.size > 0 || this.#now() - this.#lastReaderLeftAt <= keepAfterLastReaderMs;
  }

  /** Counts requests that finished without a row. */
  skip(count: number): void {
    if (count === 0) return;
    this.flush();
    this.#recent.length = 0;
    this.#last += count;
  }

  publish(record: LogRecord): void {
    if (!this.isFollowed) {
      this.skip(1);
      return;
    }
    this.#batch.push(record);
    if (this.#batch.length >= maxBatch) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), batchMs).unref();
  }

  /** Delivers the waiting rows. */
  flush(): void {
    if (this.#batch.length === 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch;
    this.#batch = [];
    for (const record of batch) this.#safely(() => this.#deliver(record));
    if (this.#recent.length >= 2 * minKeptRows) this.#recent.splice(0, this.#recent.length - minKeptRows);
    for (const reader of this.#readers) this.#safely(() => reader.flush());
  }

  #deliver(record: LogRecord): void {
    this.#last += 1;
    const live = new LiveRow(this.#last, toRow(record));
    this.#recent.push(live);
    for (const reader of this.#readers) reader.addRow(live);
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onFault(error);
    }
  }

  /** Returns the rows after this number; undefined if some of them are no longer kept. */
  since(id: number): readonly LiveRow[] | undefined {
    this.flush();
    if (id > this.#last) return undefined;
    const missed = this.#recent.filter((one) => one.id > id);
    return missed.length === this.#last - id ? missed : undefined;
  }

  /** @returns a function that removes the reader */
  add(reader: LiveReader): () => void {
    this.flush();
    this.#readers.add(reader);
    this.onReader?.();
    return () => {
      this.flush();
      this.#readers.delete(reader);
      this.#lastReaderLeftAt = this.#now();
    };
  }
}
