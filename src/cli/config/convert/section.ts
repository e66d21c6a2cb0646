import { type Entry, entriesOf, type Node, textOf } from '../../../config/read/node.ts';
import type { Notes } from './notes.ts';

/** What to report for keys that have no counterpart, by key. */
export type Reasons = Readonly<Record<string, string>>;

const unknown = 'no such setting here';

/** A mapping of the source, or the mappings of several files. Every key that nothing takes is reported. */
export class SourceSection {
  readonly path: string;
  readonly #remaining = new Map<string, Entry[]>();
  readonly #entries = new Map<string, Entry>();
  readonly #notes: Notes;

  /**
   * @param path without indexes; '' for the root
   * @param nodes mappings that are read as one
   */
  constructor(path: string, notes: Notes, nodes: readonly (Node | undefined)[]) {
    this.path = path;
    this.#notes = notes;
    for (const node of nodes) {
      if (node !== undefined && node.kind !== 'map' && !isNull(node)) notes.unmapped(path || 'file', node.at, 'it is not a mapping');
      for (const entry of entriesOf(node)) {
        this.#remaining.set(entry.key, [...(this.#remaining.get(entry.key) ?? []), entry]);
        if (!this.#entries.has(entry.key)) this.#entries.set(entry.key, entry);
      }
    }
  }

  pathOf(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`;
  }

  /** The entry, which then counts as read. Undefined if it is absent or null. Of several files, the first wins. */
  take(key: string): Entry | undefined {
    const [first, ...others] = this.takeAll(key);
    for (const { keyAt } of others) this.#notes.unmapped(this.pathOf(key), keyAt, 'the value of an earlier file is used');
    return first;
  }

  /** The entries of all files. */
  takeAll(key: string): readonly Entry[] {
    const entries = this.#remaining.get(key) ?? [];
    this.#remaining.delete(key);
    return entries.filter(({ value }) => !isNull(value));
  }

  /** The entry, whether it was taken or not. */
  entry(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** A number; anything else is reported. */
  number(key: string): { readonly value: number; readonly entry: Entry } | undefined {
    const entry = this.take(key);
    if (entry === undefined) return undefined;
    const { value: node } = entry;
    if (node.kind === 'scalar' && typeof node.value === 'number' && node.value >= 0) return { value: node.value, entry };
    this.#notes.unmapped(this.pathOf(key), entry.keyAt, 'it is not a number: set the value by hand');
    return undefined;
  }

  /** A string; anything else is reported. */
  text(key: string): { readonly value: string; readonly entry: Entry } | undefined {
    const entry = this.take(key);
    if (entry === undefined) return undefined;
    const value = textOf(entry.value);
    if (value !== undefined) return { value, entry };
    this.#notes.unmapped(this.pathOf(key), entry.keyAt, 'it is not a string');
    return undefined;
  }

  /** Reports each key that was not taken. */
  reportRemaining(reasons: Reasons): void {
    for (const { key, keyAt } of [...this.#remaining.values()].flat())
      this.#notes.unmapped(this.pathOf(key), keyAt, Object.hasOwn(reasons, key) ? (reasons[key] ?? unknown) : unknown);
    this.#remaining.clear();
  }
}

const isNull = (node: Node): boolean => node.kind === 'scalar' && node.value === null;

/** The first of several settings with the same meaning; the others are reported. */
export function firstNumber<T>(
  settings: readonly (readonly [SourceSection, string])[],
  notes: Notes,
  make: (value: number, entry: Entry, path: string) => T | undefined,
): T | undefined {
  let found: { made: T | undefined; path: string } | undefined;
  for (const [section, key] of settings) {
    const one = section.number(key);
    if (one === undefined) continue;
    const path = section.pathOf(key);
    if (found === undefined) found = { made: make(one.value, one.entry, path), path };
    else notes.different(path, one.entry.keyAt, `${found.path} is used instead`);
  }
  return found?.made;
}
