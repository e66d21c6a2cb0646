import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '../../../core/error.ts';

/** Milliseconds that one question to the request log may take from when it begins. */
export const questionMs = 5000;
/** Milliseconds of work after which a long question pauses as long as it worked: traffic comes first. */
const workMs = 5;
const longestPause = 50;

/** The time of one question after the other: a database cannot be interrupted, and so long ones are asked in parts. */
export class QuestionClock {
  readonly #limit: number;
  readonly #now: () => number;
  #until = Number.POSITIVE_INFINITY;
  #workedSince = 0;

  /** @param now monotonic milliseconds */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  begin(): void {
    this.#workedSince = this.#now();
    this.#until = this.#workedSince + this.#limit;
  }

  /** @throws GatewayError `log_unavailable` when the time of the question is over */
  async between(): Promise<void> {
    const now = this.#now();
    if (now > this.#until) throw tooSlow(this.#limit);
    const worked = now - this.#workedSince;
    if (worked < workMs) return;
    await pause(Math.min(worked, longestPause));
    this.#workedSince = this.#now();
  }
}

export function tooSlow(limitMs: number): GatewayError {
  return new GatewayError('log_unavailable', {
    message: `The request log did not respond within ${limitMs / 1000} s.`,
    hint: 'Narrow the filter, for example with since:1h.',
  });
}
