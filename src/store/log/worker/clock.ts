import { setImmediate as nextTurn } from 'node:timers/promises';
import { tooSlow } from '../rpc/client.ts';

/** Milliseconds that one question to the request log may take from when it begins; in a process of its own, milliseconds of work. */
export const questionMs = 5000;

/** The time of one question after the other: a database cannot be interrupted, and so long ones are asked in parts. */
export class QuestionClock {
  readonly #limit: number;
  readonly #now: () => number;
  #until = Number.POSITIVE_INFINITY;

  /** @param now milliseconds that never go back */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  begin(): void {
    this.#until = this.#now() + this.#limit;
  }

  /**
   * Without a rest: whoever sleeps and wakes gets in front of others more often than one that works on.
   *
   * @throws GatewayError `log_unavailable` when the time of the question is over
   */
  async between(): Promise<void> {
    if (this.#now() > this.#until) throw tooSlow(this.#limit);
    // That nobody waits for the result any more is heard in between.
    await nextTurn();
  }
}
