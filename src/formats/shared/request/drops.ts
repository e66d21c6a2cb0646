import type { JsonObject } from '../../../core/json/merge.ts';
import type { Dropped } from '../../../core/provider.ts';

/** The reason for requested parts of a response that strict clients do not get. */
export const hiddenIfStrict = 'returned only with strict compliance off';

/** The reason why most parameters are dropped. */
export const notSupported = 'not supported by this service';

/** Collects the parameters that a converted request cannot express, each once. */
export class Drops {
  readonly #usual: string;
  /** Created on demand: most requests lose nothing. */
  #reasons: Map<string, string> | undefined;

  /** @param usual the reason unless another one is given */
  constructor(usual = notSupported) {
    this.#usual = usual;
  }

  add(param: string, reason = this.#usual): void {
    this.#reasons ??= new Map();
    if (!this.#reasons.has(param)) this.#reasons.set(param, reason);
  }

  /** Adds the members that the conversion does not read, unless they are empty. */
  addUnread(object: JsonObject, read: ReadonlySet<string>, prefix: string, reason?: string): void {
    for (const key in object) if (!read.has(key) && hasContent(object[key])) this.add(`${prefix}${key}`, reason);
  }

  get list(): readonly Dropped[] {
    return this.#reasons === undefined ? none : [...this.#reasons].map(([param, reason]) => ({ param, reason }));
  }
}

const none: readonly Dropped[] = Object.freeze([]);

const hasContent = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
