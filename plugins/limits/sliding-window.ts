/** The counts of one window, as sent to other processes. */
export interface WindowState {
  readonly windowMs: number;
  /** Number of the window since 1970. */
  readonly window: number;
  readonly count: number;
  readonly earlier: number;
}

/**
 * Counts what was used in the last period of a fixed length. The current window counts in full, and the one before by the
 * part of it that the period still covers, so a limit holds at the turn of a window too. Times are Unix milliseconds.
 */
export class SlidingWindow {
  readonly #windowMs: number;
  #window = 0;
  #count = 0;
  /** The count of the window before. */
  #earlier = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  get windowMs(): number {
    return this.#windowMs;
  }

  get state(): WindowState {
    return { windowMs: this.#windowMs, window: this.#window, count: this.#count, earlier: this.#earlier };
  }

  add(count: number, now: number): void {
    this.#advance(now);
    this.#count += count;
  }

  used(now: number): number {
    this.#advance(now);
    return this.#count + this.#earlier * this.#remaining(now);
  }

  /** Milliseconds until at most `most` are used, if nothing is added; 0 if this is so already. @param most at least 0 */
  wait(most: number, now: number): number {
    if (this.used(now) <= most) return 0;
    const untilEnd = this.#windowMs * this.#remaining(now);
    if (this.#count <= most) return untilEnd - (this.#windowMs * (most - this.#count)) / this.#earlier;
    return untilEnd + this.#windowMs * (1 - most / this.#count);
  }

  /** Takes over the counts of another process where they are higher. */
  merge({ window, count, earlier }: WindowState, now: number): void {
    this.#advance(now);
    if (window === this.#window) {
      this.#count = Math.max(this.#count, count);
      this.#earlier = Math.max(this.#earlier, earlier);
    } else if (window === this.#window - 1) this.#earlier = Math.max(this.#earlier, count);
  }

  /** The part of the window that is left, in (0, 1]. */
  #remaining(now: number): number {
    return Math.min(1, this.#window + 1 - now / this.#windowMs);
  }

  /** If the system time was set back, the current window begins again with its count. */
  #advance(now: number): void {
    const window = Math.floor(now / this.#windowMs);
    if (window > this.#window) {
      this.#earlier = window === this.#window + 1 ? this.#count : 0;
      this.#count = 0;
    }
    this.#window = window;
  }
}
