/** What was used in one window. Times are Unix milliseconds. */
export interface WindowCounts {
  readonly count: number;
  /** When something was first and last used; without a meaning for a count of 0. */
  readonly first: number;
  readonly last: number;
}

/** The counts of the current window and the one before, as sent to other processes. */
export interface WindowState {
  readonly windowMs: number;
  /** Number of the window since 1970. */
  readonly window: number;
  readonly current: WindowCounts;
  readonly earlier: WindowCounts;
}

const nothing: WindowCounts = Object.freeze({ count: 0, first: 0, last: 0 });

/**
 * Counts what was used in the last period of a fixed length. The current window counts in full, and the one before by the
 * part that the period still covers, as if its use had been spread evenly from the first to the last. So a limit holds at
 * the turn of a window too, and who keeps to it is not rejected. Times are Unix milliseconds.
 */
export class SlidingWindow {
  readonly #windowMs: number;
  #window = 0;
  #current = nothing;
  /** The counts of the window before. */
  #earlier = nothing;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  get windowMs(): number {
    return this.#windowMs;
  }

  get state(): WindowState {
    return { windowMs: this.#windowMs, window: this.#window, current: this.#current, earlier: this.#earlier };
  }

  add(count: number, now: number): void {
    this.#advance(now);
    const at = Math.max(now, this.#window * this.#windowMs);
    this.#current = joined(this.#current, { count, first: at, last: at }, this.#current.count + count);
  }

  /** Removes what was added at a time, as far as it still counts. */
  takeBack(count: number, addedAt: number): void {
    const window = Math.floor(addedAt / this.#windowMs);
    if (window === this.#window) this.#current = reduced(this.#current, count);
    else if (window === this.#window - 1) this.#earlier = reduced(this.#earlier, count);
  }

  used(now: number): number {
    this.#advance(now);
    return this.#current.count + countAfter(this.#earlier, now - this.#windowMs);
  }

  /** Milliseconds until at most `most` are used, if nothing is added; 0 if this is so already. @param most at least 0 */
  wait(most: number, now: number): number {
    if (this.used(now) <= most) return 0;
    const { count } = this.#current;
    const last = count <= most ? timeOf(this.#earlier, most - count) : timeOf(this.#current, most);
    return last + this.#windowMs - now;
  }

  /** Takes over the counts of another process where they are higher. */
  merge({ window, current, earlier }: WindowState, now: number): void {
    this.#advance(now);
    if (window === this.#window) {
      this.#current = higher(this.#current, current);
      this.#earlier = higher(this.#earlier, earlier);
    } else if (window === this.#window - 1) this.#earlier = higher(this.#earlier, current);
  }

  /**
   * A time in the window before changes nothing: requests may be counted in another order than they arrived. If the system
   * time was set back further, the current window begins again with its count.
   */
  #advance(now: number): void {
    const window = Math.floor(now / this.#windowMs);
    if (window === this.#window || window === this.#window - 1) return;
    if (window > this.#window) {
      this.#earlier = window === this.#window + 1 ? this.#current : nothing;
      this.#current = nothing;
    } else {
      this.#earlier = nothing;
      this.#current = { count: this.#current.count, first: now, last: now };
    }
    this.#window = window;
  }
}

/** How much of it was used after `start`. */
function countAfter({ count, first, last }: WindowCounts, start: number): number {
  if (count === 0 || start >= last) return 0;
  return start < first ? count : ((count - 1) * (last - start)) / (last - first);
}

/** The earliest time after which at most `most` were used. */
const timeOf = ({ count, first, last }: WindowCounts, most: number): number =>
  most >= count - 1 ? first : last - (most * (last - first)) / (count - 1);

function joined(one: WindowCounts, other: WindowCounts, count: number): WindowCounts {
  if (one.count === 0) return other;
  if (other.count === 0) return one;
  return { count, first: Math.min(one.first, other.first), last: Math.max(one.last, other.last) };
}

const reduced = (counts: WindowCounts, by: number): WindowCounts => ({ ...counts, count: Math.max(0, counts.count - by) });

const higher = (one: WindowCounts, other: WindowCounts): WindowCounts => joined(one, other, Math.max(one.count, other.count));
