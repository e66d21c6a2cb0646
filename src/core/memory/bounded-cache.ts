interface CacheEntry<Value> {
  readonly value: Value;
  readonly cost: number;
  /** Set if the entry was read since it was moved to the end. */
  isUsed: boolean;
}

/**
 * A cache of values computed from texts in requests. Limited by their memory cost, not their number. Entries that were
 * read since the last eviction are kept once more ("second chance").
 */
export class BoundedCache<Value> {
  /** In the order of insertion. An entry that was read is moved to the end only during an eviction. */
  readonly #entries = new Map<string, CacheEntry<Value>>();
  readonly #budget: number;
  #cost = 0;

  /** @param budget limit of the estimated size of all entries, in bytes */
  constructor(budget: number) {
    this.#budget = budget;
  }

  *values(): Iterable<Value> {
    for (const { value } of this.#entries.values()) yield value;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  /** Adds a value that is not in the cache yet; a value larger than the whole budget is not added. */
  set(key: string, value: Value, cost: number): void {
    if (cost > this.#budget) return;
    this.#entries.set(key, { value, cost, isUsed: false });
    this.#cost += cost;
    for (const [oldest, entry] of this.#entries) {
      if (this.#cost <= this.#budget) return;
      if (oldest === key) continue;
      this.#entries.delete(oldest);
      if (entry.isUsed) this.#entries.set(oldest, { ...entry, isUsed: false });
      else this.#cost -= entry.cost;
    }
  }
}
