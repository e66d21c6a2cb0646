import type { LogRecord } from '../../core/records/record.ts';

/** A record and the bodies that are stored behind it, in this order. */
export interface SealedRecord {
  readonly record: LogRecord;
  readonly request: readonly Buffer[];
  readonly upstream: readonly Buffer[];
  readonly response: readonly Buffer[];
}

/** Where records go: appends all of them with one write, and never throws. */
export type Append = (records: readonly SealedRecord[]) => void;

/**
 * Holds back the end of each answer until its record is in the spool. All requests that finish in one
 * turn of the event loop share one write; then their ends go out.
 */
export class GroupCommit {
  readonly #append: Append;
  readonly #onDefect: (error: unknown) => void;
  #waiting: { sealed: SealedRecord; end: () => void }[] = [];

  /** @param onDefect told of what was thrown where nothing may be */
  constructor(append: Append, onDefect: (error: unknown) => void) {
    this.#append = append;
    this.#onDefect = onDefect;
  }

  /** `end` is called in the same turn, after the write. */
  add(sealed: SealedRecord, end: () => void): void {
    this.#waiting.push({ sealed, end });
    if (this.#waiting.length === 1) setImmediate(this.#flush);
  }

  /** Writes what waits now: before the process ends. */
  flush(): void {
    this.#flush();
  }

  readonly #flush = (): void => {
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    try {
      this.#append(batch.map((each) => each.sealed));
    } catch (error) {
      this.#onDefect(error);
    }
    for (const each of batch) {
      // One that throws must not keep the ends of the others back.
      try {
        each.end();
      } catch (error) {
        this.#onDefect(error);
      }
    }
  };
}
