import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { schedule } from './schedule.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const day = 86_400_000;

it.each([
  ['after its time', 100, 100, true],
  ['not before', 100, 99, false],
  ['not at once after more than a timer can wait', 30 * day, day, false],
])('a function is called %s', (_, ms, elapsedMs, isCalled) => {
  const run = vi.fn<() => void>();
  schedule(ms, run);
  vi.advanceTimersByTime(elapsedMs);
  expect(run).toHaveBeenCalledTimes(isCalled ? 1 : 0);
});

it('a call that is cancelled leaves no timer', () => {
  schedule(100, () => undefined)();
  expect(vi.getTimerCount()).toBe(0);
});
