/** Sentences about current problems, in lists to which others add sentences too. The sentences of each call replace those before. */
export class CurrentProblems {
  readonly #lists: readonly string[][];
  #shown: readonly string[] = [];

  constructor(lists: readonly string[][]) {
    this.#lists = lists;
  }

  get shown(): readonly string[] {
    return this.#shown;
  }

  show(problems: readonly string[]): void {
    for (const list of this.#lists) {
      for (const old of this.#shown) {
        const at = list.indexOf(old);
        if (at >= 0) list.splice(at, 1);
      }
      list.push(...problems);
    }
    this.#shown = problems;
  }
}
