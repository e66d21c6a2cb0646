const first = 250;
const longest = 30_000;

/** Keeps a server that does not respond from being called by every query: the pause after each failure is twice as long. */
export class Backoff {
  readonly #now: () => number;
  readonly #random: () => number;
  #pause = 0;
  #until = 0;
  #last: unknown;

  /** @param now milliseconds that never go back */
  constructor(now: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#now = now;
    this.#random = random;
  }

  /** @throws what `connect` throws; during a pause at once, what it threw last */
  async run<T>(connect: () => Promise<T>): Promise<T> {
    if (this.#now() < this.#until) throw this.#last;
    try {
      const result = await connect();
      this.#pause = 0;
      this.#until = 0;
      return result;
    } catch (error) {
      this.#pause = Math.min(longest, Math.max(first, this.#pause * 2));
      this.#until = this.#now() + this.#pause * (0.5 + this.#random() / 2);
      this.#last = error;
      throw error;
    }
  }
}
