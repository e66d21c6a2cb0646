import { GatewayError } from './error.ts';

/** One top-level member of a JSON object: offsets into the text, `start` and `end` enclose the value. */
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
 * Finds the top-level members of a JSON object without building it: strings are skipped by their closing quote,
 * nesting is tracked, nothing is decoded. The text is one-byte (latin1) so that offsets are byte offsets and the
 * bytes come out as they went in. Checks the structure (balance, commas, colons, top-level scalars), not each nested scalar.
 *
 * @throws GatewayError `invalid_json` with the byte position
 */
export function scanObject(text: string): Member[] {
  let at = skipSpace(text, 0);
  if (at >= text.length) throw bad('the body is empty', at);
  if (text.charCodeAt(at) !== openBrace) throw bad('expected an object', at);
  const members: Member[] = [];
  at = skipSpace(text, at + 1);
  if (text.charCodeAt(at) === closeBrace) return finish(text, at + 1, members);
  for (;;) {
    if (at >= text.length) throw bad('unexpected end', at);
    if (text.charCodeAt(at) !== quote) throw bad('expected a quoted key', at);
    const keyStart = at;
    const keyEnd = endOfString(text, at);
    const raw = text.slice(keyStart + 1, keyEnd - 1);
    at = skipSpace(text, keyEnd);
    if (text.charCodeAt(at) !== colon) throw bad(at >= text.length ? 'unexpected end' : 'expected ":"', at);
    const start = skipSpace(text, at + 1);
    const end = endOfValue(text, start);
    members.push({ key: raw.includes('\\') ? decodeKey(text, keyStart, keyEnd) : raw, keyStart, start, end });
    at = skipSpace(text, end);
    const next = text.charCodeAt(at);
    if (next === closeBrace) return finish(text, at + 1, members);
    if (next !== comma) throw bad(at >= text.length ? 'unexpected end' : 'expected "," or "}"', at);
    at = skipSpace(text, at + 1);
  }
}

/** True when the text is one balanced JSON value: the check for a whole answer that is passed on as it is. */
export function isOneValue(text: string): boolean {
  try {
    return skipSpace(text, endOfValue(text, skipSpace(text, 0))) === text.length;
  } catch {
    return false;
  }
}

function finish(text: string, at: number, members: Member[]): Member[] {
  const end = skipSpace(text, at);
  if (end !== text.length) throw bad('unexpected text after the object', end);
  return members;
}

function decodeKey(text: string, start: number, end: number): string {
  try {
    return JSON.parse(text.slice(start, end)) as string;
  } catch {
    throw bad('bad escape in a key', start);
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const c = text.charCodeAt(at);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) break;
  }
  return at;
}

/** From the opening quote to behind the closing one: jumps from quote to quote and counts the backslashes before. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end < 0) throw bad('unexpected end inside a string', text.length);
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
    at = end + 1;
  }
}

function endOfValue(text: string, start: number): number {
  const c = text.charCodeAt(start);
  if (c === quote) return endOfString(text, start);
  if (c === openBrace || c === openBracket) return endOfNested(text, start);
  if (start >= text.length) throw bad('unexpected end', start);
  const scalar = scalarPattern;
  scalar.lastIndex = start;
  if (!scalar.test(text)) throw bad('unexpected token', start);
  return scalar.lastIndex;
}

/** Sticky: matches a number or literal exactly at `lastIndex`; set before each use, so it holds no state between calls. */
const scalarPattern = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,}\]]|$)/y;

/** Objects and arrays: one stack of closing marks, kept as a string only beyond 32 levels would matter. */
function endOfNested(text: string, start: number): number {
  const open: number[] = [];
  for (let at = start; at < text.length; at += 1) {
    const c = text.charCodeAt(at);
    if (c === quote) at = endOfString(text, at) - 1;
    else if (c === openBrace) open.push(closeBrace);
    else if (c === openBracket) open.push(closeBracket);
    else if (c === closeBrace || c === closeBracket) {
      if (open.pop() !== c) throw bad(`unexpected "${String.fromCharCode(c)}"`, at);
      if (open.length === 0) return at + 1;
    }
  }
  throw bad('unexpected end', text.length);
}

function bad(what: string, position: number): GatewayError {
  return new GatewayError('invalid_json', {
    message: `The body is not JSON: ${what} at position ${position}.`,
    hint: 'Send a JSON object with content-type application/json.',
  });
}
