interface Entry<Value> {
  readonly key: string;
  readonly value: Value;
  readonly cost: number;
  older: Entry<Value> | undefined;
  newer: Entry<Value> | undefined;
}

/**
 * A cache limited by the memory cost of its entries, which removes the ones used least recently. Unlike `BoundedCache`, it
 * never walks over entries that stay: it may have hundreds of thousands, and the walk would stop the event loop.
 */
export class LruCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #budget: number;
  #oldest: Entry<Value> | undefined;
  #newest: Entry<Value> | undefined;
  #cost = 0;

  /** @param budget limit of the estimated size of all entries, in bytes */
  constructor(budget: number) {
    this.#budget = budget;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#unlink(entry);
    this.#append(entry);
    return entry.value;
  }

  /** Adds or replaces a value. One that is larger than the whole budget is not added. */
  set(key: string, value: Value, cost: number): void {
    const previous = this.#entries.get(key);
    if (previous !== undefined) this.#remove(previous);
    if (cost > this.#budget) return;
    while (this.#oldest !== undefined && this.#cost + cost > this.#budget) this.#remove(this.#oldest);
    const entry = { key, value, cost, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#cost += cost;
    this.#append(entry);
  }

  #remove(entry: Entry<Value>): void {
    this.#unlink(entry);
    this.#entries.delete(entry.key);
    this.#cost -= entry.cost;
  }

  #unlink(entry: Entry<Value>): void {
    const { older, newer } = entry;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }

  #append(entry: Entry<Value>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }
}
