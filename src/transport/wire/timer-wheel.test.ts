import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type TimeoutGroup, TimerWheel } from './timer-wheel.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Counts how often it was checked, and wants no more after so many checks. */
class CountingGroup implements TimeoutGroup {
  checks = 0;
  readonly everyMs: number;
  readonly #maxChecks: number;

  constructor(everyMs: number, maxChecks = Number.POSITIVE_INFINITY) {
    this.everyMs = everyMs;
    this.#maxChecks = maxChecks;
  }

  check(): boolean {
    this.checks += 1;
    return this.checks < this.#maxChecks;
  }
}

it('checks each group at its own interval with one timer', () => {
  const wheel = new TimerWheel();
  const [slow, fast] = [new CountingGroup(1000), new CountingGroup(100)];
  wheel.add(slow);
  wheel.add(fast);
  wheel.add(fast);
  vi.advanceTimersByTime(3000);
  expect([slow.checks, fast.checks, vi.getTimerCount()]).toEqual([3, 30, 1]);
});

it('ticks at the interval of the fastest group, and stops without groups', () => {
  const wheel = new TimerWheel();
  const [slow, fast] = [new CountingGroup(1000, 4), new CountingGroup(100, 5)];
  wheel.add(fast);
  wheel.add(slow);
  vi.advanceTimersByTime(500);
  expect([slow.checks, fast.checks]).toEqual([0, 5]);
  vi.advanceTimersToNextTimer();
  expect([slow.checks, fast.checks]).toEqual([1, 5]);
  vi.advanceTimersByTime(2000);
  expect([slow.checks, vi.getTimerCount()]).toEqual([3, 1]);
  vi.advanceTimersByTime(1000);
  expect([slow.checks, vi.getTimerCount()]).toEqual([4, 0]);
  wheel.add(fast);
  vi.advanceTimersByTime(100);
  expect(fast.checks).toBe(6);
});

it('does not check a deleted group', () => {
  const wheel = new TimerWheel();
  const group = new CountingGroup(100);
  wheel.add(group);
  wheel.delete(group);
  vi.advanceTimersByTime(1000);
  expect([group.checks, vi.getTimerCount()]).toEqual([0, 0]);
});

it('checks the other groups, and the same group again, if a check throws', () => {
  const defects: unknown[] = [];
  const wheel = new TimerWheel((error) => defects.push(error));
  const group = new CountingGroup(100);
  wheel.add({
    everyMs: 100,
    check() {
      throw new Error('boom');
    },
  });
  wheel.add(group);
  vi.advanceTimersByTime(200);
  expect([defects.length, group.checks]).toEqual([2, 2]);
});

it('keeps the process alive while it is held, in any order of add and hold', () => {
  vi.useRealTimers();
  const hasTimer = (): boolean => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length > timersBefore;
  const timersBefore = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const wheel = new TimerWheel();
  const group = new CountingGroup(1000);
  wheel.add(group);
  expect(hasTimer()).toBe(false);
  wheel.ref();
  wheel.ref();
  expect(hasTimer()).toBe(true);
  wheel.unref();
  expect(hasTimer()).toBe(true);
  wheel.add(new CountingGroup(100));
  expect(hasTimer()).toBe(true);
  wheel.unref();
  expect(hasTimer()).toBe(false);
  wheel.delete(group);
});
