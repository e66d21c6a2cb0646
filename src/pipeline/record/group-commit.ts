import type { MaskingJob } from '../../core/redaction/bodies.ts';
import type { LogRecord } from '../../core/records/record.ts';

/** A record and the bodies that are stored after it, in this order. */
export interface FullRecord {
  readonly record: LogRecord;
  readonly request: readonly Buffer[];
  readonly upstream: readonly Buffer[];
  readonly response: readonly Buffer[];
  /** Bodies that are not masked yet. Nothing of the record may be written until they are. */
  readonly later?: MaskingJob | undefined;
}

/** Reports whether this many bytes may be masked in the current turn of the event loop. */
export type MayMask = (bytes: number) => boolean;

/** Masks bodies that are too large for the event loop. Each job ends in bounded time, masked or not. */
export interface Masking {
  add(job: MaskingJob): void;
  /** Ends all waiting jobs without masking. Called before the process ends. */
  flush(): void;
}

/** Milliseconds that a byte of the most expensive text takes (rows of single digits); most texts take 3 to 6 ns a byte. */
const worstMsPerByte = 0.0005;
/**
 * Bytes of one record that are searched on the event loop: at most 8 ms. The masking thread costs several times as much per
 * record, and streams often end together: further records are masked in the same turn of the event loop until it has
 * spent 8 ms on masking.
 */
export const maxBytesPerRecord = 16 * 1024;
const maxMsPerTurn = maxBytesPerRecord * worstMsPerByte;

/** Appends all records with one write. Never throws. */
export type Append = (records: readonly FullRecord[]) => void;

/**
 * Holds back the end of each response until its record is in the spool. All requests that finish in one turn of the event
 * loop share one write; their ends are sent after it.
 */
export class GroupCommit {
  readonly #append: Append;
  readonly #masking: Masking;
  readonly #onDefect: (error: unknown) => void;
  readonly #now: () => number;
  #waiting: { entry: FullRecord; end: () => void }[] = [];
  /** Milliseconds of this turn in which records were masked. */
  #maskedMs = 0;
  /** Start of the masking in progress, in monotonic milliseconds, and its bytes. */
  #maskingStart: number | undefined;
  #bytes = 0;

  /**
   * @param onDefect called with errors of callbacks that must not throw
   * @param now monotonic milliseconds
   */
  constructor(append: Append, masking: Masking, onDefect: (error: unknown) => void, now: () => number) {
    this.#now = now;
    this.#append = append;
    this.#masking = masking;
    this.#onDefect = onDefect;
  }

  /** Call it only for a record that is added in the same turn. */
  readonly mayMask: MayMask = (bytes) => {
    if (bytes > maxBytesPerRecord || this.#maskedMs > maxMsPerTurn) return false;
    this.#maskingStart = this.#now();
    this.#bytes = bytes;
    return true;
  };

  /** Calls `end` after the write: in the same turn, or once the bodies are masked. */
  add(entry: FullRecord, end: () => void): void {
    // On a busy machine the process may have been suspended meanwhile: that is no reason to start a thread.
    if (this.#maskingStart !== undefined) this.#maskedMs += Math.min(this.#now() - this.#maskingStart, this.#bytes * worstMsPerByte);
    this.#maskingStart = undefined;
    const { later } = entry;
    if (later === undefined) {
      this.#push(entry, end);
      return;
    }
    const done: MaskingJob['done'] = (masked, counts) => {
      try {
        later.done(masked, counts);
      } catch (error) {
        this.#onDefect(error);
      }
      this.#push(entry, end);
    };
    this.#masking.add({ ...later, done });
  }

  #push(entry: FullRecord, end: () => void): void {
    this.#waiting.push({ entry, end });
    if (this.#waiting.length === 1) setImmediate(this.#flush);
  }

  /** Writes all waiting records now. Called before the process ends. */
  flush(): void {
    this.#masking.flush();
    this.#flush();
  }

  readonly #flush = (): void => {
    this.#maskedMs = 0;
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    try {
      this.#append(batch.map((each) => each.entry));
    } catch (error) {
      this.#onDefect(error);
    }
    for (const each of batch) {
      // An error in one callback must not hold back the ends of the other responses.
      try {
        each.end();
      } catch (error) {
        this.#onDefect(error);
      }
    }
  };
}
