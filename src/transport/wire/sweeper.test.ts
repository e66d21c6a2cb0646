import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSweeper, type Sweepable } from './sweeper.ts';
import { TimerWheel } from './timer-wheel.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const boom = (): never => {
  throw new Error('boom');
};

it('sweeps the other items if one throws, and reports a crash to that one', () => {
  const seen: string[] = [];
  const defects: unknown[] = [];
  const sweeper = createSweeper(
    new TimerWheel(),
    () => 0,
    (error) => defects.push(error),
  );
  const item = (name: string, over: Partial<Sweepable>): Sweepable => ({
    index: undefined,
    sweep: () => void seen.push(name),
    crashed: () => void seen.push(`${name} crashed`),
    ...over,
  });
  sweeper.add(item('a', {}));
  sweeper.add(item('b', { sweep: boom }));
  sweeper.add(item('c', { sweep: boom, crashed: boom }));
  sweeper.add(item('d', {}));
  vi.advanceTimersByTime(100);
  expect([seen.toSorted(), defects.length, sweeper.size]).toEqual([['a', 'b crashed', 'd'], 1, 3]);
  sweeper.close();
});
