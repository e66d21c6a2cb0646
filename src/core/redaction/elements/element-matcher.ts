import { crc32 } from 'node:zlib';
import type { Edit } from '../edits.ts';
import { endOfValue, pastBlanks } from '../json-traversal.ts';
import { type KnownElement, type KnownElements, maxElementSize } from './known-elements.ts';

const brace = 0x7b;
const closingBracket = 0x5d;
const comma = 0x2c;

/** Finds known elements in the lists of one text, in order. */
export class ElementMatcher {
  /** The offset after the last element; its start for the end of a list. */
  end = 0;
  /** The checksum of the last element if it can be added; undefined if it is known, or must not be. */
  checksum: number | undefined;
  readonly #text: string;
  readonly #bytes: Buffer;
  readonly #known: KnownElements;
  /** The previous element, if it is known. */
  #previous: KnownElement | undefined;

  /** @param bytes the same text as bytes */
  constructor(text: string, bytes: Buffer, known: KnownElements) {
    this.#text = text;
    this.#bytes = bytes;
    this.#known = known;
  }

  /** Returns the element at `start` if it is known. */
  match(start: number): KnownElement | undefined {
    this.checksum = undefined;
    const known = this.#following(start) ?? this.#searched(start);
    if (known !== undefined) this.#link(known);
    else if (this.checksum === undefined) this.#previous = undefined;
    return known;
  }

  /** Adds the last element. @param edits with offsets from its start */
  add(start: number, end: number, checksum: number, edits: readonly Edit[]): void {
    this.#link(this.#known.add(this.#bytes.subarray(start, end), checksum, edits));
  }

  #link(known: KnownElement): void {
    if (this.#previous !== undefined) this.#previous.next = known;
    this.#previous = known;
  }

  /** The element that followed the previous one last time, if it is here again. */
  #following(start: number): KnownElement | undefined {
    const known = this.#previous?.next;
    if (known === undefined) return undefined;
    const end = start + known.bytes.length;
    const isHere = end <= this.#bytes.length && this.#bytes.compare(known.bytes, 0, known.bytes.length, start, end) === 0;
    if (!isHere || !this.#isBeforeElement(end)) return undefined;
    this.end = end;
    return known;
  }

  #searched(start: number): KnownElement | undefined {
    const first = this.#text.charCodeAt(start);
    this.end = first === closingBracket ? start : endOfValue(this.#text, start, this.#text.length);
    if (first !== brace || this.end - start > maxElementSize || !this.#isBeforeElement(this.end)) return undefined;
    const bytes = this.#bytes.subarray(start, this.end);
    const checksum = crc32(bytes);
    const known = this.#known.find(bytes, checksum);
    if (known === undefined) this.checksum = checksum;
    return known;
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
