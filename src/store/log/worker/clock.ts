import { setImmediate as nextTurn } from 'node:timers/promises';
import { tooSlow } from '../rpc/client.ts';

/** Milliseconds allowed for one query to the request log, from its start; in a process of its own, milliseconds of CPU time. */
export const questionMs = 5000;

/** Limits the time of queries, one after another. SQLite cannot be interrupted, so long queries are split into parts. */
export class QuestionClock {
  readonly #limit: number;
  readonly #now: () => number;
  #until = Number.POSITIVE_INFINITY;

  /** @param now monotonic milliseconds */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  begin(): void {
    this.#until = this.#now() + this.#limit;
  }

  /**
   * Does not pause: a thread that sleeps and wakes is scheduled before others more often than one that keeps running.
   *
   * @throws GatewayError `log_unavailable` when the time of the query is over
   */
  async between(): Promise<void> {
    if (this.#now() > this.#until) throw tooSlow(this.#limit);
    // Lets the event loop run, so that the thread or process can notice that no caller waits for the result any more.
    await nextTurn();
  }
}
