/** Choices of which the end is watched: beyond them a service is not believed. */
const mostChoices = 65_536;

/** The words by which the choices of one answer end, as they come. */
export class FinishWords {
  /** By choice; undefined while it is in progress. */
  readonly #words = new Map<number, string | undefined>();
  /** Choices in progress. */
  #open = 0;

  get size(): number {
    return this.#words.size;
  }

  /** There are choices, and each has ended. */
  get isComplete(): boolean {
    return this.#open === 0 && this.#words.size > 0;
  }

  /** A service may name the word and go on, or name it twice: the last one holds. */
  set(choice: number, word: string | undefined): void {
    const before = this.#words.get(choice);
    if (before === undefined && !this.#words.has(choice)) {
      if (this.#words.size >= mostChoices) return;
      this.#words.set(choice, word);
      if (word === undefined) this.#open += 1;
    } else if (word !== undefined) {
      if (before === undefined) this.#open -= 1;
      this.#words.set(choice, word);
    }
  }

  /** In the order of the choices. */
  list(): readonly string[] {
    if (this.#words.size === 1) for (const word of this.#words.values()) return word === undefined ? [] : [word];
    return [...this.#words].toSorted(([a], [b]) => a - b).flatMap(([, word]) => word ?? []);
  }
}
