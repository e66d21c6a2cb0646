import { expect, it } from 'vitest';
import { shortList } from './wording.ts';

it.each([
  [[], ''],
  [['a', 'b'], 'a, b'],
  [['a', 'b', 'c'], 'a, b, …'],
])('shortList() of %j with at most two items is %j', (items, text) => {
  expect(shortList(items, 2)).toBe(text);
});
