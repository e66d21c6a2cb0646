import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryTimeoutError } from '../rpc/client.ts';

/** Milliseconds allowed for one query to the request log, from its start; in a process of its own, milliseconds of CPU time. */
export const queryTimeoutMs = 5000;

/** Limits the time of queries, one after another. SQLite cannot be interrupted, so long queries are split into parts. */
export class QueryTimeout {
  readonly #limit: number;
  readonly #now: () => number;
  #deadline = Number.POSITIVE_INFINITY;

  /** @param now monotonic milliseconds */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  begin(): void {
    this.#deadline = this.#now() + this.#limit;
  }

  /**
   * Does not pause: a thread that sleeps and wakes is scheduled before others more often than one that keeps running.
   *
   * @throws GatewayError `log_unavailable` when the time of the query is over
   */
  async check(): Promise<void> {
    if (this.#now() > this.#deadline) throw queryTimeoutError(this.#limit);
    // Lets the event loop run, so that the thread or process can notice that no caller waits for the result any more.
    await nextTurn();
  }
}
