import type { Plain } from '../../../core/json/merge.ts';
import type { Dropped } from '../../../core/provider.ts';

/** Collects the parameters that a converted request cannot express, each once. */
export class Drops {
  /** Created on demand: most requests lose nothing. */
  #found: Map<string, string> | undefined;

  add(param: string, reason: string): void {
    this.#found ??= new Map();
    if (!this.#found.has(param)) this.#found.set(param, reason);
  }

  /** Adds the members that the conversion does not read, unless they are empty. */
  others(object: Plain, read: ReadonlySet<string>, place: string, reason: string): void {
    for (const key in object) if (!read.has(key) && hasContent(object[key])) this.add(`${place}${key}`, reason);
  }

  get list(): readonly Dropped[] {
    return this.#found === undefined ? none : [...this.#found].map(([param, reason]) => ({ param, reason }));
  }
}

const none: readonly Dropped[] = Object.freeze([]);

const hasContent = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
