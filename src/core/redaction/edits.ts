import type { Counts } from './rules.ts';
import type { Kind } from './find/hits.ts';

export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly replacement: string;
  readonly kind: Kind | undefined;
}

/** Replacements in a text. The rest of the text does not change. */
export class Edits {
  readonly #list: Edit[] = [];
  readonly counts: Counts = {};
  #isSorted = true;
  /** Characters by which the text becomes shorter. */
  saved = 0;

  get isEmpty(): boolean {
    return this.#list.length === 0;
  }

  get count(): number {
    return this.#list.length;
  }

  /** All edits, in the order of the text. */
  sorted(): readonly Edit[] {
    this.#sort();
    return this.#list;
  }

  /** The edits added since there were `count`, up to an offset of the text, with offsets from `start`. */
  since(count: number, start: number, end: number): readonly Edit[] {
    if (this.#list.length === count) return noEdits;
    const added = this.#list.slice(count).filter(({ from }) => from < end);
    return added.map((edit) => ({ ...edit, from: edit.from - start, to: edit.to - start }));
  }

  /** @param kind counted once per edit */
  add(from: number, to: number, replacement: string, kind: Kind | undefined): void {
    const last = this.#list.at(-1);
    if (last !== undefined && from < last.to) this.#isSorted = false;
    this.#list.push({ from, to, replacement, kind });
    this.saved += to - from - replacement.length;
    if (kind !== undefined) this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  /** Returns the offset, or the end of the edit that contains it. */
  endOfEditAt(offset: number): number {
    const last = this.#list.findLast(({ from }) => from < offset);
    return last !== undefined && last.to > offset ? last.to : offset;
  }

  /** The edited form of a part of the text. An edit that reaches beyond the part contributes only its replacement. */
  apply(text: string, from = 0, to = text.length): string {
    if (this.#list.length === 0) return from === 0 && to === text.length ? text : text.slice(from, to);
    this.#sort();
    let out = '';
    let at = from;
    for (const edit of this.#list) {
      if (edit.from >= to) break;
      if (edit.from >= at) out += text.slice(at, edit.from) + edit.replacement;
      at = Math.max(at, Math.min(edit.to, to));
    }
    return out + text.slice(at, to);
  }

  /** Returns a function that maps offsets of the text to offsets after the edits. It must be called with ascending offsets. */
  offsetMapper(): (offset: number) => number {
    this.#sort();
    let i = 0;
    let shift = 0;
    return (offset) => {
      for (let edit = this.#list[i]; edit !== undefined && edit.to <= offset; edit = this.#list[i]) {
        shift += edit.replacement.length - (edit.to - edit.from);
        i += 1;
      }
      const edit = this.#list[i];
      return (edit !== undefined && edit.from < offset ? edit.from : offset) + shift;
    };
  }

  #sort(): void {
    if (this.#isSorted) return;
    this.#list.sort((a, b) => a.from - b.from || b.to - a.to);
    this.#isSorted = true;
  }
}

const noEdits: readonly Edit[] = Object.freeze([]);
