import type { Log } from './log.ts';

/**
 * Maximum number of error lines per period, and the period in milliseconds. A client can repeat a request that causes a defect any
 * number of times.
 */
const maxLines = 20;
const periodMs = 10_000;

/** Logs unexpected exceptions with the id of their request, at a limited rate. */
export class DefectLog {
  readonly #log: Log;
  readonly #monotonic: () => number;
  #periodAt = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #suppressed = 0;

  constructor(log: Log, monotonic: () => number) {
    this.#log = log;
    this.#monotonic = monotonic;
  }

  /** Never throws. `request` is the request id, if known. */
  readonly report = (error: unknown, request?: string): void => {
    const now = this.#monotonic();
    if (now - this.#periodAt > periodMs) {
      this.#periodAt = now;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines > maxLines) {
      this.#suppressed += 1;
      return;
    }
    const suppressed = this.#suppressed === 0 ? {} : { not_logged: this.#suppressed };
    this.#suppressed = 0;
    try {
      this.#log.error({ err: error, request, ...suppressed }, 'a request failed with an internal error');
    } catch {
      // The exception cannot be serialized: an object whose getters throw.
      this.#log.error({ request }, 'a request failed with an internal error that cannot be shown');
    }
  };
}
