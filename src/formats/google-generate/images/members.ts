import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Drops } from '../../shared/request/drops.ts';

/** The member with further settings of the service. It is part of their reported names. */
const group = 'image_config';

/** The members of an image request. Each is taken by the code that sends it, or reported at the end, so that none is lost silently. */
export class ImageMembers {
  readonly #remaining = new Map<string, unknown>();
  readonly #drops: Drops;

  constructor(body: JsonObject, drops: Drops) {
    this.#drops = drops;
    for (const [name, value] of Object.entries(body)) {
      if (name !== group || !isJsonObject(value)) this.#put(name, value);
      else for (const [inner, one] of Object.entries(value)) this.#put(`${group}.${inner}`, one);
    }
  }

  #put(name: string, value: unknown): void {
    if (value !== null && value !== undefined && value !== '') this.#remaining.set(name, value);
  }

  /** Returns the first alias that is set. */
  nameOf(...aliases: readonly string[]): string | undefined {
    return aliases.find((name) => this.#remaining.has(name));
  }

  /** Takes the value of the first alias that is set. Other aliases that are set are reported as overruled. */
  take(...aliases: readonly string[]): unknown {
    const used = this.nameOf(...aliases);
    if (used === undefined) return undefined;
    const value = this.#remaining.get(used);
    this.#remaining.delete(used);
    for (const name of aliases) if (this.#remaining.has(name)) this.drop(name, `${used} is used`);
    return value;
  }

  /** Takes the member if it has this value. */
  takeIf(name: string, value: unknown): boolean {
    return this.#remaining.get(name) === value && this.#remaining.delete(name);
  }

  /** Takes the rest of the service's own settings, in the service's spelling. */
  takeGroup(): JsonObject {
    const names = [...this.#remaining.keys()].filter((name) => name.startsWith(`${group}.`));
    return Object.fromEntries(names.map((name) => [camel(name.slice(group.length + 1)), this.take(name)]));
  }

  drop(name: string, reason?: string): void {
    this.#remaining.delete(name);
    this.#drops.add(name, reason);
  }

  dropRest(): void {
    for (const name of this.#remaining.keys()) this.drop(name);
  }
}

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** All aliases of a setting, inside and outside of the group. */
export const aliasesOf = (name: string): readonly string[] => {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [...new Set([`${group}.${snake}`, `${group}.${name}`, snake, name])];
};
