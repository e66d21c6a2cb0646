import { expect, it } from 'vitest';
import { canonicalId, couldBeId } from './owners.ts';

it.each([
  ['file-1', 'file-1'],
  ['gs%3A%2F%2Fb%2Fa%20b', 'gs://b/a b'],
  ['gs%253A%252F%252Fb', 'gs://b'],
  ['a%25252562', 'a%62'],
  ['GS://Bucket/A', 'gs://Bucket/A'],
  // An address is decoded once: its remaining escapes are part of the name.
  ['gs://b/a%2520b', 'gs://b/a%2520b'],
  ['a%zz', 'a%zz'],
  ['a%25zz', 'a%zz'],
  ['', ''],
])('canonicalId(%j) returns %j', (id, canonical) => {
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
])('couldBeId: row %#', (text, expected) => {
  expect(couldBeId(text)).toBe(expected);
});
