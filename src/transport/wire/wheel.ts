/** A group of timeouts that a wheel checks. */
export interface Spoke {
  /** Milliseconds between two checks. */
  readonly everyMs: number;
  /** Ends what has timed out. Returns false if there is nothing left to check; the spoke is then removed until it is added again. */
  check(): boolean;
}

const rethrow = (error: unknown): never => {
  throw error;
};

/**
 * One timer for all timeouts of requests, connections and attempts. It runs only while there are spokes, and keeps the
 * process alive only while there are holds.
 */
export class Wheel {
  readonly #onDefect: (error: unknown) => void;
  /** Time of the next check of each spoke, in monotonic milliseconds. */
  readonly #spokes = new Map<Spoke, number>();
  #timer: NodeJS.Timeout | undefined;
  #nextAt = 0;
  /** Number of holds: waits that must keep the process alive. */
  #holding = 0;

  /** @param onDefect called with an error thrown by a check; by default it is rethrown. The spoke is still checked again. */
  constructor(onDefect: (error: unknown) => void = rethrow) {
    this.#onDefect = onDefect;
  }

  /** Starts to check a spoke. Does nothing if it is already added. */
  add(spoke: Spoke): void {
    if (this.#spokes.has(spoke)) return;
    const now = performance.now();
    const at = now + spoke.everyMs;
    this.#spokes.set(spoke, at);
    if (this.#timer === undefined || at < this.#nextAt) this.#wait(at, now);
  }

  delete(spoke: Spoke): void {
    if (this.#spokes.delete(spoke) && this.#spokes.size === 0) this.#stop();
  }

  /** Keeps the process alive while there are spokes, until `release` was called as often as `hold`. */
  hold(): void {
    this.#holding += 1;
    if (this.#holding === 1) this.#timer?.ref();
  }

  release(): void {
    this.#holding -= 1;
    if (this.#holding === 0) this.#timer?.unref();
  }

  #wait(at: number, now: number): void {
    clearTimeout(this.#timer);
    this.#nextAt = at;
    this.#timer = setTimeout(this.#check, Math.max(1, Math.ceil(at - now)));
    if (this.#holding === 0) this.#timer.unref();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #check = (): void => {
    const now = performance.now();
    try {
      for (const [spoke, at] of this.#spokes) if (at <= now) this.#checkOne(spoke, now);
    } finally {
      if (this.#spokes.size === 0) this.#stop();
      else this.#wait(Math.min(...this.#spokes.values()), now);
    }
  };

  #checkOne(spoke: Spoke, now: number): void {
    this.#spokes.set(spoke, now + spoke.everyMs);
    try {
      if (!spoke.check()) this.#spokes.delete(spoke);
    } catch (error) {
      this.#onDefect(error);
    }
  }
}
