import { expect, it } from 'vitest';
import { isRequestOverride, joinHeaders } from './headers.ts';

it.each([
  ['x-forwarded-for', true],
  ['x-forwarded-anything', true],
  ['forwarded', true],
  ['x_original_url', true],
  ['x-original-url', true],
  ['x-forwarded', false],
  ['my-x-forwarded-for', false],
  ['x-request-id', false],
  ['host', false],
])('isRequestOverride returns for header %s: %s', (name, expected) => {
  expect(isRequestOverride(name)).toBe(expected);
});

it.each<[own: string[], copies: string[], joined: string[]]>([
  [[], [], []],
  [['a', '1', 'b', '2'], [], ['a', '1', 'b', '2']],
  [[], ['a', '1'], ['a', '1']],
  [
    ['a', '1', 'b', '2'],
    ['c', '3', 'a', '4'],
    ['b', '2', 'c', '3', 'a', '4'],
  ],
  // Values are not compared as names.
  [
    ['a', 'b'],
    ['x', 'a'],
    ['a', 'b', 'x', 'a'],
  ],
  [
    ['a', '1', 'a', '2'],
    ['a', '3'],
    ['a', '3'],
  ],
])('joinHeaders merges %j with %j', (first, second, joined) => {
  expect(joinHeaders(first, second)).toEqual(joined);
});
