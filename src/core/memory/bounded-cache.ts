interface Kept<Value> {
  readonly value: Value;
  readonly cost: number;
  /** It was asked for since it was put at the end. */
  isUsed: boolean;
}

/**
 * What was made of texts that requests send, bounded by what it costs to keep and not by how many there are. What was asked for
 * since room was last needed stays once more ("second chance").
 */
export class BoundedCache<Value> {
  /** In the order of insertion; those that were asked for go to the end when room is needed, and not each time. */
  readonly #kept = new Map<string, Kept<Value>>();
  readonly #budget: number;
  #cost = 0;

  /** @param budget bytes, as far as they can be told, of everything that is kept */
  constructor(budget: number) {
    this.#budget = budget;
  }

  /** Entries that are kept. */
  get size(): number {
    return this.#kept.size;
  }

  get(key: string): Value | undefined {
    const known = this.#kept.get(key);
    if (known === undefined) return undefined;
    known.isUsed = true;
    return known.value;
  }

  /** Keeps a value that is not kept yet; what alone is beyond the budget is not. */
  set(key: string, value: Value, cost: number): void {
    if (cost > this.#budget) return;
    this.#kept.set(key, { value, cost, isUsed: false });
    this.#cost += cost;
    for (const [oldest, known] of this.#kept) {
      if (this.#cost <= this.#budget) return;
      if (oldest === key) continue;
      this.#kept.delete(oldest);
      if (known.isUsed) this.#kept.set(oldest, { ...known, isUsed: false });
      else this.#cost -= known.cost;
    }
  }
}
