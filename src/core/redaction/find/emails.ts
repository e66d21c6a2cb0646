import { isAlnum, isDomainCharacter, isLocalCharacter } from './classes.ts';
import type { Cursors } from './cursors.ts';
import type { Hits } from './hits.ts';

/** Maximum characters of each part of an email address (RFC 5321 4.5.3.1). */
const longestLocal = 64;
const longestDomain = 253;

/** Finds email addresses, and user names with passwords before hosts. */
export function findEmails(cursors: Cursors, from: number, to: number, hits: Hits): void {
  const { text } = cursors;
  let least = from;
  for (let at = cursors.at(from); at < to; at = cursors.at(at + 1)) {
    const isCoded = text[at] === '%';
    const end = endOfDomain(text, isCoded ? at + 3 : at + 1, to);
    if (end < 0) continue;
    // In a URL the address is a parameter or part of the path.
    if (isCoded) least = Math.max(least, at - (/[^/?&=#]*$/.exec(text.slice(Math.max(least, at - longestLocal), at))?.[0].length ?? 0));
    const start = at > least && text[at - 1] === '"' ? startOfQuoted(text, at, least) : startOfLocal(text, at, least);
    if (start < 0) continue;
    hits.add('email', start, end);
    least = end;
    at = end - 1;
  }
}

/** The offset after the domain, or -1 if no domain begins here. */
function endOfDomain(text: string, from: number, to: number): number {
  // Address literal: `jane@[192.0.2.1]`.
  if (text[from] === '[') {
    const literal = /^\[(?:IPv6:)?[0-9a-f.:]{3,45}\]/i.exec(text.slice(from, Math.min(to, from + 53)));
    return literal === null ? -1 : from + literal[0].length;
  }
  const ascii = domainEnd(text, from, to, isDomainCharacter);
  // Non-ASCII letters belong to the domain name or to the text after it.
  return ascii > 0 ? ascii : domainEnd(text, from, to, (c) => c >= 0x80 || isDomainCharacter(c));
}

function domainEnd(text: string, from: number, to: number, isPart: (c: number) => boolean): number {
  const most = Math.min(to, from + longestDomain);
  let end = from;
  while (end < most && isPart(text.charCodeAt(end))) end += 1;
  // A trailing dot or dash belongs to the sentence.
  while (end > from && (text[end - 1] === '.' || text[end - 1] === '-')) end -= 1;
  const domain = text.slice(from, end);
  const dot = domain.lastIndexOf('.');
  if (dot <= 0 || domain.startsWith('-') || domain.includes('..')) return -1;
  // The last label consists of letters. A label of digits is part of a version (`react@18.2.0`) or of an IP address without brackets.
  return /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$|[\u0080-\uffff]/i.test(domain.slice(dot + 1)) ? end : -1;
}

function startOfLocal(text: string, at: number, least: number): number {
  const most = Math.max(least, at - longestLocal - 1);
  let start = at;
  while (start > most && isLocalCharacter(text.charCodeAt(start - 1))) start -= 1;
  start = behindEscape(text, start, least, at);
  // Skip characters that only surround an address: `=jane@…`, `/jane@…`, `'jane@…`, `*jane@…`.
  while (start < at && !isAlnum(text.charCodeAt(start)) && text.charCodeAt(start) < 128 && text[start] !== '_') start += 1;
  return start === at ? -1 : start;
}

/** In JSON inside a text, the escape before the address (`\njane@…`) is not part of it. */
function behindEscape(text: string, start: number, least: number, at: number): number {
  if (start <= least || text[start - 1] !== '\\') return start;
  const isCode = text[start] === 'u' && /^[0-9a-f]{4}$/i.test(text.slice(start + 1, start + 5));
  return Math.min(at - 1, start + (isCode ? 5 : 1));
}

/** `"jane doe"@example.com` */
function startOfQuoted(text: string, at: number, least: number): number {
  const open = text.lastIndexOf('"', at - 2);
  return open >= least && at - open <= longestLocal + 2 && !text.slice(open, at).includes('\n') ? open : -1;
}
