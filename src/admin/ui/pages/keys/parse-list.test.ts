import { expect, it } from 'vitest';
import { parseList } from './parse-list.ts';

it.each([
  ['', undefined],
  [' , ', undefined],
  ['a,b', ['a', 'b']],
  [' my config , other,', ['my config', 'other']],
])('the list %j is parsed as %j', (text, names) => {
  expect(parseList(text)).toEqual(names);
});
