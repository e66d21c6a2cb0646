import { expect, it } from 'vitest';
import { parseWindowLimit, type WindowLimit } from './caller-limits.ts';
import { Rates } from './rates.ts';

const rate = (text: string): WindowLimit => {
  const limit = parseWindowLimit(text);
  if (limit === undefined) throw new Error(`${text} is not a rate`);
  return limit;
};
const noon = Date.parse('2026-11-21T12:00:00Z');

/** Counts at `clock.now`. */
function createRates() {
  const clock = { now: noon };
  return { clock, rates: new Rates(() => clock.now) };
}

it('accepts as many requests as the rate allows, for each caller alone', () => {
  const { rates, clock } = createRates();
  const waits = ['one', 'one', 'one', 'other'].map((caller) => rates.take(caller, rate('2/min')));
  expect(waits).toEqual([0, 0, 60_000, 0]);
  clock.now += 60_000;
  expect(rates.take('one', rate('2/min'))).toBe(0);
});

it.each([
  [3, { count: 3, at: noon, waitMs: 0 }],
  [10, { count: 10, at: noon, waitMs: 0 }],
  [99, { count: 10, at: noon, waitMs: 0 }],
])('grants %i requests of 10', (most, grant) => {
  const { rates } = createRates();
  expect(rates.grant('app', rate('10/min'), most)).toEqual(grant);
  expect(rates.grant('app', rate('10/min'), 99).count).toBe(10 - grant.count);
});

it('grants nothing, and says how long, once all are used', () => {
  const { rates, clock } = createRates();
  rates.grant('app', rate('10/min'), 10);
  clock.now += 1000;
  expect(rates.grant('app', rate('10/min'), 5)).toEqual({ count: 0, at: clock.now, waitMs: 59_000 });
});

it.each([
  ['of this window', 0, 10, 6],
  ['of the window before', 30_000, 10, 6],
  ['of a window that is over', 120_000, 10, 0],
  ['that were never granted', 0, 99, 0],
])('does not count unused requests %s', (_, later, unused, used) => {
  const { rates, clock } = createRates();
  clock.now += 50_000;
  const { at } = rates.grant('app', rate('16/min'), 16);
  clock.now += later;
  expect(rates.grant('app', rate('16/min'), 99, { count: unused, at }).count).toBe(16 - used);
});

it('grants no part of a request', () => {
  const { rates, clock } = createRates();
  for (const second of [0, 10, 20, 75]) {
    clock.now = noon + second * 1000;
    // In the end, half a request is still within the last minute.
    expect(rates.grant('app', rate('3/min'), second < 75 ? 1 : 99).count).toBe(second < 75 ? 1 : 2);
  }
});

it('keeps the counts of a rate whose number a reload changes, and counts another unit anew', () => {
  const { rates } = createRates();
  for (let i = 0; i < 3; i += 1) rates.take('app', rate('3/min'));
  expect(rates.take('app', rate('4/min'))).toBe(0);
  expect(rates.take('app', rate('4/min'))).toBeGreaterThan(0);
  expect(rates.take('app', rate('1/h'))).toBe(0);
  expect(rates.take('app', rate('4/min'))).toBeGreaterThan(0);
});

it('shows what counts now, in whole requests, and keeps nothing of callers that it does not know', () => {
  const { rates, clock } = createRates();
  const shown = (): number[] => [rates.used('app', rate('10/min')), rates.used('app', rate('10/h')), rates.used('other', rate('10/min'))];
  rates.grant('app', rate('10/min'), 3);
  expect(shown()).toEqual([3, 0, 0]);
  clock.now += 10_000;
  rates.grant('app', rate('10/min'), 2);
  clock.now += 52_000;
  // Of the window before, three and a part of a fourth still count.
  expect(shown()).toEqual([4, 0, 0]);
  expect(rates.grant('app', rate('10/min'), 99).count).toBe(6);
  clock.now += 180_000;
  expect(shown()).toEqual([0, 0, 0]);
});
