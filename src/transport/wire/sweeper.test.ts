import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSweeper, type Sweepable } from './sweeper.ts';
import { TimerWheel } from './timer-wheel.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const fail = (): never => {
  throw new Error('boom');
};

it('sweeps the other items if one throws, and reports a crash to that one', () => {
  const events: string[] = [];
  const defects: unknown[] = [];
  const sweeper = createSweeper(
    new TimerWheel(),
    () => 0,
    (error) => defects.push(error),
  );
  const item = (name: string, overrides: Partial<Sweepable>): Sweepable => ({
    index: undefined,
    sweep: () => void events.push(name),
    crashed: () => void events.push(`${name} crashed`),
    ...overrides,
  });
  sweeper.add(item('a', {}));
  sweeper.add(item('b', { sweep: fail }));
  sweeper.add(item('c', { sweep: fail, crashed: fail }));
  sweeper.add(item('d', {}));
  vi.advanceTimersByTime(101);
  expect([events.toSorted(), defects.length, sweeper.size]).toEqual([['a', 'b crashed', 'd'], 1, 3]);
  sweeper.close();
});
