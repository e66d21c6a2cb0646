/** Milliseconds after which a clock that was set forward is trusted. */
const trustedAfterMs = 3_600_000;
/** Milliseconds by which the clock may be ahead: it is also set forward to correct small deviations. */
const toleranceMs = 60_000;

/**
 * The time by which old records are deleted. If the system clock is set forward while the gateway runs, as by a wrong time
 * server, this one follows an hour later: within that hour the mistake can be corrected, but deleted records cannot be
 * restored.
 */
export class RetentionClock {
  readonly #now: () => number;
  readonly #monotonic: () => number;
  #time: number;
  #readAt: number;
  /** Monotonic milliseconds of when the system clock was first found ahead. */
  #aheadSince: number | undefined;

  /** @param now Unix milliseconds of the system clock */
  constructor(now: () => number, monotonic: () => number) {
    this.#now = now;
    this.#monotonic = monotonic;
    this.#time = now();
    this.#readAt = monotonic();
  }

  /** Unix milliseconds. */
  now(): number {
    const system = this.#now();
    const monotonic = this.#monotonic();
    const expected = this.#time + monotonic - this.#readAt;
    const isAhead = system > expected + toleranceMs;
    this.#aheadSince = isAhead ? (this.#aheadSince ?? monotonic) : undefined;
    const isTrusted = this.#aheadSince === undefined || monotonic - this.#aheadSince >= trustedAfterMs;
    this.#time = isTrusted ? system : expected;
    this.#readAt = monotonic;
    return this.#time;
  }
}
