import { describe, expect, it } from 'vitest';
import { merge } from './merge.ts';

const parsed = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('merge', () => {
  it.each([
    ['members of both', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ['the second value replaces the first', { a: 1 }, { a: 2 }, { a: 2 }],
    ['objects by member', { a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
    ['an object replaces a scalar', { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    ['a scalar replaces an object', { a: { b: 2 } }, { a: 1 }, { a: 1 }],
    ['null replaces an object', { a: { b: 2 } }, { a: null }, { a: null }],
    ['lists are replaced', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['an object replaces a list', { a: [1] }, { a: { b: 2 } }, { a: { b: 2 } }],
    ['an object replaces null', { a: null }, { a: { b: 2 } }, { a: { b: 2 } }],
    ['names of inherited properties', {}, { toString: { a: 1 } }, { toString: { a: 1 } }],
  ])('merges: %s', (_name, base, override, expected) => {
    expect(merge(base, override)).toEqual(expected);
  });

  it.each([
    ['at the top', '{"__proto__":{"polluted":true},"a":1}'],
    ['in a nested object', '{"a":{"__proto__":{"polluted":true}}}'],
  ])('never changes the prototype of an object: %s', (_name, override) => {
    const merged = merge({ a: {} }, parsed(override));
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect('polluted' in merged).toBe(false);
    expect('polluted' in Object(merged['a'])).toBe(false);
    expect('polluted' in {}).toBe(false);
  });

  it('changes neither input', () => {
    const base = { a: { b: 1 } };
    const override = { a: { c: 2 } };
    const merged = merge(base, override);
    expect([base, override, merged]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }]);
    expect(merged['a']).not.toBe(base.a);
  });
});
