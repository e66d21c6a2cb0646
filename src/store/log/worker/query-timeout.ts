import { setImmediate as nextTurn } from 'node:timers/promises';
import { QueryTimeoutError } from '../query-timeout-error.ts';

/** Milliseconds allowed for one query to the request log, from its start; in a process of its own, milliseconds of CPU time. */
export const queryTimeoutMs = 5000;

/** Limits the time of queries, one after another. SQLite cannot be interrupted, so long queries are split into parts. */
export class QueryTimeout {
  readonly #limit: number;
  readonly #now: () => number;
  #deadline = Number.POSITIVE_INFINITY;
  /** Of the time that passes, on a busy machine: earlier than the reader is replaced, so that a query can end with what it has. */
  #latest = Number.POSITIVE_INFINITY;

  /** @param now monotonic milliseconds */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  begin(): void {
    this.#deadline = this.#now() + this.#limit;
    this.#latest = performance.now() + 2 * this.#limit;
  }

  /** Remaining milliseconds of the query. */
  get remaining(): number {
    return Math.min(this.#deadline - this.#now(), this.#latest - performance.now());
  }

  /**
   * Does not pause: a thread that sleeps and wakes is scheduled before others more often than one that keeps running.
   *
   * @throws GatewayError `log_unavailable` when the time of the query is over
   */
  async check(): Promise<void> {
    if (this.remaining < 0) throw new QueryTimeoutError(this.#limit);
    // Lets the event loop run, so that the thread or process can notice that no caller waits for the result any more.
    await nextTurn();
  }
}
