import { crc32 } from 'node:zlib';

/**
 * Format of issued keys: `gw_live_` or `gw_test_`, 24 random characters, `_`, and a checksum of 4 characters. Keys of
 * any other format are also permitted, but only this one can be checked for typing errors.
 */

/** Prefix of every issued key, which distinguishes it from a provider's credential in the same header. */
export const keyPrefix = 'gw_';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyPrefixes: readonly string[] = ['gw_live_', 'gw_test_'];
const checksumLength = 4;
const keyLength = 'gw_live_'.length + 24 + 1 + checksumLength;

/** Checksum of the part of a key before its last `_`: the last 4 base-62 digits (0–9, A–Z, a–z) of its CRC-32 in UTF-8. */
export function keyChecksum(body: string): string {
  let rest = crc32(body);
  let out = '';
  for (let i = 0; i < checksumLength; i += 1) {
    out = digits.charAt(rest % digits.length) + out;
    rest = Math.floor(rest / digits.length);
  }
  return out;
}

/** True for a key with the prefix of an issued key but a wrong length or checksum: it was truncated or mistyped. */
export function isDamagedKey(key: string): boolean {
  if (!keyPrefixes.some((kind) => key.startsWith(kind))) return false;
  const split = key.length - checksumLength - 1;
  return key.length !== keyLength || key[split] !== '_' || keyChecksum(key.slice(0, split)) !== key.slice(split + 1);
}

/** Kind of an issued key: `gw_live_` for production, `gw_test_` for testing. */
export type KeyKind = 'live' | 'test';

/** Number of random characters of an issued key, in base 62: 142 bits. */
const keyRandomLength = 24;

/** Issues a key. @param random returns a whole number from 0 up to, but not including, its argument; must be unpredictable */
export function issueKey(kind: KeyKind, random: (below: number) => number): string {
  let body = `${keyPrefix}${kind}_`;
  for (let i = 0; i < keyRandomLength; i += 1) body += digits.charAt(random(digits.length));
  return `${body}_${keyChecksum(body)}`;
}

/** The part of a key that may be shown and stored: `gw_live_9f2c` for issued keys, undefined for any other. */
export function displayPrefix(key: string): string | undefined {
  return keyPrefixes.some((kind) => key.startsWith(kind)) ? key.slice(0, 'gw_live_'.length + 4) : undefined;
}

/** ID of a key's secret in records: the first 8 hex digits of its SHA-256. */
export const keyIdOf = (sha256: string): string => sha256.slice(0, 8).toLowerCase();

/** ID of an API key as the owner of objects and of what counts against its limits: the same after its secret was replaced. */
export const ownerOfKey = (name: string): string => `key:${name}`;
