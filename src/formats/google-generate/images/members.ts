import { isPlain, type Plain } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';

/** The member with further settings of the service. It is part of their reported names. */
const group = 'image_config';

/** The members of an image request. Each is taken by the code that sends it, or reported at the end, so that none is lost silently. */
export class ImageMembers {
  readonly #left = new Map<string, unknown>();
  readonly #drops: Drops;

  constructor(body: Plain, drops: Drops) {
    this.#drops = drops;
    for (const [name, value] of Object.entries(body)) {
      if (name !== group || !isPlain(value)) this.#put(name, value);
      else for (const [inner, one] of Object.entries(value)) this.#put(`${group}.${inner}`, one);
    }
  }

  #put(name: string, value: unknown): void {
    if (value !== null && value !== undefined && value !== '') this.#left.set(name, value);
  }

  /** Takes the value of the first spelling that is set. Other spellings that are set are reported as overruled. */
  take(...spellings: readonly string[]): unknown {
    const used = spellings.find((name) => this.#left.has(name));
    if (used === undefined) return undefined;
    const value = this.#left.get(used);
    this.#left.delete(used);
    for (const name of spellings) if (this.#left.has(name)) this.drop(name, `${used} is used`);
    return value;
  }

  /** Takes the member if it has this value. */
  takeIf(name: string, value: unknown): boolean {
    return this.#left.get(name) === value && this.#left.delete(name);
  }

  /** Takes the rest of the service's own settings, in the service's spelling. */
  takeGroup(): Plain {
    const names = [...this.#left.keys()].filter((name) => name.startsWith(`${group}.`));
    return Object.fromEntries(names.map((name) => [camel(name.slice(group.length + 1)), this.take(name)]));
  }

  drop(name: string, reason: string): void {
    this.#left.delete(name);
    this.#drops.add(name, reason);
  }

  dropRest(reason: string): void {
    for (const name of this.#left.keys()) this.drop(name, reason);
  }
}

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Both spellings of a setting, inside and outside of the group. */
export const spellingsOf = (name: string): readonly string[] => {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [...new Set([`${group}.${snake}`, `${group}.${name}`, snake, name])];
};
