import { expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

it('BoundedCache keeps the most recently used entries within its budget', () => {
  const cache = new BoundedCache<number>(10);
  for (const [i, cost] of [4, 4, 2].entries()) cache.set(`k${i}`, i, cost);
  expect([...cache.values()]).toEqual([0, 1, 2]);
  expect(cache.get('k0')).toBe(0);
  cache.set('k3', 3, 5);
  expect(['k0', 'k1', 'k2', 'k3'].map((key) => cache.get(key))).toEqual([0, undefined, undefined, 3]);
  cache.set('large', 9, 11);
  expect([cache.get('large'), new Set(cache.values())]).toEqual([undefined, new Set([0, 3])]);
});
