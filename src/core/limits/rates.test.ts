import { expect, it } from 'vitest';
import { parseWindowLimit, type WindowLimit } from './caller-limits.ts';
import { Rates } from './rates.ts';

const rate = (text: string): WindowLimit => {
  const limit = parseWindowLimit(text);
  if (limit === undefined) throw new Error(`${text} is not a rate`);
  return limit;
};
const noon = Date.parse('2026-11-21T12:00:00Z');

it('accepts as many requests as the rate allows, for each caller alone', () => {
  const rates = new Rates();
  const waits = ['one', 'one', 'one', 'other'].map((caller) => rates.take(caller, rate('2/min'), noon));
  expect(waits).toEqual([0, 0, 60_000, 0]);
  expect(rates.take('one', rate('2/min'), noon + 60_000)).toBe(0);
});

it.each([
  [3, { count: 3, waitMs: 0 }],
  [10, { count: 10, waitMs: 0 }],
  [99, { count: 10, waitMs: 0 }],
])('grants %i requests of 10', (most, grant) => {
  const rates = new Rates();
  expect(rates.grant('app', rate('10/min'), most, noon)).toEqual(grant);
  expect(rates.grant('app', rate('10/min'), 99, noon).count).toBe(10 - grant.count);
});

it('grants nothing, and says how long, once all are used', () => {
  const rates = new Rates();
  rates.grant('app', rate('10/min'), 10, noon);
  expect(rates.grant('app', rate('10/min'), 5, noon + 1000)).toEqual({ count: 0, waitMs: 59_000 });
});

it('grants no part of a request', () => {
  const rates = new Rates();
  for (const second of [0, 10, 20]) rates.take('app', rate('3/min'), noon + second * 1000);
  // Half a request is still within the last minute.
  expect(rates.grant('app', rate('3/min'), 99, noon + 75_000).count).toBe(2);
});

it('keeps the counts of a rate whose number a reload changes, and counts another unit anew', () => {
  const rates = new Rates();
  for (let i = 0; i < 3; i += 1) rates.take('app', rate('3/min'), noon);
  expect(rates.take('app', rate('4/min'), noon)).toBe(0);
  expect(rates.take('app', rate('4/min'), noon)).toBeGreaterThan(0);
  expect(rates.take('app', rate('1/h'), noon)).toBe(0);
  expect(rates.take('app', rate('4/min'), noon)).toBeGreaterThan(0);
});
