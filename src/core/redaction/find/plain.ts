import { isCard } from './cards.ts';
import { isAlnum, isDigit, isDomainCharacter, isGap, isKeyCharacter, isLetter } from './classes.ts';
import { beginsLikeKey, isIssued, shortestKey } from './keys.ts';
import { saysPhone } from './phones.ts';

/**
 * A first look at the text of a body, which most need no second: true where nothing in it could be masked by any pattern.
 * What it is not sure of is not plain. It looks for what each find must have, where it can in every seventh or sixteenth
 * character, and knows strings only as far as they matter. One byte a character.
 *
 * @param isMasked true for names of members whose values are masked, by their first character
 */
export function isPlain(text: string, isMasked: (name: string, first: number) => boolean): boolean {
  return (
    hasPlainEscapes(text) &&
    text.indexOf('-----BEGIN ') < 0 &&
    text.indexOf(';base64,') < 0 &&
    hasPlainSigns(text) &&
    hasPlainAddresses(text) &&
    hasPlainRuns(text) &&
    hasPlainNumbers(text) &&
    hasPlainMembers(text, isMasked)
  );
}

const quote = 0x22;
const backslash = 0x5c;

/** Shortest text that may be a file, in lines. */
const shortestLines = 1024;

/** Escapes that stand for letters are read elsewhere; so are texts without blanks that may be files in lines. */
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

/** No @ with a domain behind it. */
function hasPlainSigns(text: string): boolean {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let c = text.charCodeAt(at + 1);
    if (c === 0x5b) return false;
    for (let end = at + 1; isDomainCharacter(c) || c >= 0x80; c = text.charCodeAt((end += 1))) if (c === 0x2e) return false;
  }
  return true;
}

/** No address with a user or a parameter. */
function hasPlainAddresses(text: string): boolean {
  for (let at = text.indexOf('://'); at >= 0; ) {
    let end = at + 3;
    for (let c = text.charCodeAt(end); c > 0x20 && c !== quote; c = text.charCodeAt((end += 1))) if (c === 0x40 || c === 0x3d) return false;
    at = text.indexOf('://', end);
  }
  return true;
}

/** Runs of key characters that are longer are files, signatures and the like. */
const longestRun = 64;

function hasPlainRuns(text: string): boolean {
  let seen = 0;
  for (let probe = shortestKey - 1; probe < text.length; probe += shortestKey) {
    if (!isKeyCharacter(text.charCodeAt(probe))) continue;
    let start = probe;
    while (start > seen && isKeyCharacter(text.charCodeAt(start - 1))) start -= 1;
    let end = probe + 1;
    while (isKeyCharacter(text.charCodeAt(end))) end += 1;
    seen = end;
    probe = Math.max(probe, end - 1);
    // The letter of an escape.
    if (text.charCodeAt(start - 1) === backslash) start += 1;
    if (end - start >= shortestKey && !isPlainRun(text, start, end)) return false;
  }
  return true;
}

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
    if (isPart && !isInWord) mayBeIssued ||= beginsLikeKey(c, text.charCodeAt(at + 1));
    isInWord = isPart;
  }
  // What is a string as a whole is not announced by a text before it.
  const isWhole = text.charCodeAt(start - 1) === quote && text.charCodeAt(start - 2) !== backslash;
  return (isWhole || !hasDigit || !hasLetter) && !(mayBeIssued && isIssued(text.slice(start, end)));
}

/** Digits that the shortest number has. */
const fewest = 7;

function hasPlainNumbers(text: string): boolean {
  let seen = 0;
  for (let probe = fewest - 1; probe < text.length; probe += fewest) {
    const c = text.charCodeAt(probe);
    if (!isDigit(c) && !isGap(c)) continue;
    let start = probe;
    let digits = 0;
    for (; start >= seen && isPart(text.charCodeAt(start)); start -= 1) if (isDigit(text.charCodeAt(start))) digits += 1;
    let end = probe + 1;
    for (; isPart(text.charCodeAt(end)); end += 1) if (isDigit(text.charCodeAt(end))) digits += 1;
    seen = end;
    probe = Math.max(probe, end - 1);
    if (digits >= fewest && !isPlainNumber(text, start + 1, end)) return false;
  }
  return true;
}

const isPart = (c: number): boolean => isDigit(c) || isGap(c);

/** What stands before digits that may be those of an account. */
const inAccount = /[A-Za-z]{2}\d\d|[A-Za-z]{2}$|\+$/;

/** A date, or a number of JSON, that nothing before it says to be a telephone number. */
function isPlainNumber(text: string, from: number, to: number): boolean {
  const run = /^[ -]?(?:(\d{4}-\d\d-\d\d)|([1-9]\d+))[ .]?$/.exec(text.slice(from, Math.min(to, from + 24)));
  if (run === null) return false;
  const [, date, digits] = run;
  const before = text.slice(Math.max(0, from - 28), from);
  if (date !== undefined)
    return !(run[0].startsWith(date) ? inAccount : /[A-Za-z]{2}\d\d|\+$/).test(before.slice(-16)) && !saysPhone(before);
  return digits !== undefined && /[^\\]":$/.test(before) && /[\s,}]/.test(text[to] ?? '') && !isCard(digits) && !saysPhone(before);
}

/** No member with a name that says that its value is masked. A name is what stands in quotes in front of a colon. */
function hasPlainMembers(text: string, isMasked: (name: string, first: number) => boolean): boolean {
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = text.charCodeAt(at - 1);
    if (before <= 0x20) {
      for (let blank = at - 2; before <= 0x20; blank -= 1) before = text.charCodeAt(blank);
      if (before === quote) return false;
      continue;
    }
    if (before !== quote || !endsLikeOne(text.charCodeAt(at - 3), text.charCodeAt(at - 2))) continue;
    let value = at + 1;
    while (text.charCodeAt(value) <= 0x20) value += 1;
    const first = text.charCodeAt(value);
    if (first !== quote && first !== 0x5b && first !== 0x7b) continue;
    if (isMasked(text.slice(text.lastIndexOf('"', at - 2) + 1, at - 1), first)) return false;
  }
  return true;
}

/** Key, token, secret, authorization, json, password, passwd, logprobs, result: and what may end in a dash. */
function endsLikeOne(one: number, two: number): boolean {
  if (isDash(one) || isDash(two)) return true;
  const pair = ((one | 0x20) << 8) | (two | 0x20);
  return (
    pair === 0x6579 ||
    pair === 0x656e ||
    pair === 0x6574 ||
    pair === 0x6f6e ||
    pair === 0x7264 ||
    pair === 0x7764 ||
    pair === 0x6273 ||
    pair === 0x6c74
  );
}

const isDash = (c: number): boolean => c === 0x5f || c === 0x2d;
