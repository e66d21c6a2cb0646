const backslash = 0x5c;

/** Strings and numbers of a line that may change from one to the next. */
const mostChanges = 6;
/** Kinds of lines that are remembered. */
const mostShapes = 4;
/** Lines in a row that were like none before: after so many of them no more is learned from this stream. */
const mostMisses = 16;
/** Characters of a string that changes: a longer one may be a file. */
const longest = 512;
/** Digits of a number that changes: a longer one may be a telephone number. */
const mostDigits = 6;

/** One string of a line: where its content is, and what it belongs to. */
export interface LineString<C> {
  readonly start: number;
  readonly end: number;
  readonly channel: C;
}

/** Told of the strings of a line that is like those before it. */
export interface StringListener<C> {
  /** @param raw its content, as it is written */
  changing(channel: C, raw: string): void;
  /** The same as in the line before. */
  constant(channel: C, raw: string): void;
}

type Range = readonly [start: number, end: number];
/** False where there are too many. */
type OnRange = (start: number, end: number) => boolean;

interface Line<C> {
  readonly start: number;
  readonly end: number;
  readonly strings: readonly LineString<C>[];
}

/** What some lines have in common. */
interface Shape<C> {
  /** Texts around the changes. */
  readonly fixed: readonly string[];
  /** For each change what its string belongs to; undefined for a number. */
  readonly changes: readonly (C | undefined)[];
  readonly constant: readonly { readonly channel: C; readonly raw: string }[];
}

/**
 * Lines of JSON that were walked, so that the next one like them need not be: most events of a stream differ from the one
 * before in the content of a string or two, and in a number that counts them.
 */
export class LinesAlike<C> {
  readonly #text: string;
  readonly #shapes: Shape<C>[] = [];
  #last: Line<C> | undefined;
  #misses = 0;
  /** Where the changes of the line that is compared start and end. */
  readonly #ranges: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** True where a line is like one before: the listener was told of its strings. */
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

  /** A line that was walked. Nothing of it is masked but what its strings may hold. */
  learn(start: number, end: number, strings: readonly LineString<C>[]): void {
    if (this.#misses === mostMisses) return;
    this.#misses += 1;
    const last = this.#last;
    this.#last = { start, end, strings };
    if (last === undefined || last.strings.length !== strings.length) return;
    const shape = shapeOf(this.#text, last, this.#last);
    if (shape === undefined) return;
    this.#shapes.unshift(shape);
    if (this.#shapes.length > mostShapes) this.#shapes.pop();
  }

  #fits({ fixed, changes }: Shape<C>, start: number, end: number): boolean {
    const text = this.#text;
    let at = start;
    for (let i = 0; i < changes.length; i += 1) {
      const part = fixed[i] as string;
      const from = at + part.length;
      // Comparing with a slice takes half as long as `startsWith`.
      if (text.slice(at, from) !== part) return false;
      at = changes[i] === undefined ? endOfNumber(text, from) : this.#quoteFrom(from);
      if (at < from || at > end || at - from > longest) return false;
      // A quote behind a backslash may not end its string.
      if (changes[i] !== undefined && text.charCodeAt(at - 1) === backslash) return false;
      this.#ranges[2 * i] = from;
      this.#ranges[2 * i + 1] = at;
    }
    return text.slice(at, end) === fixed[changes.length];
  }

  #searched = -1;
  #quote = -1;

  /** Of lines without quotes the rest of the text is not searched again for each of them. */
  #quoteFrom(from: number): number {
    if (from < this.#searched || from > this.#quote) {
      const found = this.#text.indexOf('"', from);
      this.#searched = from;
      this.#quote = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#quote;
  }
}

/** What two lines have in common; undefined where they differ in no string, or in more than strings and numbers. */
function shapeOf<C>(text: string, before: Line<C>, line: Line<C>): Shape<C> | undefined {
  const fixed: string[] = [];
  const changes: (C | undefined)[] = [];
  const constant: { channel: C; raw: string }[] = [];
  let from = line.start;
  const change = (start: number, end: number, channel?: C): boolean => {
    fixed.push(flat(text.slice(from, start)));
    from = end;
    return changes.push(channel) <= mostChanges;
  };
  let one = before.start;
  let other = line.start;
  for (const [i, string] of line.strings.entries()) {
    const like = before.strings[i] as LineString<C>;
    if (!areAlike(text, [one, like.start], [other, string.start], change)) return undefined;
    const raw = text.slice(string.start, string.end);
    if (text.slice(like.start, like.end) === raw) constant.push({ channel: string.channel, raw });
    else if (!change(string.start, string.end, string.channel)) return undefined;
    one = like.end;
    other = string.end;
  }
  if (!areAlike(text, [one, before.end], [other, line.end], change)) return undefined;
  if (changes.every((channel) => channel === undefined)) return undefined;
  fixed.push(flat(text.slice(from, line.end)));
  return { fixed, changes, constant };
}

/** True where two texts around strings are the same but for short numbers of members; told of those of the second one. */
function areAlike(text: string, [one, endOfOne]: Range, [other, end]: Range, onNumber: OnRange): boolean {
  let a = one;
  let b = other;
  for (let isValue = false; a < endOfOne && b < end; a += 1, b += 1) {
    const c = text.charCodeAt(b);
    const endOfA = isValue && isDigit(c) ? endOfNumber(text, a) : -1;
    const endOfB = endOfA < 0 ? -1 : endOfNumber(text, b);
    if (endOfB >= 0) {
      if (text.slice(a, endOfA) !== text.slice(b, endOfB)) {
        // What tells choices and blocks apart does not change.
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

/** Behind a number of a few digits and nothing else; -1 where there is none. */
function endOfNumber(text: string, start: number): number {
  let at = start;
  while (at - start <= mostDigits && isDigit(text.charCodeAt(at))) at += 1;
  return at === start || at - start > mostDigits ? -1 : at;
}

const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;

/** A text of its own: comparing with a piece of another one takes longer. */
const flat = (text: string): string => Buffer.from(text, 'latin1').toString('latin1');
