import { mayBeMasked } from './names/member-names.ts';
import { decoded } from './texts/strings.ts';
import { oneByte, readable } from './texts/unicode.ts';

/** Callbacks of a walk over JSON text. Offsets refer to the text; paths are represented by hashes. */
export interface Visitor {
  /** A string without its quotes, or text that is not JSON. `channel` depends on the indices of list elements, `path` does not. */
  string(start: number, end: number, isEscaped: boolean, channel: number, path: number): void;
  number(start: number, end: number): void;
  /** True to skip the value of the member. `skipped` is then called with its range. */
  skips(path: number, name: number, first: number): boolean;
  skipped(start: number, end: number, path: number): void;
  /** A name that may contain sensitive data: with a sign such as @, many digits, or long with some digits. */
  name(start: number, end: number, isEscaped: boolean): void;
  /** True to receive all names and numbers. */
  readonly reportsAll: boolean;
  /** True to call `skips` for elements of lists as well, with 0 as the name. */
  readonly skipsElements: boolean;
  /** Offset up to which to read, called when the walk has reached the previous limit. */
  reach(): number;
  /** Called for the elements of the lists in the outermost object. */
  readonly elements?: ElementSkipper | undefined;
}

export interface ElementSkipper {
  /**
   * Returns the offset after the element if it need not be walked over, else `start`.
   *
   * @param sign offset of the bracket or the comma before it
   * @param start offset of the element, or of the end of an empty list
   */
  next(sign: number, start: number): number;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** The hash of a path combines the hashes of its parts, from the outermost on. */
const rootPath = 17;
/** Replaces the index in a path that names all elements. */
const anyElement = 0x5bad;
const mix = (a: number, b: number): number => (Math.imul(a, 0x01000193) ^ b) | 0;

/** A quoted name, which may contain dots and brackets; all elements of a list; a name. */
const steps = /"((?:[^"\\]|\\.)*)"|\[\*\]|[^.[\]]+/g;

export function pathHash(path: string): number {
  let hash = rootPath;
  for (const [part, quoted] of path.matchAll(steps)) {
    const name = quoted?.replaceAll(/\\(.)/g, '$1') ?? part;
    hash = mix(hash, quoted === undefined && part === '[*]' ? anyElement : nameHash(oneByte(name)));
  }
  return hash;
}

/** Hash of a name as it is written in JSON. */
function nameHash(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i += 1) hash = mix(hash, name.charCodeAt(i));
  return hash;
}

/** Hash of a name in any spelling: `apiKey`, `api_key` and `API-KEY` have the same hash. */
function looseHash(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i += 1) {
    const c = name.charCodeAt(i);
    if (c !== 0x5f && c !== 0x2d) hash = mix(hash, c | 0x20);
  }
  return hash;
}

/** Gemini splits one text into parts in some events and not in others. The parts of a list form one text, in order. */
const parts = looseHash('parts');
/** Replaces the index of such a list. NaN stays NaN when incremented. */
const oneChannel = Number.NaN;

/** Characters at the end of a name that can determine how its value is treated. */
export const longestName = 64;
/** Maximum characters of the escape for one character. */
const longestEscape = 6;

/** Nesting levels that are distinguished. Deeper levels are treated as the last one. */
const levels = 128;

/**
 * Walks over JSON text once without building values. Malformed or truncated JSON is walked to its end: its strings and
 * numbers are still reported, and text that is not JSON is reported like a string. A `JsonTraversal` can be reused, but only after
 * the previous walk has ended.
 */
export class JsonTraversal {
  readonly #channels: number[] = [0];
  readonly #paths: number[] = [0];
  readonly #indices: number[] = [0];
  #name = 0;
  #nameStart = 0;
  #nameEnd = 0;
  /** Hash of all members whose name ends in "index", with their values. It distinguishes the choices and blocks of a stream. */
  indices = 0;

  /** Offset of the name of the member that contains the current value. */
  get nameStart(): number {
    return this.#nameStart;
  }

  /** Offset after that name. */
  get nameEnd(): number {
    return this.#nameEnd;
  }

  /** The end of the name of the member that contains the current value. Limited, because names may be as long as bodies. */
  nameIn(text: string): string {
    const maxLength = this.#isNameEscaped ? longestName * longestEscape : longestName;
    const written = text.slice(Math.max(this.#nameStart, this.#nameEnd - maxLength), this.#nameEnd);
    return this.#isNameEscaped ? decoded(written) : written;
  }

  /** False if the name is none of those whose values may be masked. */
  mayNameBeMasked(text: string): boolean {
    return this.#isNameEscaped || mayBeMasked(text, this.#nameEnd);
  }

  /** @param first offset at which the visitor is asked how far to continue. Returns the offset at which the walk ended. */
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
          at = this.#readName(text, at + 1, to, visitor);
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
          at = visitor.skipsElements ? this.#element(text, at, to, visitor, path) : depth === 2 ? behindKnown(text, at, visitor) : at;
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
          at = visitor.skipsElements ? this.#element(text, at, to, visitor, path) : depth === 2 ? behindKnown(text, at, visitor) : at;
        }
      } else if (c > 0x20 && c !== colon) {
        const stop = this.#scalar(text, at, to, visitor);
        const last = stop < 0 ? endOfBareText(text, at, to, depth) : stop;
        if (stop < 0) visitor.string(at, last, this.#nextEscape(text, at) < last, channel, path);
        isName &&= !endsWithColon(text, last);
        at = last - 1;
      }
    }
  }

  #begin(from: number): void {
    this.#channels[0] = rootPath;
    this.#paths[0] = rootPath;
    this.#indices[0] = -1;
    this.#nameStart = from;
    this.#nameEnd = from;
    this.#isNameEscaped = false;
    this.indices = 0;
  }

  /** Returns the offset after a number or a literal; -1 for other text, including text that begins like one. */
  #scalar(text: string, start: number, to: number, visitor: Visitor): number {
    const c = text.charCodeAt(start);
    if (!((c >= 0x30 && c <= 0x39) || c === 0x2d)) {
      const end = endOfLiteral(text, start);
      return end > start && isDelimited(text, end, to) ? end : -1;
    }
    let end = start + 1;
    while (end < to && isNumeric(text.charCodeAt(end))) end += 1;
    if (!isDelimited(text, end, to)) return -1;
    if (this.#isIndex) this.indices = mix(mix(this.indices, this.#name), Number(text.slice(start, end)));
    else if (end - start >= 7 || visitor.reportsAll) visitor.number(start, end);
    return end;
  }

  /** Handles the value after a name. Returns the offset of the last character that needs no further processing. */
  #member(text: string, from: number, to: number, visitor: Visitor, path: number): number {
    const value = afterColon(text, from, to);
    if (value < 0) return from - 1;
    if (!visitor.skips(path, this.#name, text.charCodeAt(value))) return value - 1;
    const end = endOfValue(text, value, to);
    visitor.skipped(value, end, path);
    return end - 1;
  }

  /**
   * Handles the start of a list element. Returns the offset of the last character that needs no further processing.
   *
   * @param sign offset of the bracket or the comma before it
   */
  #element(text: string, sign: number, to: number, visitor: Visitor, path: number): number {
    const value = pastBlanks(text, sign + 1, to);
    const first = text.charCodeAt(value);
    if (value >= to || first === 0x5d || !visitor.skips(path, 0, first)) return sign;
    const end = endOfValue(text, value, to);
    visitor.skipped(value, end, path);
    return end - 1;
  }

  #hash = 0;
  #end = 0;
  #isIndex = false;
  #isNameEscaped = false;

  /** Reads a name, reports it if it may contain sensitive data, and returns the offset of its closing quote. */
  #readName(text: string, start: number, to: number, visitor: Visitor): number {
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
      // Digits, and signs such as @ and %. Usual names consist of letters.
      if (c < 0x41 && c !== 0x2d) {
        if (c >= 0x30 && c <= 0x39) digits += 1;
        else hasSign = true;
      }
    }
    this.#nameStart = start;
    this.#nameEnd = at;
    this.#isNameEscaped = isEscaped;
    if (isEscaped) {
      const name = oneByte(decoded(readable(text.slice(start, at)).text));
      hash = nameHash(name);
      loose = looseHash(name);
    }
    this.#hash = hash;
    this.#name = loose;
    // Index, index, _index.
    this.#isIndex = at - start >= 5 && text.charCodeAt(at - 1) === 0x78 && text.startsWith('ndex', at - 4);
    const mayHold = hasSign || isEscaped || digits >= 7 || (digits > 0 && at - start >= 16);
    if (mayHold || visitor.reportsAll) visitor.name(start, at, isEscaped);
    return at;
  }

  /** True if the string has escapes. `#end` is then the offset of its closing quote. */
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

  /** Offset of the next backslash. Cached, so that the text is not searched again for each string. */
  #nextEscape(text: string, from: number): number {
    if (this.#escape < from || this.#escapeIn !== text) {
      const found = text.indexOf('\\', from);
      this.#escape = found < 0 ? Number.POSITIVE_INFINITY : found;
      this.#escapeIn = text;
    }
    return this.#escape;
  }
}

/** Offset of the quote that closes a string, or `to` if the string is truncated. */
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

/** Offset of the value after a name; -1 if there is none. */
export function afterColon(text: string, from: number, to: number): number {
  const at = pastBlanks(text, from, to);
  if (text.charCodeAt(at) !== 0x3a) return -1;
  const value = pastBlanks(text, at + 1, to);
  return value < to ? value : -1;
}

/** Offset of the first character that is not white space, or `to`. */
export function pastBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** The offset after a value of any kind. */
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

/** The offset of the last character of a known element, else of the sign before it. */
function behindKnown(text: string, sign: number, { elements }: Visitor): number {
  const start = elements === undefined ? text.length : pastBlanks(text, sign + 1, text.length);
  return elements === undefined || start === text.length ? sign : Math.max(sign, elements.next(sign, start) - 1);
}

const isNumeric = (c: number): boolean => (c >= 0x30 && c <= 0x39) || c === 0x2e || c === 0x2b || c === 0x2d || c === 0x65 || c === 0x45;

/** The offset after `true`, `false` or `null`; `start` if there is none of them. */
function endOfLiteral(text: string, start: number): number {
  if (text.startsWith('true', start) || text.startsWith('null', start)) return start + 4;
  return text.startsWith('false', start) ? start + 5 : start;
}

/** A comma, a quote, or a bracket of JSON. */
const isStructure = (c: number): boolean => c === 0x2c || c === quote || c === 0x7b || c === 0x7d || c === 0x5b || c === 0x5d;

/** False for a number or a literal that is the beginning of other text. */
function isDelimited(text: string, end: number, to: number): boolean {
  const at = pastBlanks(text, end, to);
  return at >= to || isStructure(text.charCodeAt(at));
}

/** The end of text that is not JSON. Outside of objects and lists it may contain commas. */
function endOfBareText(text: string, start: number, to: number, depth: number): number {
  let end = start + 1;
  for (; end < to; end += 1) {
    const c = text.charCodeAt(end);
    if (isStructure(c) && (c !== 0x2c || depth > 0)) break;
  }
  return end;
}

/** True for a name without quotes: the string after it is its value. */
function endsWithColon(text: string, end: number): boolean {
  let at = end - 1;
  while (text.charCodeAt(at) <= 0x20) at -= 1;
  return text.charCodeAt(at) === colon;
}
