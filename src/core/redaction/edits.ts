import type { Counts } from './rules.ts';
import type { Kind } from './find/hits.ts';

/** Pieces of a text that are written anew. Nothing else of it changes. */
export class Edits {
  readonly #list: { readonly from: number; readonly to: number; readonly words: string }[] = [];
  readonly counts: Counts = {};
  #isSorted = true;
  /** Characters that the text becomes shorter by. */
  saved = 0;

  get isEmpty(): boolean {
    return this.#list.length === 0;
  }

  /** @param kind counted, once a find */
  add(from: number, to: number, words: string, kind: Kind | undefined): void {
    const last = this.#list.at(-1);
    if (last !== undefined && from < last.to) this.#isSorted = false;
    this.#list.push({ from, to, words });
    this.saved += to - from - words.length;
    if (kind !== undefined) this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }

  /** The offset, or where the last edit ends that it lies in. */
  behind(offset: number): number {
    const last = this.#list.findLast(({ from }) => from < offset);
    return last !== undefined && last.to > offset ? last.to : offset;
  }

  /** A part of the text as it is to be stored: of an edit that goes beyond the part nothing but its words is shown. */
  apply(text: string, from = 0, to = text.length): string {
    if (this.#list.length === 0) return from === 0 && to === text.length ? text : text.slice(from, to);
    this.#sort();
    let out = '';
    let at = from;
    for (const edit of this.#list) {
      if (edit.from >= to) break;
      if (edit.from >= at) out += text.slice(at, edit.from) + edit.words;
      at = Math.max(at, Math.min(edit.to, to));
    }
    return out + text.slice(at, to);
  }

  /** Where offsets of the text are afterwards; they must ascend. */
  moved(): (offset: number) => number {
    this.#sort();
    let i = 0;
    let shift = 0;
    return (offset) => {
      for (let edit = this.#list[i]; edit !== undefined && edit.to <= offset; edit = this.#list[i]) {
        shift += edit.words.length - (edit.to - edit.from);
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
