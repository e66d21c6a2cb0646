/** Ids that are remembered; the oldest goes first. */
const most = 10_000;

/**
 * Work of which the usage was counted: providers report what a response in the background has used with each reading of
 * it. Bounded, and kept in memory only.
 */
export class Reported {
  readonly #ids = new Set<string>();

  /** @returns true where the id is new */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > most) for (const oldest of this.#ids) return this.#ids.delete(oldest);
    return true;
  }
}
