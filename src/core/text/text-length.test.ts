import { expect, it } from 'vitest';
import { isLongerThan } from './text-length.ts';

it.each([
  ['abc', 3, false],
  ['abcd', 3, true],
  // Two code units each, one character.
  ['\u{1f600}\u{1f600}\u{1f600}', 3, false],
  ['\u{1f600}\u{1f600}\u{1f600}\u{1f600}', 3, true],
  // Known without counting: an array of the characters would not fit into memory.
  ['x'.repeat(500_000_000), 3, true],
])('isLongerThan: row %#', (text, limit, expected) => {
  expect(isLongerThan(text, limit)).toBe(expected);
});
