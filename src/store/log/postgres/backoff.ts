const initialPauseMs = 250;
const maxPauseMs = 30_000;

/** Prevents every query from connecting to a server that does not respond. The pause doubles with each failure. */
export class Backoff {
  readonly #now: () => number;
  readonly #random: () => number;
  #pause = 0;
  #until = 0;
  #last: unknown;

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#now = now;
    this.#random = random;
  }

  /** @throws the error of `connect`; during a pause immediately the last one */
  async run<T>(connect: () => Promise<T>): Promise<T> {
    if (this.#now() < this.#until) throw this.#last;
    try {
      const result = await connect();
      this.#pause = 0;
      this.#until = 0;
      return result;
    } catch (error) {
      this.#pause = Math.min(maxPauseMs, Math.max(initialPauseMs, this.#pause * 2));
      this.#until = this.#now() + this.#pause * (0.5 + this.#random() / 2);
      this.#last = error;
      throw error;
    }
  }
}
