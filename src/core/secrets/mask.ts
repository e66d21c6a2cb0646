import { masked } from './credential-names.ts';
import { anyBelow, fourTimes } from '../text/four-bytes.ts';
import { createSubstringSearch, type SubstringSearch } from './substring-search.ts';
import { tryParseObject } from '../json/scan.ts';
import { base64Of, variantsOf } from './variants.ts';

/** Masks known secrets, and strings that look like issued keys, wherever text leaves the process. */
export interface Mask {
  text(text: string): string;
  /** Returns the same buffer if nothing matched, else a masked copy of the same length. */
  bytes(bytes: Buffer): Buffer;
  /** Overwrites in place with asterisks; lengths do not change, and JSON stays valid. Returns true if something matched. */
  inPlace(bytes: Buffer): boolean;
}

/** Minimum length in characters: shorter secrets occur in any text. */
const minSecretLength = 6;
const asterisk = 0x2a;

/** Documented key prefixes of issuers, and the minimum number of key characters after them. `gw_` is the gateway's own. */
const issuedPrefixes: readonly { readonly prefix: string; readonly least: number }[] = [
  { prefix: 'sk-', least: 20 },
  { prefix: 'gw_', least: 16 },
  { prefix: 'AIza', least: 30 },
  { prefix: 'AKIA', least: 16 },
  { prefix: 'xoxb-', least: 16 },
  { prefix: 'xoxp-', least: 16 },
  { prefix: 'gsk_', least: 30 },
  { prefix: 'xai-', least: 30 },
  { prefix: 'hf_', least: 30 },
  { prefix: 'r8_', least: 30 },
  { prefix: 'nvapi-', least: 30 },
  { prefix: 'pplx-', least: 30 },
  { prefix: 'ghp_', least: 30 },
  { prefix: 'github_pat_', least: 22 },
  { prefix: 'glpat-', least: 20 },
];

const firstTwo = [...new Set(issuedPrefixes.map(({ prefix }) => prefix.slice(0, 2)))].join('|');

/** The first two characters are tested first: one comparison of both rules out most places. */
const issuedPattern = new RegExp(
  `(?=${firstTwo})(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f]{2}|\\\\(?:[bfnrt]|u[0-9A-Fa-f]{4})|:-))(${issuedPrefixes.map(({ prefix, least }) => `${prefix}(?=[A-Za-z0-9_-]{${least}})`).join('|')})[A-Za-z0-9_-]+`,
  'g',
);

/**
 * Creates a mask that matches every secret exactly, and also as escaped in JSON, encoded in a URL and in base64. Secrets shorter
 * than 6 characters are not masked.
 */
export function createMask(secrets: readonly string[]): Mask {
  const search = createSubstringSearch(allVariants(secrets).map((one) => Buffer.from(one, 'utf8')));
  return {
    text: (text) => withoutRanges(text, search).replace(issuedPattern, `$1${masked}`),
    bytes: (bytes) => overwrite(bytes, undefined, search) ?? bytes,
    inPlace: (bytes) => overwrite(bytes, bytes, search) !== undefined,
  };
}

/** Replaces each occurrence, or each chain of overlapping ones, in a text. */
function withoutRanges(text: string, search: SubstringSearch): string {
  const bytes = Buffer.from(text, 'utf8');
  const ranges: (readonly [from: number, to: number])[] = [];
  search.each(bytes, (from, to) => void ranges.push([from, to]));
  if (ranges.length === 0) return text;
  ranges.sort(([a], [b]) => a - b);
  let out = '';
  let end = 0;
  for (const [from, to] of ranges) {
    if (from >= end) out += bytes.toString('utf8', end, from) + masked;
    end = Math.max(end, to);
  }
  return out + bytes.toString('utf8', end);
}

/** Returns all spellings of each secret. A secret that is a JSON document contains further secrets. */
export function allVariants(secrets: readonly string[]): string[] {
  const all = new Set<string>();
  for (const secret of secrets.flatMap(withInnerSecrets)) {
    if (secret.length < minSecretLength) continue;
    for (const variant of variantsOf(secret)) all.add(variant);
    for (const variant of base64Of(secret)) all.add(variant);
  }
  return [...all];
}

/** A service account file is one secret in the configuration, but its private key is also sent separately. */
function withInnerSecrets(secret: string): string[] {
  if (!secret.trimStart().startsWith('{')) return [secret];
  const inner = Object.entries(tryParseObject(secret) ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && /key|secret|token|password/i.test(name) ? [value] : [],
  );
  return [secret, ...inner];
}

/** Returns the buffer that was written: `into`, or a copy; undefined if nothing matched. */
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
 * Finds strings that look like issued keys: a run of key bytes that starts with a known prefix. A long enough run
 * contains a whole block wherever it starts; most blocks contain another byte, which one comparison shows.
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
    // The run continues to the left of the range already searched: it was checked from its start before.
    if (start > 0 && isKeyByte(bytes[start - 1] as number)) continue;
    let begin = start;
    let key = prefixAt(bytes, begin);
    if (key === undefined) key = prefixAt(bytes, (begin += escapeLength(bytes, start)));
    if (key === undefined) continue;
    const from = begin + key.prefix.length;
    const to = endOfKey(bytes, from);
    if (to - from >= key.least) found(from, to);
  }
}

/**
 * Length of what precedes a key and looks like part of it: `3D` of `%3D`, `n` of `\n`, `u003d` of `\u003d`, and the dash
 * before the default of a reference, as in `${env:KEY:-sk-…}`.
 */
function escapeLength(bytes: Buffer, at: number): number {
  if (bytes[at - 1] === percent) return 2;
  if (bytes[at - 1] === colon && bytes[at] === dash) return 1;
  if (bytes[at - 1] !== backslash) return 0;
  return bytes[at] === letterU ? 5 : 1;
}

const percent = 0x25;
const colon = 0x3a;
const dash = 0x2d;
const backslash = 0x5c;
const letterU = 0x75;

/** Bytes compared at a time. */
const block = 8;

/** Distance between two examined blocks: one of them lies in the shortest possible issued key, wherever that starts. */
const stride = Math.min(...issuedPrefixes.map(({ prefix, least }) => prefix.length + least)) - block + 1;

/** The smallest key byte, the dash. Nearly all characters between words are smaller. */
const leastOfKey = fourTimes(0x2d);

type IssuedPrefix = (typeof issuedPrefixes)[number];

/** Indexed by the first two bytes: one lookup rules out nearly all runs. */
const beginnings = new Uint8Array(256 * 256);
for (const { prefix } of issuedPrefixes) beginnings[prefix.charCodeAt(0) * 256 + prefix.charCodeAt(1)] = 1;

function prefixAt(bytes: Buffer, at: number): IssuedPrefix | undefined {
  if (beginnings[(bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)] === 0) return undefined;
  for (const row of issuedPrefixes) if (startsWith(bytes, at, row.prefix)) return row;
  return undefined;
}

function startsWith(bytes: Buffer, at: number, prefix: string): boolean {
  for (let i = 0; i < prefix.length; i += 1) if (bytes[at + i] !== prefix.charCodeAt(i)) return false;
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
