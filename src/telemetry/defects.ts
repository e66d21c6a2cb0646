import type { Log } from './log.ts';

/** Lines about defects in one period, and its length in milliseconds: a request that finds one may be sent again and again. */
const mostLines = 20;
const periodMs = 10_000;

/** Logs what was thrown where nothing may be thrown, with the request it belongs to, and not without bound. */
export class Defects {
  readonly #log: Log;
  readonly #monotonic: () => number;
  #periodAt = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #unsaid = 0;

  constructor(log: Log, monotonic: () => number) {
    this.#log = log;
    this.#monotonic = monotonic;
  }

  /** Never throws. `request` is the id, where it is known. */
  readonly report = (error: unknown, request?: string): void => {
    const now = this.#monotonic();
    if (now - this.#periodAt > periodMs) {
      this.#periodAt = now;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines > mostLines) {
      this.#unsaid += 1;
      return;
    }
    const unsaid = this.#unsaid === 0 ? {} : { not_logged: this.#unsaid };
    this.#unsaid = 0;
    try {
      this.#log.error({ err: error, request, ...unsaid }, 'a request failed with an internal error');
    } catch {
      // What was thrown can't even be written down: an object whose members throw.
      this.#log.error({ request }, 'a request failed with an internal error that cannot be shown');
    }
  };
}
