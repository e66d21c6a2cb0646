import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isDamagedKey, issueKey, keyChecksum, keyIdOf, displayPrefix } from './key.ts';

const body = 'gw_live_9f2cQ7h0Zk3vJm8tXw1bRn5s';
const key = `${body}_${keyChecksum(body)}`;

/** The definition in a second, simpler implementation. */
function byDefinition(text: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let remainder = crc32(text);
  let encoded = '';
  for (; remainder > 0; remainder = Math.floor(remainder / 62)) encoded = `${digits[remainder % 62]}${encoded}`;
  return encoded.padStart(4, '0').slice(-4);
}

describe('keyChecksum', () => {
  it.each([body, 'gw_test_AAAAAAAAAAAAAAAAAAAAAAAA', '', 'é'])('is the last four base-62 digits of the CRC-32 of %j', (text) => {
    expect(keyChecksum(text)).toBe(byDefinition(text));
  });
});

describe('isDamagedKey', () => {
  it.each([
    ['a complete key', key, false],
    ['a key of another form', 'gw_made-by-hand-0123456789', false],
    ["a provider's key", 'sk-proj-0123456789abcdef', false],
    ['a truncated key', key.slice(0, -1), true],
    ['a key without its checksum', body, true],
    ['one wrong character', key.replace('Q', 'q'), true],
    ['two swapped characters', key.replace('9f', 'f9'), true],
    ['a character too much', `${key}x`, true],
    ['another length with its checksum', `${body}x_${keyChecksum(`${body}x`)}`, true],
    ['another sign before its checksum', `${body}-${keyChecksum(body)}`, true],
    ['a prefix without anything after it', 'gw_live_', true],
  ])('returns whether the checksum is missing or wrong for %s', (_, text, damaged) => {
    expect(isDamagedKey(text)).toBe(damaged);
  });
});

describe('issueKey', () => {
  const countingRandom = (): ((limit: number) => number) => {
    let next = 0;
    return (limit) => {
      next += 7;
      return next % limit;
    };
  };

  it.each(['live', 'test'] as const)('creates a %s key with a valid checksum', (kind) => {
    const issuedKey = issueKey(kind, countingRandom());
    expect(issuedKey).toMatch(new RegExp(`^gw_${kind}_[0-9A-Za-z]{24}_[0-9A-Za-z]{4}$`));
    expect(isDamagedKey(issuedKey)).toBe(false);
  });

  it('uses the complete range of the random numbers', () => {
    expect(issueKey('live', () => 0)).toContain('0'.repeat(24));
    expect(issueKey('live', (limit) => limit - 1)).toContain('z'.repeat(24));
  });
});

describe('identifiers of a key', () => {
  it.each([
    ['an issued key', key, 'gw_live_9f2c'],
    ['a key of another form', 'a-key-chosen-by-hand', undefined],
    ['a token', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', undefined],
  ])('displayPrefix of %s', (_, text, expected) => {
    expect(displayPrefix(text)).toBe(expected);
  });

  it('keyIdOf returns the first digits of the hash', () => {
    expect(keyIdOf('9F86D081884C7D65')).toBe('9f86d081');
  });
});
