import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bounded, boundedHeaders, boundedOrNull, boundedTexts, first, shrink, shrunk } from './bounds.ts';

const limits = { members: 8, characters: 200, levels: 3 };

/** The text of nested objects, which no parser of JSON minds. */
const deep = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('what a record keeps', () => {
  it.each([
    ['a short text', 'abc', 'abc'],
    ['the beginning of a long one', 'x'.repeat(30), `${'x'.repeat(10)}…`],
    ['no half of a character', `${'x'.repeat(9)}🙂`, `${'x'.repeat(9)}\ufffd…`],
    ['no secret that is cut', '/?key=abcdefghijkl', '/?key=***'],
  ])('%s', (_, text, kept) => {
    expect(bounded(text, 10)).toBe(kept);
  });

  it('is nothing of what lies deep, and never more than was agreed', () => {
    expect(shrunk(deep(5000), limits)).toEqual({ a: { a: { a: '…' } } });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 12 }), (value) => {
        // A character of JSON takes six bytes at the most.
        expect(JSON.stringify(shrunk(value, limits)).length).toBeLessThan(200 * 6 + 400);
      }),
    );
  });

  it('are values as they were, where they are small', () => {
    const labels = { team: 'search', list: ['a', 1, true, null], more: { a: 'b' } };
    expect(shrunk(labels, { members: 64, characters: 4096, levels: 4 })).toEqual(labels);
  });

  it.each<[string, unknown, unknown]>([
    ['as many members as there may be', { a: 1, b: 2, c: 3 }, { a: 1, b: 2, c: 3 }],
    ['the first members of more', { a: 1, b: 2, c: 3, d: 4 }, { a: 1, b: 2, c: 3 }],
    ['the first elements of more', [1, 2, 3, 4], [1, 2, 3]],
    ['texts as far as there is room', { a: 'x'.repeat(30), b: 'y'.repeat(30) }, { a: 'x'.repeat(30), b: '…' }],
    ['nothing where there is no room', { a: 'x'.repeat(60), b: 'y' }, { a: `${'x'.repeat(35)}…` }],
    ['numbers and names as far as there is room', { [`a${'x'.repeat(20)}`]: 1, b: 2 }, { [`a${'x'.repeat(20)}`]: 1, b: 2 }],
    [
      'no number behind many',
      [[1, 2, 3], [1, 2, 3], 4],
      [
        [1, 2, 3],
        [1, 2],
      ],
    ],
    ['what JSON has no word for as a mark', { a: undefined, b: 7n }, { a: '…', b: '…' }],
    ['what lies too deep as a mark', [[[1]], 'a'], [['…'], 'a']],
    ['true and nothing', [true, null], [true, null]],
  ])('of a value: %s', (_, value, kept) => {
    expect(shrink(value, { members: 3, characters: 40, levels: 2 })).toEqual(kept);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['too many members', { a: 1, b: 2, c: 3, d: 4 }],
    ['a text that is too long', { a: 'x'.repeat(41) }],
    ['texts that are too long together', { a: 'x'.repeat(15), b: 'y'.repeat(15) }],
    ['a name that is too long', { ['x'.repeat(41)]: 1 }],
    ['names that are too long together', { ['x'.repeat(15)]: 1, ['y'.repeat(15)]: 1 }],
    ['a value that lies deeper', { a: { b: { c: { d: 1 } } } }],
  ])('is not the same value with %s', (_, value) => {
    expect(shrunk(value, { members: 3, characters: 40, levels: 2 })).not.toBe(value);
    const small = { a: 'x'.repeat(10), b: true };
    expect(shrunk(small, { members: 3, characters: 40, levels: 2 })).toBe(small);
  });

  it('hides secrets in a value, by their names and in addresses', () => {
    const value = { api_key: 'k', list: [{ password: 'p' }], url: 'https://h.example/?key=abc', other: 'o' };
    const masked = { api_key: '***', list: [{ password: '***' }], url: 'https://h.example/?key=***', other: 'o' };
    expect(shrink(value, { ...limits, masks: true })).toEqual(masked);
    expect(shrink(value, limits)).toEqual(value);
  });

  it('are the first headers, each as far as it fits', () => {
    const many = Array.from({ length: 500 }, (_, i) => [`x-${i}`, 'v'.repeat(100)] as const);
    const kept = boundedHeaders(['x-long', 'y'.repeat(60_000), ...many.flat()]);
    expect(kept['x-long']).toHaveLength(1025);
    expect(JSON.stringify(kept).length).toBeLessThan(10_000);
    expect(kept['x-0']).toBe('v'.repeat(100));
  });

  it('is metadata as it was, or the first of it', () => {
    const small = { a: 'b' };
    expect(boundedTexts(small)).toBe(small);
    const large = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, 'v'.repeat(128)]));
    expect(Object.keys(boundedTexts(large)).length).toBeLessThanOrEqual(64);
  });
});

describe('exactly at a bound', () => {
  const texts = (count: number, value: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, value]));

  it.each([
    ['a'.repeat(10), 'a'.repeat(10)],
    ['a'.repeat(11), `${'a'.repeat(10)}…`],
    ['', ''],
  ])('a text %j is %j', (text, kept) => {
    expect(bounded(text, 10)).toBe(kept);
  });

  it('a text that is missing or empty is null', () => {
    expect([boundedOrNull(undefined, 5), boundedOrNull('', 5), boundedOrNull('abc', 5)]).toEqual([null, null, 'abc']);
  });

  it('the list that fits is the same list', () => {
    const list = [1, 2, 3];
    expect([first(list, 3), first(list, 2)]).toEqual([list, [1, 2]]);
    expect(first(list, 3)).toBe(list);
  });

  it.each([
    [64, 64],
    [65, 64],
  ])('of %i headers are kept %i', (sent, kept) => {
    expect(Object.keys(boundedHeaders(Object.entries(texts(sent, 'v')).flat()))).toHaveLength(kept);
  });

  it('a header of 1024 characters is kept whole, and of all of them 8 KB', () => {
    expect(boundedHeaders(['x-a', 'v'.repeat(1024), 'x-b', 'v'.repeat(1025)])).toEqual({
      'x-a': 'v'.repeat(1024),
      'x-b': `${'v'.repeat(1024)}…`,
    });
    const eight = Object.entries(texts(8, 'v'.repeat(1021))).flat();
    expect(Object.keys(boundedHeaders(eight))).toHaveLength(8);
    expect(Object.keys(boundedHeaders(['y', '', ...eight]))).toHaveLength(8);
  });

  it.each([
    [64, 64],
    [65, 64],
  ])('of %i texts are kept %i', (sent, kept) => {
    expect(Object.keys(boundedTexts(texts(sent, 'v')))).toHaveLength(kept);
  });
});
