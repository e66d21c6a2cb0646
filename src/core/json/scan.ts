import { isJsonObject, type JsonObject } from './merge.ts';
import { GatewayError } from '../error.ts';
import type { TokenTape } from './search/token-tape.ts';
import { responseLimits, JsonBudget, type JsonLimits, memberCost, noLimits, requestLimits } from './limits.ts';

/** One top-level member of a JSON object, as offsets into the text. `start` and `end` delimit the value. */
export interface Member {
  readonly key: string;
  /** Offset of the key's opening quote. */
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
}

/** A top-level member whose list is recorded while it is scanned. */
export interface Recorded {
  readonly key: string;
  readonly tape: TokenTape;
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
 * @param recorded the structure of this member's list is written to its tape
 * @throws GatewayError `invalid_json`, `json_too_complex` with the byte position
 */
export function scanObject(text: string, limits: JsonLimits = requestLimits, recorded?: Recorded): Member[] {
  const at = skipSpace(text, 0);
  if (at >= text.length) throw syntaxError('the body is empty', at);
  if (text.charCodeAt(at) !== openBrace) throw syntaxError('expected an object', at);
  const members: Member[] = [];
  const end = skipSpace(text, membersFrom(text, at, members, new JsonBudget(limits, 1), recorded));
  if (end !== text.length) throw syntaxError('unexpected text after the object', end);
  return members;
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
function membersFrom(text: string, open: number, members: Member[], budget: JsonBudget, recorded?: Recorded): number {
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
    const key = plainEnd < 0 ? decodeKey(text, keyStart, keyEnd) : text.slice(keyStart + 1, keyEnd - 1);
    const isRecorded = recorded?.key === key && text.charCodeAt(start) === openBracket;
    const end = isRecorded ? endOfRecorded(text, start, budget, recorded.tape) : endOfValue(text, start, budget);
    members.push({ key, keyStart, start, end });
    at = skipSpace(text, end);
    const next = text.charCodeAt(at);
    if (next === closeBrace) return at + 1;
    if (next !== comma) throw syntaxError(at >= text.length ? 'unexpected end' : 'expected "," or "}"', at);
    at = skipSpace(text, at + 1);
  }
}

/** Records the structure of the list that begins at `start` of a text that was scanned before. @throws GatewayError `invalid_json` */
export function recordList(text: string, start: number, tape: TokenTape): void {
  endOfRecorded(text, start, new JsonBudget(noLimits), tape);
}

function endOfRecorded(text: string, start: number, budget: JsonBudget, tape: TokenTape): number {
  tape.begin();
  return endOfNested(text, start, budget, tape);
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

/** The offset of the next character that is not a blank. */
export function skipSpace(text: string, from: number): number {
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

/** The offset after the string that begins at `start`. Jumps from quote to quote, and steps where escapes are close together. */
export function endOfString(text: string, start: number): number {
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
function endOfNested(text: string, start: number, budget: JsonBudget, tape?: TokenTape): number {
  const open: number[] = [];
  const { levels } = budget;
  let { left } = budget;
  for (let at = start; at < text.length; at += 1) {
    const c = text.charCodeAt(at);
    if (c < colon) {
      if (c === quote) {
        const end = endOfString(text, at);
        tape?.addString(at, end);
        at = end - 1;
        continue;
      }
      if (c !== comma) continue;
      left -= 1;
    } else if (c === colon) left -= memberCost;
    else if (c === openBrace || c === openBracket) {
      if (open.length >= levels) throw budget.tooDeep(at);
      open.push(c === openBrace ? closeBrace : closeBracket);
      left -= memberCost;
    } else if (c === closeBrace || c === closeBracket) {
      if (open.pop() !== c) throw syntaxError(`unexpected "${String.fromCharCode(c)}"`, at);
      if (open.length === 0) {
        budget.left = left;
        tape?.add(at);
        return at + 1;
      }
    } else continue;
    tape?.add(at);
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
