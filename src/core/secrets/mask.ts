import { masked } from './credential-names.ts';
import { anyBelow, fourTimes } from '../text/four-bytes.ts';
import { createSubstringSearch, type SubstringSearch } from './substring-search.ts';
import { objectIn } from '../json/scan.ts';
import { spellingsOf } from './spellings.ts';

/** Hides known secrets, and what looks like an issued key, wherever text leaves the process. */
export interface Mask {
  text(text: string): string;
  /** The same buffer when nothing matched, else a copy of the same length with asterisks. */
  bytes(bytes: Buffer): Buffer;
  /** Overwrites in place with asterisks: lengths stay, JSON stays JSON. True when something matched. */
  inPlace(bytes: Buffer): boolean;
}

/** Shorter ones would hide half of any text. */
const shortest = 6;
const asterisk = 0x2a;

/**
 * Prefixes that issuers document for their keys, and how many key characters must follow before we believe it.
 * `gw_` is our own.
 */
const issued: readonly { readonly prefix: string; readonly least: number }[] = [
  { prefix: 'sk-', least: 20 },
  { prefix: 'gw_', least: 16 },
  { prefix: 'AIza', least: 30 },
  { prefix: 'AKIA', least: 16 },
  { prefix: 'xoxb-', least: 16 },
  { prefix: 'xoxp-', least: 16 },
];

const issuedPattern = new RegExp(
  `(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2}))(${issued.map(({ prefix, least }) => `${prefix}(?=[A-Za-z0-9_-]{${least}})`).join('|')})[A-Za-z0-9_-]+`,
  'g',
);

/**
 * Matches every secret exactly, also as it is inside JSON text and inside a URL; longest first, so that a secret
 * that contains another is hidden whole. Secrets shorter than 6 characters are left alone.
 */
export function createMask(secrets: readonly string[]): Mask {
  const texts = spellings(secrets);
  const search = createSubstringSearch(texts.map((one) => Buffer.from(one, 'utf8')));
  const inPlace = (bytes: Buffer): boolean => overwrite(bytes, bytes, search) !== undefined;
  return {
    text(text) {
      let out = text;
      for (const one of texts) if (out.includes(one)) out = out.replaceAll(one, masked);
      return out.replace(issuedPattern, `$1${masked}`);
    },
    bytes: (bytes) => overwrite(bytes, undefined, search) ?? bytes,
    inPlace,
  };
}

/** Each secret in all of its spellings, longest first; a secret that is a JSON document contains secrets of its own. */
export function spellings(secrets: readonly string[]): string[] {
  const all = new Set<string>();
  for (const secret of secrets.flatMap(withInner)) {
    if (secret.length < shortest) continue;
    for (const spelling of spellingsOf(secret)) all.add(spelling);
  }
  return [...all].toSorted((a, b) => b.length - a.length);
}

/** A service account file is one secret in the configuration, and its private key another one on the wire. */
function withInner(secret: string): string[] {
  if (!secret.trimStart().startsWith('{')) return [secret];
  const inner = Object.entries(objectIn(secret) ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && /key|secret|token|password/i.test(name) ? [value] : [],
  );
  return [secret, ...inner];
}

/** Returns the buffer that was written: `into`, or a copy; undefined when nothing matched. */
function overwrite(bytes: Buffer, into: Buffer | undefined, search: SubstringSearch): Buffer | undefined {
  const ranges: number[] = [];
  const hide = (from: number, to: number): void => {
    ranges.push(from, to);
  };
  search.each(bytes, hide);
  eachIssued(bytes, hide);
  if (ranges.length === 0) return undefined;
  const out = into ?? Buffer.from(bytes);
  for (let i = 0; i < ranges.length; i += 2) out.fill(asterisk, ranges[i], ranges[i + 1]);
  return out;
}

/**
 * Finds what looks like an issued key: a run of key bytes that begins with a known prefix. A run that is long enough has
 * a whole block in it wherever it begins; most blocks hold something else, which one look shows.
 */
function eachIssued(bytes: Buffer, found: (from: number, to: number) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let seen = 0;
  for (let at = 0; at + block <= bytes.length; at += stride) {
    if ((anyBelow(view.getInt32(at, true), leastOfKey) | anyBelow(view.getInt32(at + 4, true), leastOfKey)) !== 0) continue;
    if (!isKeyByte(bytes[at] as number)) continue;
    let start = at;
    while (start > seen && isKeyByte(bytes[start - 1] as number)) start -= 1;
    seen = at + 1;
    // A run that goes on to the left of what was seen has been judged by its beginning.
    if (start > 0 && isKeyByte(bytes[start - 1] as number)) continue;
    // `%3D` in front of a key is a character of its own.
    let begin = start;
    let key = prefixAt(bytes, begin);
    if (key === undefined && bytes[start - 1] === 0x25) key = prefixAt(bytes, (begin = start + 2));
    if (key === undefined) continue;
    const from = begin + key.prefix.length;
    const to = endOfKey(bytes, from);
    if (to - from >= key.least) found(from, to);
  }
}

/** Bytes that are looked at together. */
const block = 8;

/** From block to block: one of them lies in the shortest run that can be an issued key, wherever that begins. */
const stride = Math.min(...issued.map(({ prefix, least }) => prefix.length + least)) - block + 1;

/** The smallest key byte, the dash: what nearly all gaps between words are not. */
const leastOfKey = fourTimes(0x2d);

type Issued = (typeof issued)[number];

/** By first byte: most runs are dismissed with one look. */
const byFirst: readonly (readonly Issued[] | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const rows = issued.filter(({ prefix }) => prefix.charCodeAt(0) === byte);
  return rows.length === 0 ? undefined : rows;
});

function prefixAt(bytes: Buffer, at: number): Issued | undefined {
  const rows = byFirst[bytes[at] ?? 0];
  if (rows === undefined) return undefined;
  for (const row of rows) if (startsWith(bytes, at, row.prefix)) return row;
  return undefined;
}

function startsWith(bytes: Buffer, at: number, prefix: string): boolean {
  for (let i = 1; i < prefix.length; i += 1) if (bytes[at + i] !== prefix.charCodeAt(i)) return false;
  return true;
}

function endOfKey(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isKeyByte(bytes[at] ?? 0)) at += 1;
  return at;
}

/** A–Z, a–z, 0–9, `_`, `-`. */
const keyBytes = Uint8Array.from({ length: 256 }, (_, byte) => (/[\w-]/.test(String.fromCharCode(byte)) ? 1 : 0));

function isKeyByte(byte: number): boolean {
  return keyBytes[byte] === 1;
}
