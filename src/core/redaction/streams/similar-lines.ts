import { isDigit } from '../find/classes.ts';

const backslash = 0x5c;

/** Maximum number of strings and numbers that may differ between similar lines. */
const maxChanges = 6;
/** Maximum number of line shapes that are kept. */
const maxShapes = 4;
/** Lines in a row without a known shape after which no more shapes are learned from this stream. */
const maxMisses = 16;
/** Maximum characters of a string that changes. A longer one may be a file. */
const maxStringLength = 512;
/** Maximum digits of a number that changes. A longer one may be a phone number. */
const maxDigits = 6;

/** One string of a line: the offsets of its content, and its channel. */
export interface LineString<C> {
  readonly start: number;
  readonly end: number;
  readonly channel: C;
}

/** Called with the strings of a line that has a known shape. */
export interface StringListener<C> {
  /** @param raw content of the string as it is written */
  changing(channel: C, raw: string): void;
  /** The string is the same as in the previous line. */
  constant(channel: C, raw: string): void;
}

type OffsetRange = readonly [start: number, end: number];
/** Returns false if there are too many. */
type OnRange = (start: number, end: number) => boolean;

interface Line<C> {
  readonly start: number;
  readonly end: number;
  readonly strings: readonly LineString<C>[];
}

/** What similar lines have in common. */
interface Shape<C> {
  /** Texts around the changes. */
  readonly fixed: readonly string[];
  /** The channel of each string that changes; undefined for a number. */
  readonly changes: readonly (C | undefined)[];
  readonly constant: readonly { readonly channel: C; readonly raw: string }[];
}

/**
 * Shapes of JSON lines that were already parsed, so that similar lines need no parsing. Most events of a stream differ
 * from the previous one only in the content of one or two strings and in a counter.
 */
export class SimilarLines<C> {
  readonly #text: string;
  readonly #shapes: Shape<C>[] = [];
  #last: Line<C> | undefined;
  #misses = 0;
  /** Start and end offsets of the changes in the line being compared. */
  readonly #ranges: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** True if the line has a known shape. The listener was then called with its strings. */
  isKnown(start: number, end: number, listener: StringListener<C>): boolean {
    for (const shape of this.#shapes) {
      if (!this.#fits(shape, start, end)) continue;
      this.#misses = 0;
      const { changes, constant } = shape;
      for (let i = 0; i < changes.length; i += 1) {
        const channel = changes[i];
        const from = this.#ranges[2 * i] as number;
        const to = this.#ranges[2 * i + 1] as number;
        if (channel !== undefined && to > from) listener.changing(channel, this.#text.slice(from, to));
      }
      for (const one of constant) listener.constant(one.channel, one.raw);
      return true;
    }
    return false;
  }

  /** Learns from a line that was parsed, and in which only the content of its strings can need masking. */
  learn(start: number, end: number, strings: readonly LineString<C>[]): void {
    if (this.#misses === maxMisses) return;
    this.#misses += 1;
    const last = this.#last;
    this.#last = { start, end, strings };
    if (last === undefined || last.strings.length !== strings.length) return;
    const shape = shapeOf(this.#text, last, this.#last);
    if (shape === undefined) return;
    this.#shapes.unshift(shape);
    if (this.#shapes.length > maxShapes) this.#shapes.pop();
  }

  #fits({ fixed, changes }: Shape<C>, start: number, end: number): boolean {
    const text = this.#text;
    let at = start;
    for (let i = 0; i < changes.length; i += 1) {
      const part = fixed[i] as string;
      const from = at + part.length;
      // Comparing with a slice is twice as fast as `startsWith`.
      if (text.slice(at, from) !== part) return false;
      at = changes[i] === undefined ? endOfNumber(text, from) : this.#quoteFrom(from);
      if (at < from || at > end || at - from > maxStringLength) return false;
      // A quote after a backslash may not end its string.
      if (changes[i] !== undefined && text.charCodeAt(at - 1) === backslash) return false;
      this.#ranges[2 * i] = from;
      this.#ranges[2 * i + 1] = at;
    }
    return text.slice(at, end) === fixed[changes.length];
  }

  #searched = -1;
  #quote = -1;

  /** Caches the next quote, so that lines without quotes do not cause repeated searches through the rest of the text. */
  #quoteFrom(from: number): number {
    if (from < this.#searched || from > this.#quote) {
      const found = this.#text.indexOf('"', from);
      this.#searched = from;
      this.#quote = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#quote;
  }
}

/** What two lines have in common; undefined if they differ in no string, or in more than strings and numbers. */
function shapeOf<C>(text: string, before: Line<C>, line: Line<C>): Shape<C> | undefined {
  const fixed: string[] = [];
  const changes: (C | undefined)[] = [];
  const constant: { channel: C; raw: string }[] = [];
  let from = line.start;
  const change = (start: number, end: number, channel?: C): boolean => {
    fixed.push(flat(text.slice(from, start)));
    from = end;
    return changes.push(channel) <= maxChanges;
  };
  let one = before.start;
  let other = line.start;
  for (const [i, string] of line.strings.entries()) {
    const like = before.strings[i] as LineString<C>;
    if (!areSimilar(text, [one, like.start], [other, string.start], change)) return undefined;
    const raw = text.slice(string.start, string.end);
    if (text.slice(like.start, like.end) === raw) constant.push({ channel: string.channel, raw });
    else if (!change(string.start, string.end, string.channel)) return undefined;
    one = like.end;
    other = string.end;
  }
  if (!areSimilar(text, [one, before.end], [other, line.end], change)) return undefined;
  if (changes.every((channel) => channel === undefined)) return undefined;
  fixed.push(flat(text.slice(from, line.end)));
  return { fixed, changes, constant };
}

/** True if two texts around strings differ only in short numbers of members. Calls `onNumber` with those of the second text. */
function areSimilar(text: string, [one, endOfOne]: OffsetRange, [other, end]: OffsetRange, onNumber: OnRange): boolean {
  let a = one;
  let b = other;
  for (let isValue = false; a < endOfOne && b < end; a += 1, b += 1) {
    const c = text.charCodeAt(b);
    const endOfA = isValue && isDigit(c) ? endOfNumber(text, a) : -1;
    const endOfB = endOfA < 0 ? -1 : endOfNumber(text, b);
    if (endOfB >= 0) {
      if (text.slice(a, endOfA) !== text.slice(b, endOfB)) {
        // Indices of choices and blocks must not change.
        if (/ndex"\s*:\s*$/.test(text.slice(other, b)) || !onNumber(b, endOfB)) return false;
      }
      a = endOfA - 1;
      b = endOfB - 1;
      isValue = false;
      continue;
    }
    if (c !== text.charCodeAt(a)) return false;
    isValue = c === 0x3a || (isValue && c <= 0x20);
  }
  return a === endOfOne && b === end;
}

/** The offset after a number of a few digits; -1 if there is none. */
function endOfNumber(text: string, start: number): number {
  let at = start;
  while (at - start <= maxDigits && isDigit(text.charCodeAt(at))) at += 1;
  return at === start || at - start > maxDigits ? -1 : at;
}

/** Copies the text to a flat string. Comparing with a slice of another string is slower. */
const flat = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');
