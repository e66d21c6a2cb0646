/** Maximum ids in memory. The oldest is removed first. */
const maxIds = 10_000;

/**
 * Ids of responses whose usage was counted. Providers report the usage of a background response each time it is read.
 * Limited, and only in memory.
 */
export class ReportedIds {
  readonly #ids = new Set<string>();

  /** From the oldest. */
  all(): Iterable<string> {
    return this.#ids;
  }

  /** @returns true if the id is new */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > maxIds) for (const oldest of this.#ids) return this.#ids.delete(oldest);
    return true;
  }
}
