import type { Cursors } from '../find/cursors.ts';
import type { Hits } from '../find/hits.ts';
import { endOfQuoted, endOfWord, isQuote, type TextRange } from './pairs.ts';
import { isPasswordWord, isSecretText } from './values.ts';

/** Characters of the word after its first four ones, which the cursor finds. */
const restOfWord = 4;
const longestWord = 64;
/** Maximum characters between the word and the value, and of a line of `.netrc` before it. */
const longestLink = 48;
const longestEntry = 200;

const blanks = String.raw`(?:\s|\\+[nrt])`;
/** Between the word and the value: nothing before a quote, a verb, or `to` after a verb of change. */
const link = new RegExp(
  String.raw`^${blanks}{1,4}(?:(?:(is|was|BY|by|[*_\x60]{0,3}\|)(?: (?:now|set to|changed to))?|(to))${blanks}{1,2})?(?=([\\*_]{0,8}["'\x60])?)`,
);
const emphasis = /^[*_]{1,3}(?=\w)/;
const change = /\b(?:set|chang(?:e|ed|ing)|reset|updat(?:e|ed|ing))\b[^.\n]{0,40}$/i;
/** An entry of `.netrc`, up to its password. */
const netrc = new RegExp(
  String.raw`(?:\bmachine${blanks}{1,8}[^\s\\]{1,80}|\bdefault)${blanks}{1,16}login${blanks}{1,8}[^\s\\]{1,80}${blanks}{1,16}(?:account${blanks}{1,8}[^\s\\]{1,80}${blanks}{1,16})?$`,
);

/** Finds passwords after the word: in sentences (`my password is …`), in SQL (`PASSWORD '…'`) and in `.netrc`. */
export function findSpokenPasswords(cursors: Cursors, from: number, to: number, hits: Hits): void {
  const { text } = cursors;
  for (let at = cursors.password(from); at < to; at = cursors.password(at + 1)) {
    const word = at - restOfWord;
    if (word < from || !isPasswordAt(text, at)) continue;
    const after = at + restOfWord;
    const found = link.exec(text.slice(after, Math.min(to, after + longestLink)));
    if (found === null) continue;
    const start = after + found[0].length;
    const before = text.slice(Math.max(from, word - longestEntry), word);
    const value = netrc.test(before) ? valueOfEntry(text, start, to) : spokenValue(text, start, to, found, before);
    if (value !== undefined) hits.add('secret', value.from, value.to);
  }
}

/**
 * A fast check of the word that contains a digit, in a text with the escapes of JSON: true if it may follow the word `password`.
 * Passwords have a digit.
 */
export function mayFollowPassword(text: string, digit: number): boolean {
  const least = Math.max(0, digit - 2 * (longestLink + longestWord));
  let at = digit - 1;
  while (at > least && !endsWord(text.charCodeAt(at))) at -= 1;
  // A member, or the next element of a list.
  if (isJoint(text.charCodeAt(at + 1))) return false;
  while (at > least && isMark(text.charCodeAt(at))) at -= 1;
  while (at > least && (text.charCodeAt(at) <= 0x20 || text.charCodeAt(at - 1) === backslash)) at -= text.charCodeAt(at) <= 0x20 ? 1 : 2;
  if (!endsLink(text.charCodeAt(at))) return false;
  const before = text.slice(least, at + 1);
  return before.includes('word') || before.includes('WORD');
}

const backslash = 0x5c;
const table = (pattern: RegExp): Uint8Array => Uint8Array.from({ length: 256 }, (_, c) => (pattern.test(String.fromCharCode(c)) ? 1 : 0));

const isJoint = (c: number): boolean => c === 0x3a || c === 0x2c;

/** What precedes a value, and the last letters of what links it with the word: `password`, `is`, `was`, `to`, `by`, `now`. */
const wordEnds = table(/[\s"'`\\]/);
const endsWord = (c: number): boolean => wordEnds[c] === 1;
const marks = table(/["'`*_\\]/);
const isMark = (c: number): boolean => marks[c] === 1;
const linkEnds = table(/[dsoyw|]/i);
const endsLink = (c: number): boolean => linkEnds[c] === 1;

const isPasswordAt = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) | 0x20) === 0x73 && /pass$/i.test(text.slice(Math.max(0, at - restOfWord), at));

function valueOfEntry(text: string, from: number, most: number): TextRange | undefined {
  const to = endOfWord(text, from, most);
  const value = text.slice(from, to);
  return /\d/.test(value) && isSecretText(value) ? { from, to } : undefined;
}

function spokenValue(text: string, start: number, end: number, link: RegExpExecArray, before: string): TextRange | undefined {
  const [, verb, preposition, opening] = link;
  if (verb === undefined && preposition === undefined && opening === undefined) return undefined;
  if (preposition !== undefined && !change.test(before)) return undefined;
  const from = start + (opening ?? emphasis.exec(text.slice(start, start + 8))?.[0] ?? '').length;
  const most = Math.min(end, from + longestWord);
  const to = isQuote(text.charCodeAt(from - 1)) ? endOfQuoted(text, from, from, most) : endOfWord(text, from, most);
  // `**hunter2**`
  const value = text.slice(from, to).replace(/[*_]{1,8}$/, '');
  return !/\s/.test(value) && isPasswordWord(value, verb === undefined ? 8 : 6) ? { from, to: from + value.length } : undefined;
}
