import { describe, expect, it } from 'vitest';
import { unixSeconds } from './objects.ts';

describe('unixSeconds', () => {
  it.each([
    ['seconds', 1_767_312_000, 1_767_312_000],
    ['a fraction of seconds', 1_767_312_000.9, 1_767_312_000],
    ['milliseconds', 1_767_312_000_999, 1_767_312_000],
    ['the largest number that means seconds', 1e11, 1e11],
    ['the smallest number that means milliseconds', 1e11 + 1000, 1e8 + 1],
    ['zero', 0, 0],
    ['digits', '1767312000', 1_767_312_000],
    ['a string of milliseconds', '1767312000999', 1_767_312_000],
    ['a date', '2026-01-02T00:00:00Z', 1_767_312_000],
    ['a date with fractional seconds', '2026-01-02T00:00:00.999Z', 1_767_312_000],
    ['a date with an offset', '2026-01-02T01:00:00+01:00', 1_767_312_000],
    ['a string that is not a date', 'soon', null],
    ['an empty string', '', null],
    ['NaN', Number.NaN, null],
    ['infinity', Number.POSITIVE_INFINITY, null],
    ['null', null, null],
    ['an object', { seconds: 1 }, null],
  ])('converts %s', (_name, value, seconds) => {
    expect(unixSeconds(value)).toBe(seconds);
  });
});
