import { isValueName, mayBeMasked, namesSecret, namesSecretVariable } from './member-names.ts';

/** What separates two members, attributes or lines, with the quotes around it. */
const gap = String.raw`["'\\]*(?:[\s,]|\\[nrtf])+["'\\]*`;
/** White space, or the JSON escape of it. */
const blanks = String.raw`(?:\s|\\[nrtf])*`;
const sign = String.raw`["'\\]*${blanks}[:=]${blanks}["'\\]*`;
const name = String.raw`[\w./-]{1,64}`;
const nameOfName = '(?:name|key|variable|header)';

/** After the sign of a member: its value, and the name of the next member or a part of it. */
const valueBefore = new RegExp(String.raw`^${blanks}["'\\]*(${name})${gap}\w{0,20}["'\\]*${blanks}$`);
const endsWithNameOfName = new RegExp(String.raw`${nameOfName}["'\\]*${blanks}$`, 'i');
/** After a value: the next member or the one after it, which is a name. */
const nameAfter = new RegExp(String.raw`^${gap}(?:\w{1,20}${sign}[\w-]{0,40}${gap})?\w{0,20}${nameOfName}${sign}(${name})(?![\w./-])`, 'i');
/** Maximum characters from a value to its name, and of a name with its sign. */
const longestPair = 200;
const longestName = 32;

/** Limits of a value. */
export const longestValue = 256;
export const longestMember = 16 * 1024;

/** Maximum quotes, backslashes and blanks on each side of a sign. Each level of JSON inside a text doubles the backslashes. */
export const maxBetween = 32;

/** A quote of program code, or a backtick. */
export const isQuote = (c: number): boolean => c === 0x22 || c === 0x27 || c === 0x60;
export const isBetween = (c: number): boolean => isQuote(c) || c === 0x5c || c === 0x20;

/** Offsets of a text that contains a name, beyond which nothing belongs to it. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/**
 * True for `value` in a pair such as `{"name": "API_KEY", "value": "…"}`, which lists of variables and headers consist of.
 * The name may also follow the value.
 *
 * @param start offset of the name `value`
 * @param end offset after it
 */
export function isValueOfSecret(text: string, start: number, end: number, { from, to }: TextRange): boolean {
  if (!isValueName(text.slice(Math.max(start, end - 5), end))) return false;
  const before = nameBefore(text.slice(Math.max(from, start - longestPair), start));
  if (before !== undefined) return namesSecretVariable(before);
  const after = endOfMember(text, end, to);
  const following = after < 0 ? undefined : nameAfter.exec(text.slice(after, Math.min(to, after + longestPair)))?.[1];
  return following !== undefined && namesSecretVariable(following);
}

/** The name in the member at the end of a text, or in the one before it: between name and value may be a type. */
function nameBefore(text: string): string | undefined {
  const last = lastSign(text, text.length);
  const value = last < 0 ? undefined : valueBefore.exec(text.slice(last + 1))?.[1];
  if (value === undefined || endsWithNameOfName.test(text.slice(Math.max(0, last - longestName), last))) return value;
  const first = lastSign(text, last - 1);
  return first < 0 || !endsWithNameOfName.test(text.slice(Math.max(0, first - longestName), first))
    ? undefined
    : valueBefore.exec(text.slice(first + 1, last))?.[1];
}

const lastSign = (text: string, from: number): number => Math.max(text.lastIndexOf(':', from), text.lastIndexOf('=', from));

/** The end of the value after a name; -1 if there is none. */
function endOfMember(text: string, endOfName: number, to: number): number {
  const most = Math.min(to, endOfName + maxBetween);
  let at = endOfName;
  while (at < most && isBetween(text.charCodeAt(at))) at += 1;
  if (at >= to || (text[at] !== ':' && text[at] !== '=')) return -1;
  const start = valueAfter(text, at, to);
  if (isQuote(text.charCodeAt(start - 1))) return endOfQuoted(text, start, start, Math.min(to, start + longestMember));
  // `value = …` without quotes is program code.
  return text[at] === ':' ? endOfWord(text, start, to) : -1;
}

/** The offset of the value after a sign, behind its opening quote. */
export function valueAfter(text: string, sign: number, to: number): number {
  let start = sign + 1;
  // := and => and ==
  if (text[start] === '=' || text[start] === '>') start += 1;
  const most = Math.min(to, start + maxBetween);
  // `**Password:** …`
  while (start < most && text[start] === '*') start += 1;
  while (start < most && isBetween(text.charCodeAt(start))) start += 1;
  return start;
}

/**
 * The closing quote has as many backslashes as the opening one. In JSON inside a text, quotes of the value have more, and
 * a backslash of the value before the closing quote doubles its backslashes.
 */
export function endOfQuoted(text: string, opening: number, start: number, most: number): number {
  const quote = text.charCodeAt(opening - 1);
  const level = backslashesBefore(text, opening - 1);
  let slashes = 0;
  for (let end = start; end < most; end += 1) {
    const c = text.charCodeAt(end);
    if (c < 0x20) return end;
    if (c === quote && slashes % (2 * level + 2) === level) return end - level;
    slashes = c === 0x5c ? slashes + 1 : 0;
  }
  return most;
}

function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (count < maxBetween && text.charCodeAt(at - 1 - count) === 0x5c) count += 1;
  return count;
}

/** A value ends at blanks, quotes and separators of members or parameters. Closing punctuation and brackets do not belong to it. */
export function endOfWord(text: string, start: number, to: number): number {
  const match = /^[^\s"'`\\,;&<>]*/.exec(text.slice(start, Math.min(to, start + longestValue)));
  let end = start + (match?.[0].length ?? 0);
  while (end > start && /[)\]}.:!?]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Maximum characters from the name of a member to a value in its list. */
const longestLead = 1024;
/** The list of strings that a member consists of, up to one of them. */
const listBefore = /^"\s*:\s*\[\s*(?:"(?:[^"\\]|\\.)*"\s*,\s*)*"$/s;
/** A list in a list, up to its second string. */
const pairBefore = /[[,]\s*\[\s*"([\w.-]{1,64})"\s*,\s*"$/;
const pairEnd = /^"\s*\]/;
/** Maximum characters around the second string. */
const longestEdge = 96;

/** True for a string in the list of a member, such as `{"Authorization": ["…"]}`. @param nameEnd end of the member's name */
export const isInListOf = (text: string, nameEnd: number, start: number): boolean =>
  start - nameEnd <= longestLead && listBefore.test(text.slice(nameEnd, start));

/** True for the second string in a list of pairs, such as `[["x-api-key", "…"]]`, if the first one is the name of a secret. */
export function isSecondOfSecret(text: string, start: number, end: number): boolean {
  const comma = lastBefore(text, start - 1);
  const quote = lastBefore(text, comma);
  if (text[comma] !== ',' || text[quote] !== '"' || !mayBeMasked(text, quote)) return false;
  const first = pairBefore.exec(text.slice(Math.max(0, start - longestEdge), start))?.[1];
  return first !== undefined && namesSecret(first) && pairEnd.test(text.slice(end, end + longestEdge));
}

/** The offset of the last character before `at` that is not white space. */
function lastBefore(text: string, at: number): number {
  const least = at - longestEdge;
  let before = at - 1;
  while (before > least && text.charCodeAt(before) <= 0x20) before -= 1;
  return before;
}

/** True if a text in a list looks like a secret: a list may also consist of names and of messages. */
export const looksSecret = (value: string): boolean => credential.test(value) || (/^[\w\-.+/=~]{8,}$/.test(value) && /\d/.test(value));

/** A credential with its scheme, or a cookie. */
const credential = /^(?:(?:apikey|basic|bearer|digest)\s+\S|[\w.-]+=\S)/i;
