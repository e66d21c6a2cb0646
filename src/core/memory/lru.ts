/** What was made of texts that requests send, bounded by what it costs to keep and not by how many there are. */
export class Lru<Value> {
  /** A map keeps the order of insertion: the first key is the one that was not asked for longest. */
  readonly #kept = new Map<string, { readonly value: Value; readonly cost: number }>();
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
    this.#kept.delete(key);
    this.#kept.set(key, known);
    return known.value;
  }

  /** Keeps a value that is not kept yet; what alone is beyond the budget is not. */
  set(key: string, value: Value, cost: number): void {
    if (cost > this.#budget) return;
    this.#kept.set(key, { value, cost });
    this.#cost += cost;
    for (const [oldest, { cost: saved }] of this.#kept) {
      if (this.#cost <= this.#budget) return;
      this.#kept.delete(oldest);
      this.#cost -= saved;
    }
  }
}
