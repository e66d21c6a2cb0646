import { mayBeMasked } from './member-names.ts';
import { decoded } from './texts/strings.ts';
import { oneByte, readable } from './texts/unicode.ts';

/** What a walk over JSON text meets. Offsets are those of the text; hashes stand for paths. */
export interface Visitor {
  /** A string without its quotes. `channel` differs by the places in lists, `path` does not. */
  string(start: number, end: number, isEscaped: boolean, channel: number, path: number): void;
  number(start: number, end: number): void;
  /** True: the member's value is not looked into; `skipped` is called with its range. */
  skips(path: number, name: number, first: number): boolean;
  skipped(start: number, end: number, path: number): void;
  /** A name that may hold something: with an @, many digits, or long with some. */
  name(start: number, end: number, isEscaped: boolean): void;
  /** True: it is told of all names and numbers. */
  readonly looksAtAll: boolean;
  /** True: elements of lists are asked about as members are, with a name of 0. */
  readonly skipsElements: boolean;
  /** Offset up to which the text is read, of a walk that has come as far as it was told. */
  reach(): number;
}

const quote = 0x22;
const backslash = 0x5c;

/** The hash of a path is that of its parts, from the outermost on. */
const rootPath = 17;
/** In place of an index, where a path names all elements. */
const anyElement = 0x5bad;
const mix = (a: number, b: number): number => (Math.imul(a, 0x01000193) ^ b) | 0;

/** A name in quotes, which may hold dots and brackets; all elements of a list; a name. */
const steps = /"((?:[^"\\]|\\.)*)"|\[\*\]|[^.[\]]+/g;

export function pathHash(path: string): number {
  let hash = rootPath;
  for (const [part, quoted] of path.matchAll(steps)) {
    const name = quoted?.replaceAll(/\\(.)/g, '$1') ?? part;
    hash = mix(hash, quoted === undefined && part === '[*]' ? anyElement : nameHash(oneByte(name)));
  }
  return hash;
}

/** Of a name as it is written in JSON. */
function nameHash(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i += 1) hash = mix(hash, name.charCodeAt(i));
  return hash;
}

/** Of a name whatever its spelling: `apiKey`, `api_key` and `API-KEY` are one. */
function looseHash(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i += 1) {
    const c = name.charCodeAt(i);
    if (c !== 0x5f && c !== 0x2d) hash = mix(hash, c | 0x20);
  }
  return hash;
}

/** Gemini divides one text into parts in some events and not in others: what is in the list is one text, in its order. */
const parts = looseHash('parts');
/** In place of an index: not a number, whatever is added to it. */
const oneChannel = Number.NaN;

/** Characters at the end of a name that may say what its value is. */
const longestName = 64;

/** Levels that are told apart; what lies deeper counts as lying on the last one. */
const levels = 128;

/**
 * Walks over JSON text once, without building anything, and over text that is not quite JSON or cut as far as it goes:
 * what is malformed is met as strings and numbers all the same. One walk after another; not while one is in progress.
 */
export class Walk {
  readonly #channels: number[] = [0];
  readonly #paths: number[] = [0];
  readonly #indices: number[] = [0];
  #name = 0;
  #nameStart = 0;
  #nameEnd = 0;
  /** Hash of all members whose name ends in "index", with their values: tells choices and blocks of a stream apart. */
  indices = 0;

  /** The end of the name of the member that holds what was met last: names may be as long as bodies, and each value asks. */
  nameIn(text: string): string {
    return text.slice(Math.max(this.#nameStart, this.#nameEnd - longestName), this.#nameEnd);
  }

  /** False where that name is none of those whose values may be masked. */
  mayNameBeMasked(text: string): boolean {
    return this.#isNameEscaped || mayBeMasked(text, this.#nameEnd);
  }

  /** @param first offset at which the visitor is asked how far to go on. Returns where the walk ended. */
  run(text: string, from: number, to: number, visitor: Visitor, first = to): number {
    let end = Math.min(first, to);
    const channels = this.#channels;
    const paths = this.#paths;
    const indices = this.#indices;
    let depth = 0;
    this.#begin(from);
    let channel = rootPath;
    let path = rootPath;
    let isName = false;
    for (let at = from; ; at += 1) {
      if (at >= end) {
        end = Math.min(to, visitor.reach());
        if (at >= end) return Math.min(at, to);
      }
      const c = text.charCodeAt(at);
      if (c === quote) {
        if (isName) {
          isName = false;
          at = this.#readName(text, at + 1, to);
          if (this.#mayHold || visitor.looksAtAll) visitor.name(this.#nameStart, this.#nameEnd, this.#isNameEscaped);
          channel = mix(channels[depth] ?? 0, this.#hash);
          path = mix(paths[depth] ?? 0, this.#hash);
          at = this.#member(text, at + 1, to, visitor, path);
        } else {
          const isEscaped = this.#skipString(text, at + 1, to);
          visitor.string(at + 1, this.#end, isEscaped, channel, path);
          at = this.#end;
        }
      } else if (c === 0x7b || c === 0x5b) {
        if (depth < levels) depth += 1;
        channels[depth] = channel;
        paths[depth] = path;
        isName = c === 0x7b;
        indices[depth] = isName ? -1 : this.#name === parts ? oneChannel : 0;
        if (!isName) {
          channel = mix(channel, (indices[depth] as number) + 1);
          path = mix(path, anyElement);
          if (visitor.skipsElements) at = this.#element(text, at + 1, to, visitor, path);
        }
      } else if (c === 0x7d || c === 0x5d) {
        if (depth > 0) depth -= 1;
        isName = false;
      } else if (c === 0x2c) {
        const index = indices[depth] ?? -1;
        if (index < 0) isName = depth > 0;
        else {
          indices[depth] = index + 1;
          channel = mix(channels[depth] ?? 0, index + 2);
          path = mix(paths[depth] ?? 0, anyElement);
          if (visitor.skipsElements) at = this.#element(text, at + 1, to, visitor, path);
        }
      } else if ((c >= 0x30 && c <= 0x39) || c === 0x2d) {
        at = this.#number(text, at, to, visitor);
      }
    }
  }

  #begin(from: number): void {
    this.#channels[0] = rootPath;
    this.#paths[0] = rootPath;
    this.#indices[0] = -1;
    this.#nameStart = from;
    this.#nameEnd = from;
    this.indices = 0;
  }

  /** Returns the last character of a number. */
  #number(text: string, start: number, to: number, visitor: Visitor): number {
    let stop = start + 1;
    while (stop < to && isNumeric(text.charCodeAt(stop))) stop += 1;
    if (this.#isIndex) this.indices = mix(mix(this.indices, this.#name), Number(text.slice(start, stop)));
    else if (stop - start >= 7 || visitor.looksAtAll) visitor.number(start, stop);
    return stop - 1;
  }

  /** What follows a name: returns the last character of what need not be looked at any more. */
  #member(text: string, from: number, to: number, visitor: Visitor, path: number): number {
    const value = afterColon(text, from, to);
    if (value < 0) return from - 1;
    if (!visitor.skips(path, this.#name, text.charCodeAt(value))) return value - 1;
    const end = endOfValue(text, value, to);
    visitor.skipped(value, end, path);
    return end - 1;
  }

  /** What begins an element of a list: returns the last character of what need not be looked at any more. */
  #element(text: string, from: number, to: number, visitor: Visitor, path: number): number {
    let value = from;
    while (value < to && text.charCodeAt(value) <= 0x20) value += 1;
    const first = text.charCodeAt(value);
    if (value >= to || first === 0x5d || !visitor.skips(path, 0, first)) return from - 1;
    const end = endOfValue(text, value, to);
    visitor.skipped(value, end, path);
    return end - 1;
  }

  #hash = 0;
  #end = 0;
  #isIndex = false;
  #mayHold = false;
  #isNameEscaped = false;

  /** Reads a name and returns the offset of its closing quote. */
  #readName(text: string, start: number, to: number): number {
    let hash = 0;
    let loose = 0;
    let at = start;
    let isEscaped = false;
    let digits = 0;
    let hasSign = false;
    for (; at < to; at += 1) {
      const c = text.charCodeAt(at);
      if (c === quote) break;
      if (c === backslash) {
        isEscaped = true;
        at += 1;
        continue;
      }
      hash = mix(hash, c);
      if (c !== 0x5f && c !== 0x2d) loose = mix(loose, c | 0x20);
      // Digits, and signs such as @ and %; names are letters.
      if (c < 0x41 && c !== 0x2d) {
        if (c >= 0x30 && c <= 0x39) digits += 1;
        else hasSign = true;
      }
    }
    this.#nameStart = start;
    this.#nameEnd = at;
    this.#isNameEscaped = isEscaped;
    this.#mayHold = hasSign || isEscaped || digits >= 7 || (digits > 0 && at - start >= 16);
    if (isEscaped) {
      const name = oneByte(decoded(readable(text.slice(start, at)).text));
      hash = nameHash(name);
      loose = looseHash(name);
    }
    this.#hash = hash;
    this.#name = loose;
    // Index, index, _index.
    this.#isIndex = at - start >= 5 && text.charCodeAt(at - 1) === 0x78 && text.startsWith('ndex', at - 4);
    return at;
  }

  /** True where the string has escapes; `#end` is the offset of its closing quote. */
  #skipString(text: string, start: number, to: number): boolean {
    let at = start;
    // Most strings are short.
    const near = Math.min(to, start + 32);
    for (; at < near; at += 1) {
      const c = text.charCodeAt(at);
      if (c === quote) {
        this.#end = at;
        return false;
      }
      if (c === backslash) break;
    }
    this.#end = endOfString(text, at, to);
    return at < near || this.#nextEscape(text, at) < this.#end;
  }

  #escape = -1;
  #escapeIn = '';

  /** Offset of the next backslash. Looked for once, not for each string again. */
  #nextEscape(text: string, from: number): number {
    if (this.#escape < from || this.#escapeIn !== text) {
      const found = text.indexOf('\\', from);
      this.#escape = found < 0 ? Number.POSITIVE_INFINITY : found;
      this.#escapeIn = text;
    }
    return this.#escape;
  }
}

/** Offset of the quote that closes a string, or `to` where it is cut. */
export function endOfString(text: string, from: number, to: number): number {
  let at = from;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end < 0 || end >= to) return to;
    let before = end - 1;
    while (before >= from && text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
    at = end + 1;
  }
}

/** Offset of the value behind a name; -1 where there is none. */
export function afterColon(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && text.charCodeAt(at) <= 0x20) at += 1;
  if (text.charCodeAt(at) !== 0x3a) return -1;
  at += 1;
  while (at < to && text.charCodeAt(at) <= 0x20) at += 1;
  return at < to ? at : -1;
}

/** Behind a value of any kind. */
export function endOfValue(text: string, start: number, to: number): number {
  let depth = 0;
  for (let at = start; at < to; at += 1) {
    const c = text.charCodeAt(at);
    if (c === quote) {
      at = endOfString(text, at + 1, to);
      if (depth === 0) return Math.min(to, at + 1);
    } else if (c === 0x7b || c === 0x5b) depth += 1;
    else if (c === 0x7d || c === 0x5d) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (c === 0x2c && depth === 0) return at;
  }
  return to;
}

const isNumeric = (c: number): boolean => (c >= 0x30 && c <= 0x39) || c === 0x2e || c === 0x2b || c === 0x2d || c === 0x65 || c === 0x45;
