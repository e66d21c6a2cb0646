import { createHash, type Hash } from 'node:crypto';
import type { Cursors } from './find/cursors.ts';
import type { Hits } from './find/hits.ts';

/** Length from which a text that consists of base64 only counts as a file. */
export const shortestFile = 1024;

/** Maximum characters of a file that is hashed. Larger files are described by type and size only. */
const maxHashed = 16 * 1024 * 1024;

/** Characters decoded at a time, in whole groups of four. All are decoded into one buffer, because files are large. */
const slice = 64 * 1024;

const nonBase64 = /[^\w+/-]/g;

/** The end of the base64 that begins at an offset, without its padding. A loop over the characters takes ten times as long. */
function endOfBase64(text: string, from: number, to: number): number {
  nonBase64.lastIndex = from;
  return nonBase64.test(text) ? Math.min(to, nonBase64.lastIndex - 1) : to;
}

function behindPadding(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && text[at] === '=') at += 1;
  return at;
}

/** Media types by the base64 text of their first bytes. */
const signatures: readonly (readonly [start: string, type: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'audio/wav or image/webp'],
  ['JVBERi0', 'application/pdf'],
  ['SUQz', 'audio/mpeg'],
  ['//uQ', 'audio/mpeg'],
  ['//NE', 'audio/mpeg'],
  ['T2dnUw', 'audio/ogg'],
  ['ZkxhQw', 'audio/flac'],
  ['UEsDB', 'application/zip'],
];

const typeOf = (base64: string): string => signatures.find(([start]) => base64.startsWith(start))?.[1] ?? 'base64';

/** The replacement for a file: `[media image/png, 12345 bytes, sha256 …]`. */
export function digestOf(bytes: Uint8Array, type: string): string {
  return digestText(type, bytes.length, createHash('sha256').update(bytes));
}

const digestText = (type: string, bytes: number, hash: Hash): string => `[media ${type}, ${bytes} bytes, sha256 ${hash.digest('hex')}]`;

function digestOfBase64(base64: string, type: string): string {
  let end = base64.length;
  while (end > 0 && base64[end - 1] === '=') end -= 1;
  if (base64.length > maxHashed) return `[media ${type}, ${Math.floor((end * 3) / 4)} bytes]`;
  const hash = createHash('sha256');
  const part = Buffer.allocUnsafeSlow(Math.min(slice, base64.length));
  let bytes = 0;
  for (let at = 0; at < end; at += slice) {
    const length = part.write(base64.slice(at, Math.min(end, at + slice)), 'base64');
    hash.update(part.subarray(0, length));
    bytes += length;
  }
  return digestText(type, bytes, hash);
}

/** The replacement for a text that is a file as a whole; undefined if it is not one. `from` and `to` delimit it in one-byte text. */
export function fileReplacement(text: string, from: number, to: number, rule: 'digest' | 'drop'): string | undefined {
  if (to - from < shortestFile) return undefined;
  const end = endOfBase64(text, from, to);
  if (end < from + 64 || behindPadding(text, end, to) < to) return undefined;
  if (rule === 'drop') return '[media]';
  const base64 = text.slice(from, to);
  return digestOfBase64(base64, typeOf(base64));
}

/** Finds `data:image/png;base64,…` anywhere in a text. */
export function findMediaIn(cursors: Cursors, start: number, end: number, rule: 'digest' | 'drop', hits: Hits): void {
  const { text } = cursors;
  eachMedia(cursors, start, end, (scheme, from, to) => {
    const type = text.slice(scheme + 5, from - 8);
    const shown = /^[\w.+/;=-]{1,80}$/.test(type) ? type : 'data';
    hits.add('media', scheme, to, rule === 'drop' ? '[media]' : digestOfBase64(withoutLineEnds(text.slice(from, to)), shown));
  });
}

const withoutLineEnds = (base64: string): string => (base64.includes('\n') ? base64.replaceAll(/[\r\n]/g, '') : base64);

/** The end of a part that has `characters` characters outside of media. */
export function endWithoutMedia(cursors: Cursors, start: number, end: number, characters: number): number {
  let stop = Math.min(end, start + characters);
  eachMedia(cursors, start, end, (scheme, _, to) => {
    if (scheme < stop) stop = Math.min(end, stop + to - scheme);
    return scheme < stop;
  });
  return stop;
}

function eachMedia(cursors: Cursors, start: number, end: number, found: (scheme: number, from: number, to: number) => unknown): void {
  const { text } = cursors;
  for (let at = cursors.media(start); at < end; at = cursors.media(at + 1)) {
    const lead = Math.max(start, at - 256);
    const scheme = text.slice(lead, at).lastIndexOf('data:');
    if (scheme < 0) continue;
    const from = at + 8;
    const to = behindPadding(text, endOfLines(text, from, end), end);
    if (to > from && found(lead + scheme, from, to) === false) return;
  }
}

/** Length of the lines of base64 in mail (RFC 2045 6.8: 76) and in PEM (64). */
const [shortestLine, longestLine] = [60, 80];

/** The end of base64 in one piece, or in lines of equal length, of which the last one may be shorter; without its padding. */
function endOfLines(text: string, from: number, end: number): number {
  let to = endOfBase64(text, from, end);
  const width = to - from;
  for (let length = width; length === width && width >= shortestLine && width <= longestLine; ) {
    const next = text[to] === '\r' ? to + 2 : to + 1;
    if (text[next - 1] !== '\n') break;
    const stop = endOfBase64(text, next, end);
    length = stop - next;
    if (length > 0 && length <= width) to = stop;
  }
  return to;
}
