/** Maximum number of choices that are tracked. Further ones are ignored. */
const maxChoices = 65_536;

/** Collects the finish reasons of the choices of one response, as they arrive. */
export class FinishReasons {
  /** Finish reason by choice; undefined while the choice is in progress. */
  readonly #reasons = new Map<number, string | undefined>();
  /** Number of choices in progress. */
  #open = 0;

  get size(): number {
    return this.#reasons.size;
  }

  /** True if there is at least one choice and all of them have ended. */
  get isComplete(): boolean {
    return this.#open === 0 && this.#reasons.size > 0;
  }

  /** True if a choice has ended. */
  get hasEnded(): boolean {
    return this.#open < this.#reasons.size;
  }

  /** A service may continue a choice after its finish reason, or send the reason twice. The last one is kept. */
  set(choice: number, reason: string | undefined): void {
    const before = this.#reasons.get(choice);
    if (before === undefined && !this.#reasons.has(choice)) {
      if (this.#reasons.size >= maxChoices) return;
      this.#reasons.set(choice, reason);
      if (reason === undefined) this.#open += 1;
    } else if (reason !== undefined) {
      if (before === undefined) this.#open -= 1;
      this.#reasons.set(choice, reason);
    }
  }

  /** Removes the finish reason of a choice that continues, for formats in which it is the only mark of the end. */
  reopen(choice: number): void {
    if (this.#reasons.get(choice) === undefined) return;
    this.#reasons.set(choice, undefined);
    this.#open += 1;
  }

  /** The finish reasons in the order of the choices. */
  list(): readonly string[] {
    if (this.#reasons.size === 1) for (const reason of this.#reasons.values()) return reason === undefined ? [] : [reason];
    return [...this.#reasons].toSorted(([a], [b]) => a - b).flatMap(([, reason]) => reason ?? []);
  }
}
