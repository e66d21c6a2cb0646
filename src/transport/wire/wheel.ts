/** Has clocks that a wheel looks at. */
export interface Spoke {
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  /** Ends what is late. False: nothing is left to look at, until it is added again. */
  look(): boolean;
}

const rethrow = (error: unknown): never => {
  throw error;
};

/**
 * One timer for all clocks of requests, connections and attempts, none of which has a timer of its own. It runs only
 * while there is something to look at, and keeps the process alive only while somebody holds it.
 */
export class Wheel {
  readonly #onDefect: (error: unknown) => void;
  /** When each is looked at next, in monotonic milliseconds. */
  readonly #spokes = new Map<Spoke, number>();
  #timer: NodeJS.Timeout | undefined;
  #nextAt = 0;
  /** How many wait for something that nothing else would keep the process alive for. */
  #holding = 0;

  /** @param onDefect told of what a look threw, which is thrown on without; the spoke is looked at again all the same */
  constructor(onDefect: (error: unknown) => void = rethrow) {
    this.#onDefect = onDefect;
  }

  /** Looks at it from now on. Does nothing where it does so already. */
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

  /** The process lives on while there is something to look at, until as many have let go. */
  hold(): void {
    this.#holding += 1;
    if (this.#holding === 1) this.#timer?.ref();
  }

  letGo(): void {
    this.#holding -= 1;
    if (this.#holding === 0) this.#timer?.unref();
  }

  #wait(at: number, now: number): void {
    clearTimeout(this.#timer);
    this.#nextAt = at;
    this.#timer = setTimeout(this.#look, Math.max(1, Math.ceil(at - now)));
    if (this.#holding === 0) this.#timer.unref();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #look = (): void => {
    const now = performance.now();
    try {
      for (const [spoke, at] of this.#spokes) if (at <= now) this.#lookAt(spoke, now);
    } finally {
      if (this.#spokes.size === 0) this.#stop();
      else this.#wait(Math.min(...this.#spokes.values()), now);
    }
  };

  #lookAt(spoke: Spoke, now: number): void {
    this.#spokes.set(spoke, now + spoke.everyMs);
    try {
      if (!spoke.look()) this.#spokes.delete(spoke);
    } catch (error) {
      this.#onDefect(error);
    }
  }
}
