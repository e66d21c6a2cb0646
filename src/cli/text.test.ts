import { expect, it } from 'vitest';
import { truncate, jsonLine, jsonText, table, textWidth } from './text.ts';

it.each([
  ['abc', 3],
  ['', 0],
  ['日本', 4],
  ['한국어', 6],
  ['ﬁn', 2],
  ['e\u0301a', 2],
  ['→…×', 3],
  ['🙂', 2],
  ['👩‍👩‍👧', 2],
  ['❤️', 2],
  ['a\u200bb', 2],
  ['ＡＢ', 4],
  ['𠀀', 2],
])('textWidth() of %j is %i columns', (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

it.each([
  ['abcdef', 4, 'abc…'],
  ['abcd', 4, 'abcd'],
  ['日本語', 6, '日本語'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['🙂🙂', 3, '🙂…'],
  ['ab', 1, '…'],
])('truncate() of %j in %i columns is %j', (text, columns, expected) => {
  expect(truncate(text, columns)).toBe(expected);
});

it.each([jsonText, jsonLine])('escapes control characters in JSON without changing the value: %s', (write) => {
  const value = { 'a\u009b2J': ['\u001b]0;x\u0007', '\u007f\u0085\u009b31m', 'abc\u202etxt\u200f', '日本 👩‍👩‍👧'] };
  const text = write(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text.replaceAll(/[\n "\\\w[\]{},:;日本]/g, '')).toBe('👩‍👩‍👧');
});

it('table() aligns its columns', () => {
  expect(
    table([
      ['NAME', 'STATE'],
      ['日本', 'ok'],
      ['e\u0301', 'off'],
    ]),
  ).toBe('NAME  STATE\n日本  ok\ne\u0301     off\n');
});
