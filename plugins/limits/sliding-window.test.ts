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
    ['all of the window before at its end', [[0, 6]], minute, 6],
    ['half of the window before half a minute later', [[0, 6]], minute + 30_000, 3],
    [
      'the current window and the rest of the one before',
      [
        [0, 6],
        [minute, 2],
      ],
      minute + 45_000,
      3.5,
    ],
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
});

describe('wait()', () => {
  it.each([
    ['0 below the limit', [[0, 3]], 0, 3, 0],
    ['until enough of the window before has passed', [[0, 6]], minute, 3, 30_000],
    ['until the current window has passed in part', [[0, 6]], 0, 5, 70_000],
    ['until all of it has passed', [[0, 6]], 0, 0, 120_000],
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

describe('merge()', () => {
  it.each([
    ['the current window', { window: 5, count: 7, earlier: 2 }, 7 + 2],
    ['lower counts', { window: 5, count: 1, earlier: 0 }, 3],
    ['the window before', { window: 4, count: 8, earlier: 9 }, 3 + 8],
    ['an old window', { window: 3, count: 8, earlier: 9 }, 3],
  ])('takes over %s', (_, state, used) => {
    const window = windowWith([5 * minute, 3]);
    window.merge({ windowMs: minute, ...state }, 5 * minute);
    expect(window.used(5 * minute)).toBe(used);
  });
});
