import { isValueOfSecret, mayBeMasked, namesSecret } from '../member-names.ts';
import type { Cursors } from './cursors.ts';
import type { Hits } from './hits.ts';

/** Names that indicate that a secret follows, at the end of the text before `:` or `=`. */
const secretNameEnd =
  /(?:api[_-]?key|access[_-]?key|account[_-]?key|secret(?:[_-]?key)?|[_-]token|auth[_-]?token|passw(?:or)?d|passwd|pwd|private[_-]?key|authorization)$/i;
/** Maximum characters of such a name. */
const longestName = 32;
/** Minimum characters of a text with such a name, and limits of a value. */
const shortestText = 12;
const [shortestValue, longestValue] = [8, 256];
/** Maximum characters of a JSON member. */
const longestMember = 16 * 1024;

/** Precedes a credential (RFC 9110 11.4). */
const scheme = /^(?:apikey|basic|bearer|digest|token)(?:\s+|%20)/i;

/** Maximum quotes, backslashes and blanks on each side of the sign. Each level of JSON inside a text doubles the backslashes. */
const maxBetween = 32;

const isQuote = (c: number): boolean => c === 0x22 || c === 0x27;
const isBetween = (c: number): boolean => isQuote(c) || c === 0x5c || c === 0x20;

/** Finds values whose name indicates a secret, whatever characters they have: `password: P@ssw0rd!`, and members of JSON inside a text. */
export function findNamedSecrets(cursors: Cursors, from: number, to: number, hits: Hits): void {
  if (to - from < shortestText) return;
  const { text } = cursors;
  for (let at = cursors.sign(from); at < to; at = cursors.sign(at + 1)) {
    const end = endOfName(text, at, from);
    if (end > from && isAnnounced(text, end, from)) addValue(text, at, end, to, hits);
  }
}

/** True if a secret's name precedes the sign. */
export const isSecretNameBefore = (text: string, sign: number): boolean => isAnnounced(text, endOfName(text, sign, 0), 0);

function endOfName(text: string, sign: number, from: number): number {
  const least = Math.max(from, sign - maxBetween);
  let end = sign;
  while (end > least && isBetween(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

const isAnnounced = (text: string, end: number, from: number): boolean =>
  mayBeMasked(text, end) && (secretNameEnd.test(text.slice(Math.max(from, end - longestName), end)) || namesSecretAt(text, end));

function namesSecretAt(text: string, end: number): boolean {
  const word = lastWord(text, end);
  return namesSecret(word) || isValueOfSecret(text, end - word.length, end);
}

function addValue(text: string, sign: number, endOfName: number, to: number, hits: Hits): void {
  let start = sign + 1;
  // := and => and ==
  if (text[start] === '=' || text[start] === '>') start += 1;
  const most = Math.min(to, start + maxBetween);
  while (start < most && isBetween(text.charCodeAt(start))) start += 1;
  const isQuoted = isQuote(text.charCodeAt(start - 1));
  const isMember = isQuoted && isQuote(text.charCodeAt(sign - 1)) && namesSecretAt(text, endOfName);
  const opening = start;
  start += scheme.exec(text.slice(start, Math.min(to, start + longestName)))?.[0].length ?? 0;
  const end = isQuoted
    ? endOfQuoted(text, opening, start, Math.min(to, start + (isMember ? longestMember : longestValue)))
    : endOfWord(text, start, to);
  const value = text.slice(start, end);
  if (isMember ? !placeholderPattern.test(value) : isSecret(value, isQuoted)) hits.add('secret', start, end);
}

/** A placeholder of earlier masking, either by this module or of a header's credential. */
const placeholderPattern = /^(?:\[[a-z_]+\]|\*{3,})?$/;

const lastWord = (text: string, end: number): string => /[\w-]*$/.exec(text.slice(Math.max(0, end - longestName), end))?.[0] ?? '';

/** Secrets contain letters and digits. Other values, and those with brackets or a path, are probably program code. */
const isSecret = (value: string, isQuoted: boolean): boolean =>
  value.length >= shortestValue &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !/^[/.~]/.test(value) &&
  (isQuoted || !/[()[\]{}$]/.test(value));

/**
 * The closing quote has as many backslashes as the opening one. In JSON inside a text, quotes of the value have more, and
 * a backslash of the value before the closing quote doubles its backslashes.
 */
function endOfQuoted(text: string, opening: number, start: number, most: number): number {
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
function endOfWord(text: string, start: number, to: number): number {
  const match = /^[^\s"'`\\,;&<>]*/.exec(text.slice(start, Math.min(to, start + longestValue)));
  let end = start + (match?.[0].length ?? 0);
  while (end > start && /[)\]}.:!?]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}
