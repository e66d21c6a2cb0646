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

/** Finished requests for readers. Costs nothing per request while nobody reads. */
export class LiveHub {
  readonly #readers = new Set<(row: LiveRow) => void>();
  readonly #recent: LiveRow[] = [];
  readonly #now: () => number;
  #last = 0;
  #leftAt = Number.NEGATIVE_INFINITY;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** The number of the newest row. */
  get last(): number {
    return this.#last;
  }

  tell(record: LogRecord): void {
    if (this.#readers.size === 0) {
      if (this.#recent.length === 0) {
        this.#last += 1;
        return;
      }
      if (this.#now() - this.#leftAt > restMs) this.#recent.length = 0;
    }
    this.#last += 1;
    const live = new LiveRow(this.#last, toRow(record));
    this.#recent.push(live);
    if (this.#recent.length >= 2 * most) this.#recent.splice(0, most);
    for (const reader of this.#readers) reader(live);
  }

  /** Rows behind this number; undefined where some of them are not kept any more. */
  since(id: number): readonly LiveRow[] | undefined {
    if (id > this.#last) return undefined;
    const missed = this.#recent.filter((one) => one.id > id);
    return missed.length === this.#last - id ? missed : undefined;
  }

  /** @returns ends it */
  add(reader: (row: LiveRow) => void): () => void {
    this.#readers.add(reader);
    return () => {
      this.#readers.delete(reader);
      this.#leftAt = this.#now();
    };
  }
}
