import { describe, expect, it } from 'vitest';
import { makeKey, makeSnapshot, sha256 } from '../../test/support/stage-context.ts';
import { KnownKeys } from './known-keys.ts';

/** Counts how often a value has to be hashed: cached values need no hash. */
function createKnownKeys(keys: readonly string[]) {
  let hashed = 0;
  const snapshot = makeSnapshot({ keys: Object.fromEntries(keys.map((key) => [key, makeKey(key)])) });
  const count = (text: string): string => {
    hashed += 1;
    return sha256(text);
  };
  const found = new KnownKeys(snapshot, { sha256: count });
  return {
    find: (value: string) => found.find(value)?.name,
    hashes: (value: string): number => {
      hashed = 0;
      found.find(value);
      return hashed;
    },
  };
}

const names = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

describe('KnownKeys', () => {
  it('does not hash a value again, whether it is a key or not', () => {
    const { find, hashes } = createKnownKeys(['key']);
    expect([find('key'), find('none'), hashes('key'), hashes('none'), find('key'), find('none')]).toEqual([
      'key',
      undefined,
      0,
      0,
      'key',
      undefined,
    ]);
  });

  it('does not cache a long value', () => {
    const { find, hashes } = createKnownKeys(['key']);
    for (const value of ['x'.repeat(512), 'y'.repeat(513)]) find(value);
    expect([hashes('x'.repeat(512)), hashes('y'.repeat(513))]).toEqual([0, 1]);
  });
});

describe('the cache of KnownKeys', () => {
  it('evicts the oldest value that is not a key', () => {
    const { find, hashes } = createKnownKeys(['key']);
    const values = names(1001, 'none');
    for (const value of values) find(value);
    expect(values.slice(1).map(hashes)).toEqual(values.slice(1).map(() => 0));
    expect(hashes('none-0')).toBe(1);
  });

  it('does not evict a key because of many unknown values', () => {
    const { find, hashes } = createKnownKeys(['key']);
    find('key');
    for (const value of names(1500, 'none')) find(value);
    expect(hashes('key')).toBe(0);
  });

  it('evicts the oldest key', () => {
    const values = names(10_001, 'key');
    const { find, hashes } = createKnownKeys(values);
    for (const value of values) find(value);
    expect([hashes('key-1'), hashes('key-10000'), hashes('key-0')]).toEqual([0, 0, 1]);
  });
});
