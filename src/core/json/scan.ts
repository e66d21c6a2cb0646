import { isJsonObject, type JsonObject } from './merge.ts';
import { GatewayError } from '../error.ts';
import { responseLimits, JsonBudget, type JsonLimits, memberCost, noLimits, requestLimits } from './limits.ts';

/** One top-level member of a JSON object, as offsets into the text. `start` and `end` delimit the value. */
export interface Member {
  readonly key: string;
  /** Offset of the key's opening quote. */
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

/**
 * Finds the top-level members of a JSON object without building it: it skips strings by their closing quote, tracks
 * nesting, and decodes nothing. The text is one-byte (latin1), so that offsets are byte offsets and the bytes stay
 * unchanged. Checks the structure (balance, commas, colons, top-level scalars), but not each nested scalar. Stops where
 * the text exceeds `limits`, so that excessive text is neither scanned nor parsed.
 *
 * @throws GatewayError `invalid_json`, `json_too_complex` with the byte position
 */
export function scanObject(text: string, limits: JsonLimits = requestLimits): Member[] {
  const at = skipSpace(text, 0);
  if (at >= text.length) throw syntaxError('the body is empty', at);
  if (text.charCodeAt(at) !== openBrace) throw syntaxError('expected an object', at);
  const members: Member[] = [];
  const end = skipSpace(text, membersFrom(text, at, members, new JsonBudget(limits, 1)));
  if (end !== text.length) throw syntaxError('unexpected text after the object', end);
  return members;
}

/** Members of the object that begins at `start`. Ignores the text after it. @throws GatewayError as `scanObject` */
export function membersAt(text: string, start: number): readonly Member[] {
  const members: Member[] = [];
  membersFrom(text, start, members, new JsonBudget(noLimits, 1));
  return members;
}

/** The offset of the value of a member of the object that begins at `start`; -1 if there is none. What follows is not scanned. */
export function valueInObject(text: string, start: number, key: string): number {
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) === quote) {
    const keyEnd = endOfString(text, at);
    const isWanted = keyEnd - at === key.length + 2 && text.startsWith(key, at + 1);
    const value = valueAfterKey(text, keyEnd);
    if (isWanted || value < 0) return value;
    at = skipSpace(text, endOfValue(text, value, new JsonBudget(noLimits)));
    if (text.charCodeAt(at) !== comma) return -1;
    at = skipSpace(text, at + 1);
  }
  return -1;
}

/** The first members of an object of which only the beginning is known: those that it contains to their end. */
export function completeMembers(beginning: string): readonly Member[] {
  const members: Member[] = [];
  const at = skipSpace(beginning, 0);
  try {
    if (beginning.charCodeAt(at) === openBrace) membersFrom(beginning, at, members, new JsonBudget(responseLimits, 1));
  } catch {
    // The text ends within a member.
  }
  // A number at the end may go on.
  return members.filter(({ end }) => end < beginning.length);
}

/** Returns the offset after the closing brace. */
function membersFrom(text: string, open: number, members: Member[], budget: JsonBudget): number {
  let at = skipSpace(text, open + 1);
  if (text.charCodeAt(at) === closeBrace) return at + 1;
  for (;;) {
    if (at >= text.length) throw syntaxError('unexpected end', at);
    if (text.charCodeAt(at) !== quote) throw syntaxError('expected a quoted key', at);
    const keyStart = at;
    const plainEnd = endOfPlainKey(text, at);
    const keyEnd = plainEnd < 0 ? endOfString(text, at) : plainEnd;
    at = skipSpace(text, keyEnd);
    if (text.charCodeAt(at) !== colon) throw syntaxError(at >= text.length ? 'unexpected end' : 'expected ":"', at);
    const start = skipSpace(text, at + 1);
    budget.left -= memberCost + 1;
    if (budget.left < 0) throw budget.tooMany(keyStart);
    const end = endOfValue(text, start, budget);
    const key = plainEnd < 0 ? decodeKey(text, keyStart, keyEnd) : text.slice(keyStart + 1, keyEnd - 1);
    members.push({ key, keyStart, start, end });
    at = skipSpace(text, end);
    const next = text.charCodeAt(at);
    if (next === closeBrace) return at + 1;
    if (next !== comma) throw syntaxError(at >= text.length ? 'unexpected end' : 'expected "," or "}"', at);
    at = skipSpace(text, at + 1);
  }
}

/** The offset of the value of the key whose closing quote is before `at`; -1 if no colon follows, so that it is not a key. */
export function valueAfterKey(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text.charCodeAt(next) === colon ? skipSpace(text, next + 1) : -1;
}

/**
 * The start of the object that contains the offset, which must be between two of its members; -1 if there is none. Scans
 * backward over whole strings, whose delimiters are quotes after an even number of backslashes.
 */
export function objectAround(text: string, from: number): number {
  let depth = 0;
  for (let at = from - 1; at >= 0; at -= 1) {
    const c = text.charCodeAt(at);
    if (c === quote) at = startOfString(text, at, 0);
    else if (c === closeBrace || c === closeBracket) depth += 1;
    else if (c === openBrace || c === openBracket) {
      if (depth === 0) return c === openBrace ? at : -1;
      depth -= 1;
    }
  }
  return -1;
}

/** Offset of the quote that opens the string whose closing quote is at `close`; -1 if it is before `least`. */
function startOfString(text: string, close: number, least: number): number {
  for (let at = close - 1; at >= least; ) {
    const open = text.lastIndexOf('"', at);
    if (open < least) return -1;
    let before = open - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((open - before) % 2 === 1) return open;
    at = open - 1;
  }
  return -1;
}

/** The texts of the elements of a JSON array, found like the members of an object. @throws GatewayError `invalid_json` */
export function* scanArray(text: string): Iterable<string> {
  const budget = new JsonBudget(noLimits, 1);
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== openBracket) throw syntaxError('expected an array', at);
  at = skipSpace(text, at + 1);
  if (text.charCodeAt(at) === closeBracket) return;
  for (;;) {
    const end = endOfValue(text, at, budget);
    yield text.slice(at, end);
    at = skipSpace(text, end);
    if (text.charCodeAt(at) !== comma) return;
    at = skipSpace(text, at + 1);
  }
}

/** Why a text is not one balanced JSON value within the limits, or undefined. To be called before parsing or forwarding the text. */
export function flawOf(text: string, limits: JsonLimits): GatewayError | undefined {
  try {
    const end = skipSpace(text, endOfValue(text, skipSpace(text, 0), new JsonBudget(limits)));
    return end === text.length ? undefined : syntaxError('unexpected text after the value', end);
  } catch (error) {
    return error as GatewayError;
  }
}

/** Texts up to this many characters cannot contain enough to be dangerous. */
const maxUncheckedLength = 1024;

/**
 * `JSON.parse` for untrusted text. Checks the limits first.
 *
 * @throws SyntaxError for text that is not JSON; GatewayError `json_too_complex` (or `invalid_json`)
 */
export function parseJson(text: string, limits?: JsonLimits): unknown {
  checkJson(text, limits);
  return JSON.parse(text);
}

/** Like `parseJson`, but returns undefined if the text cannot be parsed. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** `JSON.parse` for a text in which `flawOf` found no error. @throws SyntaxError for text that is balanced but not JSON */
export const parseChecked = (text: string): unknown => JSON.parse(text);

/** True for text with numbers of 16 or more digits, which may lose precision as JavaScript numbers. */
export const hasLongNumbers = (text: string): boolean => /\d{16}/.test(text);

/**
 * `parseJson` whose numbers keep their digits when they are serialized again. Only text with long numbers has the extra
 * cost.
 *
 * @throws as `parseJson`
 */
export function parseExact(text: string): unknown {
  checkJson(text);
  return parseCheckedExact(text);
}

/** Like `parseExact`, but returns undefined if the text cannot be parsed. */
export function tryParseExact(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** Like `parseExact`, for a text in which `flawOf` found no error. */
export function parseCheckedExact(text: string): unknown {
  return hasLongNumbers(text) ? JSON.parse(text, keepDigits as (this: unknown, key: string, value: unknown) => unknown) : JSON.parse(text);
}

/** TC39 "JSON.parse source text access": the reviver also receives the source text of the value. */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(source);
}

/** Parses a text as an object; undefined for anything else. */
export function tryParseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The check before parsing, for callers with a parser of their own. @throws GatewayError as `parseJson` */
function checkJson(text: string, limits: JsonLimits = responseLimits): void {
  const flaw = text.length <= maxUncheckedLength ? undefined : flawOf(text, limits);
  if (flaw !== undefined) throw flaw;
}

function decodeKey(text: string, start: number, end: number): string {
  try {
    return JSON.parse(text.slice(start, end)) as string;
  } catch {
    throw syntaxError('bad escape in a key', start);
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const c = text.charCodeAt(at);
    if (c > 0x20 || (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09)) break;
  }
  return at;
}

/** Like `endOfString`, for a key; -1 if it contains an escape. Keys are short, so each character is checked. */
function endOfPlainKey(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const c = text.charCodeAt(at);
    if (c === quote) return at + 1;
    // Also at the end of the text.
    if (c === backslash || Number.isNaN(c)) return -1;
  }
}

/** Characters that are checked one by one after an escaped quote, where the next one is probably near. */
const stepLength = 64;

/** From the opening quote to the offset after the closing one. Jumps from quote to quote, and steps where escapes are close together. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end < 0) throw syntaxError('unexpected end inside a string', text.length);
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
    at = end + 1;
    for (let far = at + stepLength; at < far; at += 1) {
      const c = text.charCodeAt(at);
      if (c === quote) return at + 1;
      if (c === backslash) {
        at += 1;
        far = at + stepLength;
      }
    }
  }
}

function endOfValue(text: string, start: number, budget: JsonBudget): number {
  const c = text.charCodeAt(start);
  if (c === quote) return endOfString(text, start);
  if (c === openBrace || c === openBracket) return endOfNested(text, start, budget);
  if (start >= text.length) throw syntaxError('unexpected end', start);
  return endOfScalar(text, start);
}

/** Maximum characters of a number. No meaningful number is longer. */
const longestScalar = 1024;

function endOfScalar(text: string, start: number): number {
  let end = start;
  while (end < text.length && end - start <= longestScalar && isScalar(text.charCodeAt(end))) end += 1;
  if (!isLiteral(text, start, end) && !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text.slice(start, end)))
    throw syntaxError('unexpected token', start);
  if (end - start > longestScalar) throw syntaxError(`a number of more than ${longestScalar} characters`, start);
  return end;
}

function isLiteral(text: string, start: number, end: number): boolean {
  const length = end - start;
  return length === 4 ? text.startsWith('true', start) || text.startsWith('null', start) : length === 5 && text.startsWith('false', start);
}

/** Anything but white space, commas and closing brackets. */
const isScalar = (c: number): boolean => c > 0x20 && c !== comma && c !== closeBrace && c !== closeBracket;

/** Objects and arrays, including their contents. */
function endOfNested(text: string, start: number, budget: JsonBudget): number {
  const open: number[] = [];
  const { levels } = budget;
  let { left } = budget;
  for (let at = start; at < text.length; at += 1) {
    const c = text.charCodeAt(at);
    if (c < colon) {
      if (c === quote) at = endOfString(text, at) - 1;
      else if (c === comma) left -= 1;
      else continue;
    } else if (c === colon) left -= memberCost;
    else if (c === openBrace || c === openBracket) {
      if (open.length >= levels) throw budget.tooDeep(at);
      open.push(c === openBrace ? closeBrace : closeBracket);
      left -= memberCost;
    } else if (c === closeBrace || c === closeBracket) {
      if (open.pop() !== c) throw syntaxError(`unexpected "${String.fromCharCode(c)}"`, at);
      if (open.length === 0) {
        budget.left = left;
        return at + 1;
      }
    } else continue;
    if (left < 0) throw budget.tooMany(at);
  }
  throw syntaxError('unexpected end', text.length);
}

function syntaxError(what: string, position: number): GatewayError {
  return new GatewayError('invalid_json', {
    message: `The body is not JSON: ${what} at position ${position}.`,
    hint: 'Send a JSON object with content-type application/json.',
  });
}
