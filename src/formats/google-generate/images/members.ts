import { isPlain, type Plain } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';

/** Further settings of the service in a member of their own; their names are shown with it. */
const group = 'image_config';

/** The members of a request for images. Each is taken by what sends it on, or named in the end: none is lost in silence. */
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

  /** The value of the first spelling that is set. The others stay, and are named as overruled. */
  take(...spellings: readonly string[]): unknown {
    const used = spellings.find((name) => this.#left.has(name));
    if (used === undefined) return undefined;
    const value = this.#left.get(used);
    this.#left.delete(used);
    for (const name of spellings) if (this.#left.has(name)) this.drop(name, `${used} is used`);
    return value;
  }

  /** Takes the member where it has this value. */
  takeIf(name: string, value: unknown): boolean {
    return this.#left.get(name) === value && this.#left.delete(name);
  }

  /** The rest of the service's own settings, in the spelling of the service. */
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

/** Both spellings of a setting, on its own and in the group. */
export const spellingsOf = (name: string): readonly string[] => {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [...new Set([`${group}.${snake}`, `${group}.${name}`, snake, name])];
};
