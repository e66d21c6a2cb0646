import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isDamagedKey, keyChecksum } from './key.ts';

const body = 'gw_live_9f2cQ7h0Zk3vJm8tXw1bRn5s';
const key = `${body}_${keyChecksum(body)}`;

/** The definition, written down another way. */
function byDefinition(text: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let rest = crc32(text);
  let out = '';
  for (; rest > 0; rest = Math.floor(rest / 62)) out = `${digits[rest % 62]}${out}`;
  return out.padStart(4, '0').slice(-4);
}

describe('keyChecksum', () => {
  it.each([body, 'gw_test_AAAAAAAAAAAAAAAAAAAAAAAA', '', 'é'])('is the last four base-62 digits of the CRC-32 of %j', (text) => {
    expect(keyChecksum(text)).toBe(byDefinition(text));
  });
});

describe('isDamagedKey', () => {
  it.each([
    ['a whole key', key, false],
    ['a key of another form', 'gw_made-by-hand-0123456789', false],
    ["a provider's key", 'sk-proj-0123456789abcdef', false],
    ['a cut key', key.slice(0, -1), true],
    ['a key without its checksum', body, true],
    ['one wrong character', key.replace('Q', 'q'), true],
    ['two swapped characters', key.replace('9f', 'f9'), true],
    ['a character too much', `${key}x`, true],
    ['nothing behind the prefix', 'gw_live_', true],
  ])('judges %s', (_, text, damaged) => {
    expect(isDamagedKey(text)).toBe(damaged);
  });
});
