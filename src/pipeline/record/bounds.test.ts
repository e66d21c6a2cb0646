import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bounded, boundedHeaders, boundedOrNull, boundedTexts, firstItems, shrink, shrinkIfNeeded } from './bounds.ts';

const limits = { members: 8, characters: 200, levels: 3 };

/** Nested objects, parsed from JSON text. */
const nestedJson = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('bounds of a record', () => {
  it.each([
    ['a short text unchanged', 'abc', 'abc'],
    ['the beginning of a long text', 'x'.repeat(30), `${'x'.repeat(10)}…`],
    ['a replacement for half a surrogate pair', `${'x'.repeat(9)}🙂`, `${'x'.repeat(9)}\ufffd…`],
    ['a masked secret that would be truncated', '/?key=abcdefghijkl', '/?key=***'],
  ])('bounded() returns %s', (_, text, expected) => {
    expect(bounded(text, 10)).toBe(expected);
  });

  it('shrunk() removes deeply nested values and stays within the agreed size', () => {
    expect(shrinkIfNeeded(nestedJson(5000), limits)).toEqual({ a: { a: { a: '…' } } });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 12 }), (value) => {
        // A character takes at most six bytes in JSON.
        expect(JSON.stringify(shrinkIfNeeded(value, limits)).length).toBeLessThan(200 * 6 + 400);
      }),
    );
  });

  it('shrunk() returns small values unchanged', () => {
    const labels = { team: 'search', list: ['a', 1, true, null], more: { a: 'b' } };
    expect(shrinkIfNeeded(labels, { members: 64, characters: 4096, levels: 4 })).toEqual(labels);
  });

  it.each<[string, unknown, unknown]>([
    ['all members at the limit', { a: 1, b: 2, c: 3 }, { a: 1, b: 2, c: 3 }],
    ['the first members beyond the limit', { a: 1, b: 2, c: 3, d: 4 }, { a: 1, b: 2, c: 3 }],
    ['the first elements beyond the limit', [1, 2, 3, 4], [1, 2, 3]],
    ['texts up to the character limit', { a: 'x'.repeat(30), b: 'y'.repeat(30) }, { a: 'x'.repeat(30), b: '…' }],
    ['no members after the character limit', { a: 'x'.repeat(60), b: 'y' }, { a: `${'x'.repeat(35)}…` }],
    ['numbers and names up to the character limit', { [`a${'x'.repeat(20)}`]: 1, b: 2 }, { [`a${'x'.repeat(20)}`]: 1, b: 2 }],
    [
      'no number after the character limit',
      [[1, 2, 3], [1, 2, 3], 4],
      [
        [1, 2, 3],
        [1, 2],
      ],
    ],
    ['"…" for values that JSON cannot represent', { a: undefined, b: 7n }, { a: '…', b: '…' }],
    ['"…" for values nested too deep', [[[1]], 'a'], [['…'], 'a']],
    ['true and null', [true, null], [true, null]],
  ])('shrink() keeps %s', (_, value, expected) => {
    expect(shrink(value, { members: 3, characters: 40, levels: 2 })).toEqual(expected);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['too many members', { a: 1, b: 2, c: 3, d: 4 }],
    ['a text that is too long', { a: 'x'.repeat(41) }],
    ['texts that are too long together', { a: 'x'.repeat(15), b: 'y'.repeat(15) }],
    ['a name that is too long', { ['x'.repeat(41)]: 1 }],
    ['names that are too long together', { ['x'.repeat(15)]: 1, ['y'.repeat(15)]: 1 }],
    ['a value nested too deep', { a: { b: { c: { d: 1 } } } }],
  ])('shrunk() returns a new value for %s', (_, value) => {
    expect(shrinkIfNeeded(value, { members: 3, characters: 40, levels: 2 })).not.toBe(value);
    const smallValue = { a: 'x'.repeat(10), b: true };
    expect(shrinkIfNeeded(smallValue, { members: 3, characters: 40, levels: 2 })).toBe(smallValue);
  });

  it('shrink() masks secrets by member names and in URLs if asked to', () => {
    const value = { api_key: 'k', list: [{ password: 'p' }], url: 'https://h.example/?key=abc', other: 'o' };
    const masked = { api_key: '***', list: [{ password: '***' }], url: 'https://h.example/?key=***', other: 'o' };
    expect(shrink(value, { ...limits, masks: true })).toEqual(masked);
    expect(shrink(value, limits)).toEqual(value);
  });

  it('boundedHeaders() keeps the first headers and truncates long values', () => {
    const manyHeaders = Array.from({ length: 500 }, (_, i) => [`x-${i}`, 'v'.repeat(100)] as const);
    const headers = boundedHeaders(['x-long', 'y'.repeat(60_000), ...manyHeaders.flat()]);
    expect(headers['x-long']).toHaveLength(1025);
    expect(JSON.stringify(headers).length).toBeLessThan(10_000);
    expect(headers['x-0']).toBe('v'.repeat(100));
  });

  it('boundedTexts() returns small metadata unchanged and the first members of large metadata', () => {
    const smallValue = { a: 'b' };
    expect(boundedTexts(smallValue)).toBe(smallValue);
    const largeValue = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, 'v'.repeat(128)]));
    expect(Object.keys(boundedTexts(largeValue)).length).toBeLessThanOrEqual(64);
  });
});

describe('exactly at the limit of a record', () => {
  const texts = (count: number, value: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, value]));

  it.each([
    ['a'.repeat(10), 'a'.repeat(10)],
    ['a'.repeat(11), `${'a'.repeat(10)}…`],
    ['', ''],
  ])('bounded() turns the text %j into %j', (text, expected) => {
    expect(bounded(text, 10)).toBe(expected);
  });

  it('boundedOrNull() returns null for a missing or empty text', () => {
    expect([boundedOrNull(undefined, 5), boundedOrNull('', 5), boundedOrNull('abc', 5)]).toEqual([null, null, 'abc']);
  });

  it('first() returns the same list if it fits', () => {
    const list = [1, 2, 3];
    expect([firstItems(list, 3), firstItems(list, 2)]).toEqual([list, [1, 2]]);
    expect(firstItems(list, 3)).toBe(list);
  });

  it.each([
    [64, 64],
    [65, 64],
  ])('boundedHeaders() with %i headers keeps %i', (sent, keptCount) => {
    expect(Object.keys(boundedHeaders(Object.entries(texts(sent, 'v')).flat()))).toHaveLength(keptCount);
  });

  it('boundedHeaders() keeps 1024 characters of a header and 8 KB in total', () => {
    expect(boundedHeaders(['x-a', 'v'.repeat(1024), 'x-b', 'v'.repeat(1025)])).toEqual({
      'x-a': 'v'.repeat(1024),
      'x-b': `${'v'.repeat(1024)}…`,
    });
    const eightTexts = Object.entries(texts(8, 'v'.repeat(1021))).flat();
    expect(Object.keys(boundedHeaders(eightTexts))).toHaveLength(8);
    expect(Object.keys(boundedHeaders(['y', '', ...eightTexts]))).toHaveLength(8);
  });

  it.each([
    [64, 64],
    [65, 64],
  ])('boundedTexts() with %i texts keeps %i', (sent, keptCount) => {
    expect(Object.keys(boundedTexts(texts(sent, 'v')))).toHaveLength(keptCount);
  });
});
