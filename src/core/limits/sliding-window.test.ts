import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlidingWindow } from './sliding-window.ts';

const minute = 60_000;

/** A window with these counts. */
function windowWith(...counts: readonly (readonly [at: number, count: number])[]): SlidingWindow {
  const window = new SlidingWindow(minute);
  for (const [at, count] of counts) window.add(count, at);
  return window;
}

/** Six uses, one every ten seconds. */
const everyTenSeconds = [0, 10_000, 20_000, 30_000, 40_000, 50_000].map((at) => [at, 1] as const);

describe('used()', () => {
  it.each([
    ['nothing', [], 0, 0],
    [
      'the whole current window',
      [
        [0, 3],
        [59_999, 4],
      ],
      59_999,
      7,
    ],
    ['all of the window before until its first use is a window ago', [[5000, 6]], minute + 4999, 6],
    ['nothing of it once its last use is a window ago', [[5000, 6]], minute + 5000, 0],
    ['the part of it that is less than a window ago', everyTenSeconds, minute + 20_000, 3],
    ['the current window and the rest of the one before', [...everyTenSeconds, [minute, 2]], minute + 30_000, 4],
    ['nothing of earlier windows', [[0, 6]], 2 * minute, 0],
  ] as const)('counts %s', (_, counts, now, used) => {
    expect(windowWith(...counts).used(now)).toBe(used);
  });

  it('keeps what was counted when the system time is set back', () => {
    const window = windowWith([10 * minute, 5]);
    expect(window.used(3 * minute)).toBe(5);
    window.add(1, 3 * minute);
    expect(window.used(3 * minute)).toBe(6);
    expect(window.used(5 * minute)).toBe(0);
  });

  it('keeps it when a request that arrived before the turn of a window is counted after it', () => {
    const window = windowWith([59_000, 9], [minute + 5, 1], [minute - 5, 1]);
    expect(window.used(minute + 10)).toBe(11);
    expect(window.used(2 * minute - 1)).toBe(2);
  });
});

describe('wait()', () => {
  it.each([
    ['0 below the limit', [[0, 3]], 0, 3, 0],
    ['until enough of the window before is over', everyTenSeconds, minute, 3, 20_000],
    ['until enough of the current window is over', everyTenSeconds, 50_000, 3, 30_000],
    ['until all of it is over', [[7000, 6]], 10_000, 0, 57_000],
  ] as const)('is %s', (_, counts, now, most, wait) => {
    expect(windowWith(...counts).wait(most, now)).toBe(wait);
  });

  it('ends exactly when the limit allows it', () => {
    const events = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 * minute }), fc.integer({ min: 1, max: 50 })), { maxLength: 20 });
    fc.assert(
      fc.property(events, fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: minute }), (counts, most, later) => {
        const sorted = counts.toSorted(([one], [other]) => one - other);
        const now = (sorted.at(-1)?.[0] ?? 0) + later;
        const wait = windowWith(...sorted).wait(most, now);
        expect(windowWith(...sorted).used(now + wait + 1)).toBeLessThanOrEqual(most);
        if (wait > 2) expect(windowWith(...sorted).used(now + wait - 2)).toBeGreaterThan(most);
      }),
    );
  });
});

it('a caller that waits as told is never above its limit in two windows', () => {
  const window = new SlidingWindow(minute);
  const accepted: number[] = [];
  for (let now = 0; now < 20 * minute; now += 700) {
    if (window.wait(9, now) > 0) continue;
    window.add(1, now);
    accepted.push(now);
  }
  for (const start of accepted) expect(accepted.filter((at) => at >= start && at < start + minute).length).toBeLessThanOrEqual(11);
  expect(accepted.length).toBeGreaterThan(170);
});

it.each([
  ['1 in a window, one at a time', 1, minute],
  ['2 in a window, at equal distances', 2, minute / 2],
  ['60 in a window, at equal distances', 60, 1000],
])('accepts %s, again and again', (_, max, pause) => {
  const window = new SlidingWindow(minute);
  for (let now = 7000; now < 10 * minute; now += pause) {
    expect(window.wait(max - 1, now)).toBe(0);
    window.add(1, now);
  }
});

it('accepts as many as the limit in each window from who asks all the time', () => {
  const window = new SlidingWindow(minute);
  const accepted: number[] = [];
  for (let now = 7000; accepted.length < 20; now += 100) {
    if (window.wait(1, now) > 0) continue;
    window.add(1, now);
    accepted.push(now);
  }
  expect(accepted.at(-1)).toBeLessThanOrEqual(7000 + 9 * minute + 1000);
});

describe('merge()', () => {
  const at = (count: number, window = 5) => ({ count, first: window * minute + 1, last: window * minute + 1 });

  it.each([
    ['the current window', { window: 5, current: at(7), earlier: at(2, 4) }, 7 + 2],
    ['lower counts', { window: 5, current: at(1), earlier: at(0) }, 3],
    ['the window before', { window: 4, current: at(8, 4), earlier: at(9, 3) }, 3 + 8],
    ['an old window', { window: 3, current: at(8, 3), earlier: at(9, 2) }, 3],
  ])('takes over %s', (_, state, used) => {
    const window = windowWith([5 * minute, 3]);
    window.merge({ windowMs: minute, ...state }, 5 * minute);
    expect(window.used(5 * minute)).toBe(used);
  });
});
