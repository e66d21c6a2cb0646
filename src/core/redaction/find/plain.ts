import { anyBelowInTwo, anyDigitInTwo, fourTimes } from '../../text/four-bytes.ts';
import { isSecretNameBefore } from '../names/named-secrets.ts';
import { isCard } from './cards.ts';
import { behindEscape, isAlnum, isDigit, isDomainCharacter, isGap, isKeyCharacter, isLetter } from './classes.ts';
import { beginsLikeKey, endOfBotToken, isInsideKey, isIssued, minKeyLength } from './issued.ts';
import { mayBeAnnounced } from './keys.ts';
import { announcesPhone } from './phones.ts';
import { mayBeMasked } from '../names/member-names.ts';
import { isValueOfSecret } from '../names/pairs.ts';
import { mayPassSecret } from '../names/calls.ts';
import { mayBeEscapedTag } from '../names/escaped-tags.ts';
import { mayBeSecretOption } from '../names/options.ts';
import { mayFollowPassword } from '../names/sentences.ts';
import { mayBeTaggedSecret } from '../names/tags.ts';
import { pastBlanks } from '../json-traversal.ts';

/**
 * A fast check of the text of a body: true if no pattern could match in it, so that most bodies need no further check. In
 * doubt the result is false. It searches for what every match must contain, several characters at a time where possible,
 * and does not fully parse strings.
 *
 * @param text one character per byte
 * @param bytes the same text as bytes
 * @param isMasked true for members whose values are masked, by name and first character of the value
 */
export function cannotMatch(text: string, bytes: Buffer, isMasked: (name: string, first: number) => boolean): boolean {
  return (
    hasPlainEscapes(text) &&
    hasPlainMarks(text) &&
    hasPlainSigns(text) &&
    hasPlainAddresses(text) &&
    hasPlainWords(text, bytes) &&
    hasPlainMembers(text, isMasked) &&
    hasPlainLists(text) &&
    hasPlainTags(text) &&
    hasPlainSettings(text) &&
    hasPlainCalls(text) &&
    hasPlainOptions(text)
  );
}

const quote = 0x22;
const backslash = 0x5c;
const dash = 0x2d;
const colon = 0x3a;
const bracket = 0x5b;

/** Minimum length of a text that may be a file split into lines. */
const shortestLines = 1024;

/** False for escapes that encode letters, and for long texts without blanks, which may be files split into lines. */
function hasPlainEscapes(text: string): boolean {
  if (text.indexOf('\\') < 0) return true;
  if (text.indexOf('\\u') >= 0 || text.indexOf('\\/') >= 0) return false;
  for (let at = 0; at + shortestLines <= text.length; ) {
    const blank = text.lastIndexOf(' ', at + shortestLines - 1);
    if (blank < at) return false;
    at = blank + 1;
  }
  return true;
}

/** True if there is no key of PEM and no file as a data URL. Searches for short texts: for longer ones the engine is slower here. */
function hasPlainMarks(text: string): boolean {
  for (let at = text.indexOf('BEGIN '); at >= 0; at = text.indexOf('BEGIN ', at + 6)) if (text.charCodeAt(at - 1) === dash) return false;
  for (let at = text.indexOf(';base'); at >= 0; at = text.indexOf(';base', at + 5)) if (text.charCodeAt(at + 5) === 0x36) return false;
  // Full-width digits.
  for (let at = text.indexOf('\u00ef\u00bc'); at >= 0; at = text.indexOf('\u00ef\u00bc', at + 2))
    if (text.charCodeAt(at + 2) >= 0x90 && text.charCodeAt(at + 2) <= 0x99) return false;
  return true;
}

/** True if no @ is followed by a domain, and there is no URL escape of @ or +. */
function hasPlainSigns(text: string): boolean {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let c = text.charCodeAt(at + 1);
    if (c === 0x5b) return false;
    for (let end = at + 1; isDomainCharacter(c) || c >= 0x80; c = text.charCodeAt((end += 1))) if (c === 0x2e) return false;
  }
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
    const [first, second] = [text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
    if ((first === 0x34 && second === 0x30) || (first === 0x32 && (second | 0x20) === 0x62)) return false;
  }
  return true;
}

/** True if there is no URL with user information or parameters. */
function hasPlainAddresses(text: string): boolean {
  // Colons are frequent in JSON, so the slashes of `://` are searched for.
  for (let at = text.indexOf('//'); at >= 0; ) {
    let end = at + 2;
    if (text.charCodeAt(at - 1) === colon)
      for (let c = text.charCodeAt(end); c > 0x20 && c !== quote; c = text.charCodeAt((end += 1)))
        if (c === 0x40 || c === 0x3d) return false;
    at = text.indexOf('//', end);
  }
  return true;
}

/** Longer runs of key characters are files, signatures and the like. */
const longestRun = 58;

/** Minimum digits of a number that can match. */
const minDigits = 7;

/** Bytes that are checked together. The shortest run of a key contains a whole block, wherever it begins. */
const block = minKeyLength / 2;

/** The smallest key character. Nearly all characters between words are below it. */
const minKeyCharacters = fourTimes(0x2b);

/** True if there is no run of key characters and no number that could match. */
function hasPlainWords(text: string, bytes: Buffer): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let run = 0;
  let number = 0;
  let at = 0;
  const last = bytes.length - block;
  for (; at <= last; at += block) {
    const one = view.getInt32(at, true);
    const other = view.getInt32(at + 4, true);
    if (anyBelowInTwo(one, other, minKeyCharacters) === 0 && at >= run) {
      run = behindRun(text, bytes, at, run);
      if (run < 0) return false;
    }
    if (anyDigitInTwo(one, other) === 0) continue;
    number = behindNumbers(text, bytes, Math.max(at, number), at + block, number);
    if (number < 0) return false;
  }
  return behindNumbers(text, bytes, Math.max(at, number), bytes.length, number) >= 0;
}

/** The end of the run of key characters at `at`; -1 if it could match. @param seen end of the previous run */
function behindRun(text: string, bytes: Buffer, at: number, seen: number): number {
  let start = at;
  while (start > seen && isKeyCharacter(bytes[start - 1] as number)) start -= 1;
  let end = at;
  while (end < bytes.length && isKeyCharacter(bytes[end] as number)) end += 1;
  start = behindEscape(text, start);
  if (end - start < minKeyLength) return end;
  // The first letter may be that of an escape.
  const isLetter = start > 0 && bytes[start - 1] === backslash;
  return isPlainRun(text, start, end) && !(isLetter && !isPlainRun(text, start + 1, end)) ? end : -1;
}

/** The end of the last number that begins before `to`; -1 if one could match. @param seen end of the previous number */
function behindNumbers(text: string, bytes: Buffer, from: number, to: number, seen: number): number {
  let behind = seen;
  for (let at = from; at < to; at += 1) {
    if (!isDigit(bytes[at] as number)) continue;
    let start = at;
    while (start > behind && isPart(bytes[start - 1] as number)) start -= 1;
    let digits = 0;
    let end = at;
    for (; end < bytes.length && isPart(bytes[end] as number); end += 1) if (isDigit(bytes[end] as number)) digits += 1;
    if (digits >= minDigits && !isPlainNumber(text, start, end)) return -1;
    // The word `password` has no digits: directly after another number, it cannot be before this one only.
    const isFirst = behind === 0 || start - behind > shortestPassword;
    const isMember = bytes[at - 1] === colon && bytes[at - 2] === quote;
    if (isFirst && !isMember && mayFollowPassword(text, at)) return -1;
    behind = end;
    at = end;
  }
  return behind;
}

const parts = Uint8Array.from({ length: 256 }, (_, c) => (isDigit(c) || isGap(c) ? 1 : 0));
const isPart = (byte: number): boolean => parts[byte] === 1;

/** Characters of the word. */
const shortestPassword = 8;

function isPlainRun(text: string, start: number, end: number): boolean {
  if (end - start >= longestRun) return false;
  let hasDigit = false;
  let hasLetter = false;
  let mayBeIssued = false;
  let isInWord = false;
  for (let at = start; at < end; at += 1) {
    const c = text.charCodeAt(at);
    if (c === 0x3d) return false;
    if (isDigit(c)) hasDigit = true;
    else if (isLetter(c)) hasLetter = true;
    const isPart = isAlnum(c);
    if (!isPart) mayBeIssued ||= isInsideKey(text, at, c);
    else if (!isInWord) mayBeIssued ||= beginsLikeKey(c, text.charCodeAt(at + 1), text.charCodeAt(at + 2));
    isInWord = isPart;
  }
  // Text before a whole string cannot indicate a secret.
  const isWhole = text.charCodeAt(start - 1) === quote && text.charCodeAt(start - 2) !== backslash;
  if (endOfBotToken(text, start, end) > 0) return false;
  return (isWhole || !hasDigit || !hasLetter || !mayBeAnnounced(text, start)) && !(mayBeIssued && isIssued(text.slice(start, end)));
}

/** Characters before digits that may belong to an account number. */
const inAccount = /[A-Za-z]{2}\d\d|[A-Za-z]{2}$|\+$/;

/** True for a date or a JSON number, if the text before it does not indicate a phone number. */
function isPlainNumber(text: string, from: number, to: number): boolean {
  const run = /^[ -]?(?:(\d{4}-\d\d-\d\d)|([1-9]\d+))[ .]?$/.exec(text.slice(from, Math.min(to, from + 24)));
  if (run === null) return false;
  const [, date, digits] = run;
  const before = text.slice(Math.max(0, from - 28), from);
  if (date !== undefined)
    return !(run[0].startsWith(date) ? inAccount : /[A-Za-z]{2}\d\d|\+$/).test(before.slice(-16)) && !announcesPhone(before);
  return digits !== undefined && /[^\\]":$/.test(before) && /[\s,}]/.test(text[to] ?? '') && !isCard(digits) && !announcesPhone(before);
}

/** True if there is no setting such as `password=`. */
function hasPlainSettings(text: string): boolean {
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', at + 1)) if (isSecretNameBefore(text, at)) return false;
  return true;
}

/** True if no XML element may have a secret as its text. */
function hasPlainTags(text: string): boolean {
  for (let at = text.indexOf('</'); at >= 0; at = text.indexOf('</', at + 2)) if (mayBeTaggedSecret(text, at)) return false;
  for (let at = text.indexOf('&lt;/'); at >= 0; at = text.indexOf('&lt;/', at + 5)) if (mayBeEscapedTag(text, at)) return false;
  return true;
}

/** True if no secret may be passed to a function: `setPassword("…")`. */
function hasPlainCalls(text: string): boolean {
  for (let at = text.indexOf('('); at >= 0; at = text.indexOf('(', at + 1)) if (mayPassSecret(text, at)) return false;
  return true;
}

/** True if no option of a command may have a secret as its value. */
function hasPlainOptions(text: string): boolean {
  for (let at = text.indexOf('-'); at >= 0; at = text.indexOf('-', at + 1)) if (mayBeSecretOption(text, at)) return false;
  return true;
}

/** True if there is no list whose first element is a list of strings: its pairs may be names and values. */
function hasPlainLists(text: string): boolean {
  // A program that writes no white space after the first bracket writes none after the others.
  if (text.charCodeAt(1) > 0x20) return !text.includes('[["');
  for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at + 1)) {
    const inner = pastBlanks(text, at + 1, text.length);
    if (text.charCodeAt(inner) === bracket && text.charCodeAt(pastBlanks(text, inner + 1, text.length)) === quote) return false;
  }
  return true;
}

/** True if no member's name causes its value to be masked. A name is the quoted text before a colon. */
function hasPlainMembers(text: string, isMasked: (name: string, first: number) => boolean): boolean {
  const range = { from: 0, to: text.length };
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = text.charCodeAt(at - 1);
    if (before <= 0x20) {
      for (let blank = at - 2; before <= 0x20; blank -= 1) before = text.charCodeAt(blank);
      if (before === quote) return false;
    }
    if (before !== quote || text.charCodeAt(at - 2) === backslash) {
      if (isSecretNameBefore(text, at)) return false;
      continue;
    }
    if (!mayBeMasked(text, at - 1)) continue;
    let value = at + 1;
    while (text.charCodeAt(value) <= 0x20) value += 1;
    const start = text.lastIndexOf('"', at - 2) + 1;
    const first = text.charCodeAt(value);
    if (isMasked(text.slice(start, at - 1), first) || (first === quote && isValueOfSecret(text, start, at - 1, range))) return false;
  }
  return true;
}
