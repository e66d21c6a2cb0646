import { mayBeMasked, namesSecret } from '../member-names.ts';
import type { Cursors } from './cursors.ts';
import type { Hits } from './hits.ts';

/** Names that say that a secret follows, at the end of what is in front of `:` or `=`. */
const named =
  /(?:api[_-]?key|access[_-]?key|account[_-]?key|secret(?:[_-]?key)?|[_-]token|auth[_-]?token|passw(?:or)?d|passwd|pwd|private[_-]?key|authorization)$/i;
/** Characters that such a name has at most. */
const longestName = 32;
/** Characters of the shortest text with one, and of a value. */
const shortestText = 12;
const [shortestValue, longestValue] = [8, 256];

/** In front of a credential (RFC 9110 11.4). */
const scheme = /^(?:apikey|basic|bearer|digest|token)(?:\s+|%20)/i;

/** Quotes, backslashes and blanks between a name and its value, on each side of the sign. */
const mostBetween = 5;

const isQuote = (c: number): boolean => c === 0x22 || c === 0x27;
const isBetween = (c: number): boolean => isQuote(c) || c === 0x5c || c === 0x20;

/**
 * Finds what is called a secret, whatever characters it has: `password: P@ssw0rd!`, and members of JSON that is written in
 * a text.
 */
export function findAnnounced(cursors: Cursors, from: number, to: number, hits: Hits): void {
  if (to - from < shortestText) return;
  const { text } = cursors;
  for (let at = cursors.sign(from); at < to; at = cursors.sign(at + 1)) {
    const end = endOfName(text, at, from);
    if (end > from && isAnnounced(text, end, from)) inValue(text, at, end, to, hits);
  }
}

/** True where a name of a secret is in front of a sign. */
export const announcesAt = (text: string, sign: number): boolean => isAnnounced(text, endOfName(text, sign, 0), 0);

function endOfName(text: string, sign: number, from: number): number {
  const least = Math.max(from, sign - mostBetween);
  let end = sign;
  while (end > least && isBetween(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

const isAnnounced = (text: string, end: number, from: number): boolean =>
  mayBeMasked(text, end) && (named.test(text.slice(Math.max(from, end - longestName), end)) || namesSecret(lastWord(text, end)));

function inValue(text: string, sign: number, endOfName: number, to: number, hits: Hits): void {
  let start = sign + 1;
  // := and => and ==
  if (text[start] === '=' || text[start] === '>') start += 1;
  const most = Math.min(to, start + mostBetween);
  while (start < most && isBetween(text.charCodeAt(start))) start += 1;
  const isQuoted = isQuote(text.charCodeAt(start - 1));
  const opening = start;
  start += scheme.exec(text.slice(start, Math.min(to, start + longestName)))?.[0].length ?? 0;
  const end = isQuoted ? endOfQuoted(text, opening, start, to) : endOfWord(text, start, to);
  const value = text.slice(start, end);
  const isMember = isQuoted && isQuote(text.charCodeAt(sign - 1)) && namesSecret(lastWord(text, endOfName));
  if (isMember ? !isMark.test(value) : isSecret(value, isQuoted)) hits.add('secret', start, end);
}

/** What was masked before, here or as the credential of a header. */
const isMark = /^(?:\[[a-z_]+\]|\*{3,})?$/;

const lastWord = (text: string, end: number): string => /[\w-]*$/.exec(text.slice(Math.max(0, end - longestName), end))?.[0] ?? '';

/** Secrets mix letters and digits; what is called or looked up is a name in a program. */
const isSecret = (value: string, isQuoted: boolean): boolean =>
  value.length >= shortestValue &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !/^[/.~]/.test(value) &&
  (isQuoted || !/[()[\]{}$]/.test(value));

function endOfQuoted(text: string, opening: number, start: number, to: number): number {
  const quote = text.charCodeAt(opening - 1);
  const most = Math.min(to, start + longestValue);
  let end = start;
  for (let c = text.charCodeAt(end); end < most && c !== quote && c !== 0x5c && c >= 0x20; c = text.charCodeAt(end)) end += 1;
  return end;
}

/** Blanks, quotes, and what divides members and parameters. What a sentence or brackets end with is no part of it. */
function endOfWord(text: string, start: number, to: number): number {
  const match = /^[^\s"'`\\,;&<>]*/.exec(text.slice(start, Math.min(to, start + longestValue)));
  let end = start + (match?.[0].length ?? 0);
  while (end > start && /[)\]}.:!?]/.test(text.charAt(end - 1))) end -= 1;
  return end;
}
