import type { Edits } from '../edits.ts';
import { ElementMatcher } from './element-matcher.ts';
import type { KnownElements } from './known-elements.ts';

const bracket = 0x5b;

/** Maximum elements, from the end of a list, whose offsets are kept. */
export const maxElements = 32;

/** The offsets of the last elements of a list, in a ring: element `i` is at `i % maxElements`. */
export interface ListOffsets {
  readonly starts: number[];
  readonly ends: number[];
  /** Number of all elements. */
  count: number;
}

/** An element that is being searched. */
interface NewElement {
  readonly start: number;
  readonly end: number;
  readonly checksum: number;
  /** Number of edits before it. */
  readonly edits: number;
}

/** The elements of the lists of one request: applies the edits of known elements, and adds the new ones to them. */
export class ListElements {
  /** By offset of the list. */
  readonly lists = new Map<number, ListOffsets>();
  /** Bytes of all known elements so far. */
  knownSize = 0;
  readonly #text: string;
  readonly #matcher: ElementMatcher;
  readonly #edits: Edits;
  #list: ListOffsets | undefined;
  #new: NewElement | undefined;

  /** @param bytes the same text as bytes */
  constructor(text: string, bytes: Buffer, known: KnownElements, edits: Edits) {
    this.#text = text;
    this.#matcher = new ElementMatcher(text, bytes, known);
    this.#edits = edits;
  }

  /**
   * Begins the element at `start`, or the end of an empty list. Returns the offset after the element if it is known, else `start`.
   *
   * @param sign offset of the bracket or the comma before it
   */
  next(sign: number, start: number): number {
    this.finish();
    const matcher = this.#matcher;
    if (this.#text.charCodeAt(sign) === bracket) this.#begin(sign);
    const known = matcher.match(start);
    if (matcher.end > start) this.#note(start, matcher.end);
    if (known !== undefined) {
      for (const { from, to, replacement, kind } of known.edits) this.#edits.add(start + from, start + to, replacement, kind);
      this.knownSize += known.bytes.length;
      return matcher.end;
    }
    const { end, checksum } = matcher;
    if (checksum !== undefined) this.#new = { start, end, checksum, edits: this.#edits.count };
    return start;
  }

  /** Adds the last new element to the known ones. Call it when the walk has reached its end. */
  finish(): void {
    const element = this.#new;
    if (element === undefined) return;
    this.#new = undefined;
    const { start, end, checksum, edits } = element;
    this.#matcher.add(start, end, checksum, this.#edits.since(edits, start, end));
  }

  #begin(sign: number): void {
    this.#list = { starts: [], ends: [], count: 0 };
    this.lists.set(sign, this.#list);
  }

  #note(start: number, end: number): void {
    const list = this.#list;
    if (list === undefined) return;
    list.starts[list.count % maxElements] = start;
    list.ends[list.count % maxElements] = end;
    list.count += 1;
  }
}
