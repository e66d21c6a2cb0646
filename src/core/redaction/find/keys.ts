import { maskAddresses } from '../../secrets/credential-names.ts';
import { behindEscape, isAlnum, isEscapeLetter, isKeyCharacter } from './classes.ts';
import type { Cursors } from './cursors.ts';
import type { Hits } from './hits.ts';
import { eachIssued, endOfBotToken, minKeyLength, tokenPattern } from './issued.ts';

const stride = minKeyLength;
/** Maximum characters of a run that are checked. A longer run is a file. */
const longestKey = 16 * 1024;

/** Parts separated by dots, from the beginning of the first one: many starts in one part would each be tried up to its end. */
const dotted = /(?<![\w-])([\w-]{11,})\.(?:[\w-]{8,}|\.[\w-]{8,})(?:\.[\w-]*){0,3}/g;

/** Text that indicates that a secret follows: a scheme, a name with a sign, an option, a variable that is set, or the name of a pair in program code. */
const announcementPattern = new RegExp(
  [
    String.raw`\b(?:bearer|basic)(?:\s+|%20)`,
    String.raw`(?:api[_-]?key|apikey|access[_-]?key|account[_-]?key|secret(?:[_-]?key)?|[_-]token|auth[_-]?token|passw(?:or)?d|passwd|pwd|client[_-]?secret|private[_-]?key|authorization)["'\\]{0,3}\s{0,2}(?:[:=]|%3[AD])\s{0,2}["'\\]{0,3}(?:(?:bearer|basic)(?:\s|%20))?`,
    String.raw`--[\w-]{0,20}(?:api-?key|(?:access|secret|private)-key|token|password|passwd|(?:api|app|client)-secret)\s{1,2}["'\\]{0,3}`,
    String.raw`\b(?:set(?:x|env)?|ENV)\s(?:-\w+\s)*\w{0,20}(?:api_?key|access_?key|_token|password|_secret)\s["'\\]{0,3}`,
    String.raw`(?:api[_-]?key|(?:access|secret)[_-]?key|[_-]token|passw(?:or)?d|client[_-]?secret|authorization)\\{0,3}["']\s{0,2},\s{0,2}\\{0,3}["']`,
    String.raw`\$(?:2[abxy]?\$\d\d|(?:1|5|6|y|apr1)\$[\w./]{1,16})\$`,
  ]
    .map((form) => `(?:${form})`)
    .join('|')
    .replace(/^.*$/s, '(?:$&)$'),
  'i',
);

/** Characters before a value that are searched for such text. */
const announcementLength = 32;

/**
 * False if the text before a run does not indicate a secret. True also for text with escapes or of other scripts, where
 * this is not known.
 */
export function mayBeAnnounced(text: string, start: number): boolean {
  const isEscape = text.charCodeAt(start - 2) === 0x5c || text.charCodeAt(start - 3) === 0x25;
  if (start > 1 && !endsAnnouncement(text.charCodeAt(start - 1)) && !isEscape) return false;
  const before = text.slice(Math.max(0, start - announcementLength), start);
  return beyondPlain.test(before) || announcementPattern.test(before);
}

const beyondPlain = /[^\x20-\x5b\x5d-\x7e]/;

/** A blank, a quote, `:`, `=`, `$`, a backslash, or any character that is not printable ASCII. */
const endsAnnouncement = (c: number): boolean =>
  c <= 0x20 || c >= 0x7f || c === 0x22 || c === 0x24 || c === 0x27 || c === 0x3a || c === 0x3d || c === 0x5c;

const begin = '-----BEGIN ';

/** Finds text that looks like a secret: keys of known issuers, tokens, private keys, and values whose name indicates a secret. */
export function findKeys(cursors: Cursors, from: number, to: number, hits: Hits): void {
  if (to - from < stride) return;
  const { text } = cursors;
  let seen = from;
  for (let probe = from + stride - 1; probe < to; probe += stride) {
    if (!isKeyCharacter(text.charCodeAt(probe))) continue;
    let start = probe;
    while (start > seen && isKeyCharacter(text.charCodeAt(start - 1))) start -= 1;
    let end = probe + 1;
    while (end < to && isKeyCharacter(text.charCodeAt(end))) end += 1;
    seen = end;
    start = behindEscape(text, start);
    if (end - start >= stride) findInRun(text, start, Math.min(end, start + longestKey), from, hits);
    // In JSON inside a text, the first letter may be that of an escape: `\nsk-…`.
    if (end - start > stride && isEscapeLetter(text, start)) findInRun(text, start + 1, Math.min(end, start + longestKey), from, hits);
    probe = Math.max(probe, end - 1);
  }
  findPrivateKeys(cursors, from, to, hits);
  findInAddresses(cursors, from, to, hits);
}

function findInRun(text: string, start: number, end: number, from: number, hits: Hits): void {
  const run = text.slice(start, end);
  eachIssued(run, (first, last) => hits.add('secret', start + first, start + last));
  const endOfBot = endOfBotToken(text, start, end);
  if (endOfBot > 0) hits.add('secret', start, endOfBot);
  findTokens(run, start, hits);
  if (start === from && run.indexOf('=') < 0) return;
  // `key=value` is one run.
  const equals = run.indexOf('=');
  if (equals > 0 && run.length - equals > 8) addAnnouncedValue(text, start + equals + 1, end, from, hits);
  addAnnouncedValue(text, start, end, from, hits);
}

function findTokens(run: string, start: number, hits: Hits): void {
  dotted.lastIndex = 0;
  for (let match = dotted.exec(run); match !== null; match = dotted.exec(run)) {
    const first = match[1] ?? '';
    const at = first.search(tokenPattern);
    if (at >= 0) hits.add('secret', start + match.index + at, dotted.lastIndex + start);
    else dotted.lastIndex = match.index + first.length;
  }
}

function addAnnouncedValue(text: string, start: number, end: number, from: number, hits: Hits): void {
  const before = text.slice(Math.max(from, start - announcementLength), start);
  if (!announcementPattern.test(before)) return;
  let to = end;
  while (to > start && (text[to - 1] === '.' || text[to - 1] === '/')) to -= 1;
  const value = text.slice(start, to);
  // Secrets contain letters and digits; other values are probably names in program code.
  if (value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value)) hits.add('secret', start, to);
}

/** Length limits of a text that is a key as a whole. */
const [shortestWhole, longestWhole] = [20, 512];

/** Matches a text that is a key as a whole: only key characters, including letters and digits, without spaces or other punctuation. */
export function findWholeKey(text: string, from: number, to: number, hits: Hits): void {
  if (to - from < shortestWhole || to - from > longestWhole) return;
  const value = text.slice(from, to);
  if (/^[\w\-.+/=~]+$/.test(value) && /\d.*\d/.test(value) && /[A-Za-z]/.test(value)) hits.add('secret', from, to);
}

/**
 * PEM (RFC 7468), from the begin label to the end label, or to the end of a truncated text. Public keys and certificates
 * are not secrets.
 */
function findPrivateKeys(cursors: Cursors, from: number, to: number, hits: Hits): void {
  const { text } = cursors;
  for (let at = cursors.privateKey(from); at < to; ) {
    const label = text.slice(at + begin.length, at + begin.length + 40);
    let next = at + 1;
    if (/^[A-Z0-9 ]*PRIVATE KEY/.test(label)) {
      const end = cursors.privateKeyEnd(at + begin.length);
      const close = end >= to ? -1 : text.indexOf('-----', end + 9);
      next = close < 0 || close > to ? to : close + 5;
      hits.add('secret', at, next);
    }
    at = cursors.privateKey(next);
  }
}

/** `https://user:password@host`, `?api_key=…`. A URL may contain another one; both have the same end. */
function findInAddresses(cursors: Cursors, from: number, to: number, hits: Hits): void {
  const { text } = cursors;
  let end = from;
  for (let at = cursors.address(from); at < to; at = cursors.address(at + 3)) {
    const isInner = at < end;
    if (!isInner) for (end = at + 3; end < to && isAddress(text.charCodeAt(end)); ) end += 1;
    userInfo(text, at + 3, end, hits);
    if (isInner) continue;
    const query = text.slice(at, end).indexOf('?');
    if (query >= 0) parameters(text, at + query + 1, end, hits);
  }
}

const isAddress = (c: number): boolean => c > 0x20 && c !== 0x22 && c !== 0x27 && c !== 0x3c && c !== 0x3e && c !== 0x5c && c !== 0x60;

/** The user information ends at the last @ before the path (WHATWG URL). */
function userInfo(text: string, from: number, end: number, hits: Hits): void {
  let last = -1;
  let colon = -1;
  for (let sign = from; sign < end; sign += 1) {
    const c = text.charCodeAt(sign);
    if (c === 0x40) last = sign;
    else if (c === 0x3a && colon < 0) colon = sign;
    else if (endsInfo(c)) {
      if (last < 0) last = endOfUnencoded(text, from, colon, sign, end);
      break;
    }
  }
  if (last > from && (!text.startsWith('[secret]', from) || last !== from + 8)) hits.add('secret', from, last);
}

/** / ? # */
const endsInfo = (c: number): boolean => c === 0x2f || c === 0x3f || c === 0x23;

/** Maximum characters of the rest of a password. */
const longestRest = 64;

/** The @ after a password with a slash that is not percent-encoded, as in `postgres://app:a/b@host`; -1 if it is a port or a tag. */
function endOfUnencoded(text: string, from: number, colon: number, slash: number, end: number): number {
  if (colon <= from || text[from] === '[' || !/^[^:]*[^:\d{}$][^:{}$]*$/.test(text.slice(colon + 1, slash))) return -1;
  const rest = /^[^/@:?#]{1,64}@[\w.-]+(?:[:/?]|$)/.exec(text.slice(slash + 1, Math.min(end, slash + 2 * longestRest)));
  return rest === null ? -1 : slash + 1 + rest[0].indexOf('@');
}

function parameters(text: string, from: number, end: number, hits: Hits): void {
  for (let at = from, to = from - 1; at < end; ) {
    if (to < at) for (to = at; to < end && text[to] !== '&'; ) to += 1;
    // The value may be a URL with parameters of its own.
    let stop = at;
    let equals = -1;
    for (; stop < to && text[stop] !== '?'; stop += 1) if (equals < 0 && text[stop] === '=') equals = stop;
    const isOne = equals > at && equals + 1 < to && text[equals + 1] !== '[' && isAlnum(text.charCodeAt(at));
    if (isOne && isCredential(`?${text.slice(at, stop)}`)) {
      hits.add('secret', equals + 1, to);
      stop = to;
    }
    at = stop + 1;
  }
}

const isCredential = (parameter: string): boolean => maskAddresses(parameter) !== parameter;
