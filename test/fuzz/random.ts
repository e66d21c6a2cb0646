/** Pseudo-random numbers: the same seed gives the same case on every machine. */
export class Random {
  #state: number;

  /** @param seed any integer */
  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** In [0, 1). Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from 0 to `below`, exclusive. */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Calls one of the functions. */
  one<T>(...makers: readonly (() => T)[]): T {
    return this.pick(makers)();
  }

  /** Random bytes. */
  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
