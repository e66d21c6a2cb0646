import { expect, it } from 'vitest';
import { LruCache } from './lru-cache.ts';

const keys = ['a', 'b', 'c', 'd', 'e'] as const;

const valuesOf = (cache: LruCache<number>): readonly (number | undefined)[] => keys.map((key) => cache.get(key));

function filled(): LruCache<number> {
  const cache = new LruCache<number>(10);
  for (const [index, cost] of [4, 4, 2].entries()) cache.set(keys[index] ?? '', index, cost);
  return cache;
}

it.each<[string, (cache: LruCache<number>) => void, readonly (number | undefined)[]]>([
  ['keeps all within its budget', () => {}, [0, 1, 2, undefined, undefined]],
  ['removes the oldest', (cache) => cache.set('d', 3, 4), [undefined, 1, 2, 3, undefined]],
  ['removes as many as it must', (cache) => cache.set('d', 3, 5), [undefined, undefined, 2, 3, undefined]],
  [
    'keeps the ones read last, whatever their order was',
    (cache) => {
      for (const key of ['c', 'b', 'a']) cache.get(key);
      cache.set('d', 3, 2);
    },
    [0, 1, undefined, 3, undefined],
  ],
  [
    'replaces a value',
    (cache) => {
      cache.set('a', 9, 2);
      cache.set('d', 3, 2);
    },
    [9, 1, 2, 3, undefined],
  ],
  ['can be emptied by one value', (cache) => cache.set('d', 3, 10), [undefined, undefined, undefined, 3, undefined]],
  ['does not add a value larger than its budget', (cache) => cache.set('d', 3, 11), [0, 1, 2, undefined, undefined]],
  [
    'drops a value that is replaced by one larger than its budget',
    (cache) => cache.set('b', 3, 11),
    [0, undefined, 2, undefined, undefined],
  ],
])('%s', (_what, change, expected) => {
  const cache = filled();
  change(cache);
  expect(valuesOf(cache)).toEqual(expected);
});

it('can be filled again after it was empty', () => {
  const cache = filled();
  for (const key of keys) cache.set(key, 9, 11);
  cache.set('a', 1, 5);
  cache.set('b', 2, 5);
  cache.set('c', 3, 5);
  expect(valuesOf(cache)).toEqual([undefined, 2, 3, undefined, undefined]);
});
