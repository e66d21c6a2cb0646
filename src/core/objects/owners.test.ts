import { expect, it } from 'vitest';
import { canonicalId, couldBeId } from './owners.ts';

it.each([
  ['file-1', 'file-1'],
  ['gs%3A%2F%2Fb%2Fa%20b', 'gs://b/a b'],
  ['gs%253A%252F%252Fb', 'gs://b'],
  ['a%25252562', 'a%62'],
  ['GS://Bucket/A', 'gs://Bucket/A'],
  // An address that is decoded is one name: its own escapes are part of it.
  ['gs://b/a%2520b', 'gs://b/a%2520b'],
  ['a%zz', 'a%zz'],
  ['a%25zz', 'a%zz'],
  ['', ''],
])('compares the id %j as %j', (id, canonical) => {
  expect(canonicalId(id)).toBe(canonical);
});

it.each([
  ['abc', false],
  ['abcd', true],
  ['ab cd', false],
  ['ab\ncd', false],
  ['gs://bucket/a b', true],
  ['GS://b/a b', true],
  ['see gs://bucket/a b', false],
  ['1s://b/a b', false],
  ['x'.repeat(4096), true],
  ['x'.repeat(4097), false],
])('row %#: could be an id', (text, expected) => {
  expect(couldBeId(text)).toBe(expected);
});
