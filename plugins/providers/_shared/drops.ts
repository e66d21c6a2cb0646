import type { Dropped } from '#core/provider.ts';

/** Collects what a request could not carry; each parameter is named once. */
export class Drops {
  readonly #found = new Map<string, string>();

  add(param: string, reason: string): void {
    if (!this.#found.has(param)) this.#found.set(param, reason);
  }

  get list(): readonly Dropped[] {
    return [...this.#found].map(([param, reason]) => ({ param, reason }));
  }
}
