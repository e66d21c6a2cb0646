/** Limits the number of concurrent jobs. A limited number of others waits in order. */
export class ConcurrencyLimit {
  readonly #limit: number;
  readonly #queueLimit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number, queueLimit: number) {
    this.#limit = limit;
    this.#queueLimit = queueLimit;
  }

  /** Undefined if too many jobs are waiting. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#running >= this.#limit) {
      if (this.#waiting.length >= this.#queueLimit) return undefined;
      // A finished job passes its slot on, so the count does not change.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
