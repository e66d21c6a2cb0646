import { expect, it } from 'vitest';
import { hopTexts } from './hops.ts';

it.each<[readonly string[], readonly string[]]>([
  [[], []],
  [['a 429'], ['a 429']],
  [
    ['a 429', 'a 429', 'b 500'],
    ['a 429 ×2', 'b 500'],
  ],
  [
    ['a 429', 'a timeout', 'a 429'],
    ['a 429', 'a timeout', 'a 429'],
  ],
])('hopTexts(%j) returns %j', (hops, texts) => {
  const hopList = hops.map((hop) => ({ provider: hop.split(' ')[0] ?? '', said: hop.split(' ')[1] ?? '' }));
  expect(hopTexts(hopList)).toEqual(texts);
});
