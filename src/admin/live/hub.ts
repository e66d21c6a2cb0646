import { bareRow } from '../../core/logs/contents.ts';
import { toRow, type LogRow } from '../../core/logs/row.ts';
import type { LogRecord } from '../../core/records/record.ts';
import type { Mask } from '../../core/secrets/mask.ts';

/** One row on its way to readers. */
export class LiveRow {
  /** Grows by one; the same numbers never mean other rows within one life of the process. */
  readonly id: number;
  readonly row: LogRow;
  readonly #texts = new Map<boolean, { readonly mask: Mask; readonly text: string }>();

  constructor(id: number, row: LogRow) {
    this.id = id;
    this.row = row;
  }

  /** As JSON with secrets masked: made once for all readers. @param isBare without what users wrote */
  text(isBare: boolean, mask: Mask): string {
    const kept = this.#texts.get(isBare);
    if (kept?.mask === mask) return kept.text;
    const text = mask.text(JSON.stringify(isBare ? bareRow(this.row) : this.row));
    this.#texts.set(isBare, { mask, text });
    return text;
  }
}

/** Rows that are kept at least for readers who come back after a break; at most twice as many. */
const most = 500;
/** How long rows are kept when nobody reads, in milliseconds. */
const restMs = 60_000;
/** Milliseconds that requests wait for others: many rows at once cost the event loop a fraction of one after the other. */
const gatherMs = 150;
/** Requests that wait at most. */
const mostGathered = 200;

/** Who follows the log. */
export interface LiveReader {
  take(row: LiveRow): void;
  /** Some rows came, and no more do for now. */
  flush(): void;
}

/** Finished requests for readers. Costs nothing per request while nobody reads. */
export class LiveHub {
  readonly #readers = new Set<LiveReader>();
  readonly #recent: LiveRow[] = [];
  readonly #now: () => number;
  #gathered: LogRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #leftAt = Number.NEGATIVE_INFINITY;

  readonly #onFault: (error: unknown) => void;
  /** Somebody reads from now on. */
  onReader: (() => void) | undefined;

  /**
   * @param now monotonic milliseconds
   * @param onFault given what went wrong with a row: the others are not concerned
   */
  constructor(now: () => number, onFault: (error: unknown) => void) {
    this.#now = now;
    this.#onFault = onFault;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** The number of the newest row. */
  get last(): number {
    this.flush();
    return this.#last;
  }

  /** Rows are kept for somebody, or soon may be. */
  get isFollowed(): boolean {
    return this.#readers.size > 0 || this.#now() - this.#leftAt <= restMs;
  }

  /** So many requests were finished that nobody was told of. */
  skip(count: number): void {
    if (count === 0) return;
    this.flush();
    this.#recent.length = 0;
    this.#last += count;
  }

  tell(record: LogRecord): void {
    if (!this.isFollowed) {
      this.skip(1);
      return;
    }
    this.#gathered.push(record);
    if (this.#gathered.length >= mostGathered) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), gatherMs).unref();
  }

  /** Gives readers what waits. */
  flush(): void {
    if (this.#gathered.length === 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered = this.#gathered;
    this.#gathered = [];
    for (const record of gathered) this.#safely(() => this.#take(record));
    if (this.#recent.length >= 2 * most) this.#recent.splice(0, this.#recent.length - most);
    for (const reader of this.#readers) this.#safely(() => reader.flush());
  }

  #take(record: LogRecord): void {
    this.#last += 1;
    const live = new LiveRow(this.#last, toRow(record));
    this.#recent.push(live);
    for (const reader of this.#readers) reader.take(live);
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onFault(error);
    }
  }

  /** Rows behind this number; undefined where some of them are not kept any more. */
  since(id: number): readonly LiveRow[] | undefined {
    this.flush();
    if (id > this.#last) return undefined;
    const missed = this.#recent.filter((one) => one.id > id);
    return missed.length === this.#last - id ? missed : undefined;
  }

  /** @returns ends it */
  add(reader: LiveReader): () => void {
    this.flush();
    this.#readers.add(reader);
    this.onReader?.();
    return () => {
      this.flush();
      this.#readers.delete(reader);
      this.#leftAt = this.#now();
    };
  }
}
