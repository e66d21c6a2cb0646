/** Maximum number of choices that are tracked. Further ones are ignored. */
const mostChoices = 65_536;

/** Collects the finish reasons of the choices of one response, as they arrive. */
export class FinishWords {
  /** Finish reason by choice; undefined while the choice is in progress. */
  readonly #words = new Map<number, string | undefined>();
  /** Number of choices in progress. */
  #open = 0;

  get size(): number {
    return this.#words.size;
  }

  /** True if there is at least one choice and all of them have ended. */
  get isComplete(): boolean {
    return this.#open === 0 && this.#words.size > 0;
  }

  /** True if a choice has ended. */
  get hasEnded(): boolean {
    return this.#open < this.#words.size;
  }

  /** A service may continue a choice after its finish reason, or send the reason twice. The last one is kept. */
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

  /** Removes the finish reason of a choice that continues, for formats in which it is the only mark of the end. */
  reopen(choice: number): void {
    if (this.#words.get(choice) === undefined) return;
    this.#words.set(choice, undefined);
    this.#open += 1;
  }

  /** The finish reasons in the order of the choices. */
  list(): readonly string[] {
    if (this.#words.size === 1) for (const word of this.#words.values()) return word === undefined ? [] : [word];
    return [...this.#words].toSorted(([a], [b]) => a - b).flatMap(([, word]) => word ?? []);
  }
}
