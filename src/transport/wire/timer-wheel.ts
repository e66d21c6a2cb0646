import { timeoutAfterReads } from '../../core/async/timeout-after-reads.ts';

/** A group of timeouts that a wheel checks. */
export interface TimeoutGroup {
  /** Milliseconds between two checks. */
  readonly everyMs: number;
  /** Ends what has timed out. Returns false if there is nothing left to check; the group is then removed until it is added again. */
  check(): boolean;
}

const rethrow = (error: unknown): never => {
  throw error;
};

/**
 * One timer for all timeouts of requests, connections and attempts. It runs only while there are groups, and keeps the
 * process alive only while there are holds.
 */
export class TimerWheel {
  readonly #onDefect: (error: unknown) => void;
  /** Time of the next check of each group, in monotonic milliseconds. */
  readonly #groups = new Map<TimeoutGroup, number>();
  #timer: NodeJS.Timeout | undefined;
  #nextAt = 0;
  /** Number of holds: waits that must keep the process alive. */
  #refCount = 0;

  /** @param onDefect called with an error thrown by a check; by default it is rethrown. The group is still checked again. */
  constructor(onDefect: (error: unknown) => void = rethrow) {
    this.#onDefect = onDefect;
  }

  /** Starts to check a group. Does nothing if it is already added. */
  add(group: TimeoutGroup): void {
    if (this.#groups.has(group)) return;
    const now = performance.now();
    const at = now + group.everyMs;
    this.#groups.set(group, at);
    if (this.#timer === undefined || at < this.#nextAt) this.#wait(at, now);
  }

  delete(group: TimeoutGroup): void {
    if (this.#groups.delete(group) && this.#groups.size === 0) this.#stop();
  }

  /** Keeps the process alive while there are groups, until `unref` was called as often as `ref`. */
  ref(): void {
    this.#refCount += 1;
    if (this.#refCount === 1) this.#timer?.ref();
  }

  unref(): void {
    this.#refCount -= 1;
    if (this.#refCount === 0) this.#timer?.unref();
  }

  #wait(at: number, now: number): void {
    clearTimeout(this.#timer);
    this.#nextAt = at;
    this.#timer = timeoutAfterReads(this.#check, Math.max(1, Math.ceil(at - now)));
    if (this.#refCount === 0) this.#timer.unref();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #check = (): void => {
    const now = performance.now();
    try {
      for (const [group, at] of this.#groups) if (at <= now) this.#checkOne(group, now);
    } finally {
      if (this.#groups.size === 0) this.#stop();
      else this.#wait(Math.min(...this.#groups.values()), now);
    }
  };

  #checkOne(group: TimeoutGroup, now: number): void {
    this.#groups.set(group, now + group.everyMs);
    try {
      if (!group.check()) this.#groups.delete(group);
    } catch (error) {
      this.#onDefect(error);
    }
  }
}
