import { describe, expect, it } from 'vitest';
import { merge } from './merge.ts';

const parsed = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('merging', () => {
  it.each([
    ['members of both', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ['the second one wins', { a: 1 }, { a: 2 }, { a: 2 }],
    ['objects member by member', { a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
    ['an object replaces a scalar', { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    ['a scalar replaces an object', { a: { b: 2 } }, { a: 1 }, { a: 1 }],
    ['null replaces an object', { a: { b: 2 } }, { a: null }, { a: null }],
    ['lists are replaced', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['a list is no object to merge into', { a: [1] }, { a: { b: 2 } }, { a: { b: 2 } }],
    ['an object merges into nothing', { a: null }, { a: { b: 2 } }, { a: { b: 2 } }],
    ['names of every object', {}, { toString: { a: 1 } }, { toString: { a: 1 } }],
  ])('%s', (_name, under, over, expected) => {
    expect(merge(under, over)).toEqual(expected);
  });

  it.each([
    ['at the top', '{"__proto__":{"polluted":true},"a":1}'],
    ['below', '{"a":{"__proto__":{"polluted":true}}}'],
  ])('gives no object another prototype: %s', (_where, over) => {
    const merged = merge({ a: {} }, parsed(over));
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect('polluted' in merged).toBe(false);
    expect('polluted' in Object(merged['a'])).toBe(false);
    expect('polluted' in {}).toBe(false);
  });

  it('changes neither of the two', () => {
    const under = { a: { b: 1 } };
    const over = { a: { c: 2 } };
    const merged = merge(under, over);
    expect([under, over, merged]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }]);
    expect(merged['a']).not.toBe(under.a);
  });
});
