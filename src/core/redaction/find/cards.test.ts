import { describe, expect, it } from 'vitest';
import { cardLengths, isCard } from './cards.ts';

/** First and last prefixes of each range with their neighbours, and the valid lengths of their numbers. */
const ranges: readonly (readonly [beginnings: readonly number[], lengths: readonly number[]])[] = [
  [
    [2200, 2204, 3528, 3589, 6011, 6200, 6299, 6440, 6499, 6500, 6599],
    [16, 17, 18, 19],
  ],
  [[2221, 2720, 5100, 5599], [16]],
  [[3400, 3499, 3700, 3799], [15]],
  [
    [3000, 3059, 3095, 3600, 3699, 3800, 3899, 3900, 3999],
    [14, 16],
  ],
  [
    [5018, 5020, 5038, 5893, 6304, 6759, 6761, 6763],
    [13, 14, 15, 16, 17, 18, 19],
  ],
  [
    [4000, 4999],
    [13, 16, 19],
  ],
];
const unusedPrefixes = [
  1111, 2000, 2199, 2205, 2220, 2721, 3060, 3094, 3096, 3100, 3399, 3500, 3527, 3590, 5000, 5017, 5019, 5021, 5037, 5039, 5600, 5892, 5894,
  6010, 6012, 6199, 6300, 6303, 6305, 6439, 6600, 6758, 6760, 6764, 7000, 8999, 9999,
];

const lengthsOf = (prefix: number): number[] => {
  const bits = cardLengths(prefix * 100 + 7);
  return Array.from({ length: 32 }, (_, length) => length).filter((length) => ((bits >> length) & 1) === 1);
};

describe('card numbers', () => {
  it.each(ranges)('with one of the prefixes %j have the lengths %j', (prefixes, lengths) => {
    expect(prefixes.map((prefix) => [prefix, lengthsOf(prefix)])).toEqual(prefixes.map((prefix) => [prefix, lengths]));
  });

  it('have no valid length with another prefix', () => {
    expect(unusedPrefixes.filter((prefix) => lengthsOf(prefix).length > 0)).toEqual([]);
  });

  it.each([
    ['4111111111111111', true],
    ['4111111111111112', false],
    ['41111111111111111', false],
    ['4222222222222', true],
    ['4000000000000000006', true],
    ['4000000000000000007', false],
  ])('isCard(%s)', (digits, expected) => {
    expect(isCard(digits)).toBe(expected);
  });
});
