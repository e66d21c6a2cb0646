import { crc32 } from 'node:zlib';
import type { Edits } from '../edits.ts';
import { endOfValue, pastBlanks } from '../json-traversal.ts';
import { type KnownElement, type KnownElements, maxElementSize } from './known-elements.ts';

const brace = 0x7b;
const bracket = 0x5b;
const closingBracket = 0x5d;
const comma = 0x2c;

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
  readonly bytes: Buffer;
  readonly checksum: number;
  /** Number of edits before it. */
  readonly edits: number;
}

/** The elements of the lists of one request: applies the edits of known elements, and adds the new ones to them. */
export class ListElements {
  /** By offset of the list. */
  readonly lists = new Map<number, ListOffsets>();
  readonly #text: string;
  readonly #bytes: Buffer;
  readonly #known: KnownElements;
  readonly #edits: Edits;
  #list: ListOffsets | undefined;
  /** The element before the next one, if it is known. */
  #previous: KnownElement | undefined;
  #new: NewElement | undefined;

  /** @param bytes the same text as bytes */
  constructor(text: string, bytes: Buffer, known: KnownElements, edits: Edits) {
    this.#text = text;
    this.#bytes = bytes;
    this.#known = known;
    this.#edits = edits;
  }

  /**
   * Begins the element at `start`, or the end of an empty list. Returns the offset after the element if it is known, else `start`.
   *
   * @param sign offset of the bracket or the comma before it
   */
  next(sign: number, start: number): number {
    this.finish();
    if (this.#text.charCodeAt(sign) === bracket) this.#begin(sign);
    if (this.#text.charCodeAt(start) !== brace) {
      this.#previous = undefined;
      if (this.#text.charCodeAt(start) !== closingBracket) this.#note(start, endOfValue(this.#text, start, this.#text.length));
      return start;
    }
    return this.#following(start) ?? this.#searched(start);
  }

  /** Adds the last new element to the known ones. Call it when the walk has reached its end. */
  finish(): void {
    const element = this.#new;
    if (element === undefined) return;
    this.#new = undefined;
    const { start, end, bytes, checksum, edits } = element;
    this.#append(this.#known.add(bytes, checksum, this.#edits.since(edits, start, end)));
  }

  /** The end of the element that followed the previous one last time, if it is here again. */
  #following(start: number): number | undefined {
    const known = this.#previous?.next;
    if (known === undefined) return undefined;
    const end = start + known.bytes.length;
    const isHere = end <= this.#bytes.length && this.#bytes.compare(known.bytes, 0, known.bytes.length, start, end) === 0;
    return isHere && this.#isBeforeElement(end) ? this.#apply(known, start, end) : undefined;
  }

  #searched(start: number): number {
    const end = endOfValue(this.#text, start, this.#text.length);
    if (end - start > maxElementSize || !this.#isBeforeElement(end)) {
      this.#note(start, end);
      this.#previous = undefined;
      return start;
    }
    const bytes = this.#bytes.subarray(start, end);
    const checksum = crc32(bytes);
    const known = this.#known.find(bytes, checksum);
    if (known !== undefined) return this.#apply(known, start, end);
    this.#note(start, end);
    this.#new = { start, end, bytes, checksum, edits: this.#edits.count };
    return start;
  }

  #apply(known: KnownElement, start: number, end: number): number {
    for (const { from, to, replacement, kind } of known.edits) this.#edits.add(start + from, start + to, replacement, kind);
    this.#note(start, end);
    this.#append(known);
    return end;
  }

  #begin(bracketAt: number): void {
    this.#list = { starts: [], ends: [], count: 0 };
    this.lists.set(bracketAt, this.#list);
    this.#previous = undefined;
  }

  #note(start: number, end: number): void {
    const list = this.#list;
    if (list === undefined) return;
    list.starts[list.count % maxElements] = start;
    list.ends[list.count % maxElements] = end;
    list.count += 1;
  }

  #append(known: KnownElement | undefined): void {
    if (this.#previous !== undefined) this.#previous.next = known;
    this.#previous = known;
  }

  /**
   * False for an incomplete element, which may continue otherwise in another text, and before anything but an object or the end
   * of the list: the walk takes over the last name in an object for other values.
   */
  #isBeforeElement(end: number): boolean {
    const text = this.#text;
    const at = pastBlanks(text, end, text.length);
    const c = text.charCodeAt(at);
    return c === closingBracket || (c === comma && text.charCodeAt(pastBlanks(text, at + 1, text.length)) === brace);
  }
}
