import { expect, it } from 'vitest';
import { Lru } from './lru.ts';

it('keeps what was asked for last, up to its budget', () => {
  const lru = new Lru<number>(10);
  for (const [i, cost] of [4, 4, 2].entries()) lru.set(`k${i}`, i, cost);
  expect(lru.size).toBe(3);
  expect(lru.get('k0')).toBe(0);
  lru.set('k3', 3, 5);
  expect(['k0', 'k1', 'k2', 'k3'].map((key) => lru.get(key))).toEqual([0, undefined, undefined, 3]);
  lru.set('large', 9, 11);
  expect([lru.get('large'), lru.get('k3'), lru.size]).toEqual([undefined, 3, 2]);
});
