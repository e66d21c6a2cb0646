import { describe, expect, it } from 'vitest';
import type { Sweepable } from '../../transport/wire/sweeper.ts';
import { SimulatedClock } from './simulated-clock.ts';

/** An attempt with a timeout at the given time. */
function attempt(clock: SimulatedClock, deadline: number, log: string[]): Sweepable {
  const sweepable: Sweepable = {
    index: undefined,
    sweep(now) {
      if (now < deadline) return;
      log.push(`timeout ${now}`);
      clock.sweeper.delete(sweepable);
    },
    crashed: () => undefined,
  };
  clock.sweeper.add(sweepable);
  return sweepable;
}

describe('SimulatedClock', () => {
  it('advances from timer to timer in chronological order', () => {
    const clock = new SimulatedClock();
    const startedAt = clock.monotonic();
    const log: number[] = [];
    for (const ms of [3000, 1000, 2000]) clock.later(ms, () => log.push(clock.monotonic() - startedAt));
    const cancel = clock.later(500, () => log.push(0));
    cancel();
    while (clock.advance());
    expect(log).toEqual([1000, 2000, 3000]);
    expect(clock.monotonic() - startedAt).toBe(3000);
  });

  it('does not advance without a timer', () => {
    const clock = new SimulatedClock();
    attempt(clock, 0, []);
    expect([clock.advance(), clock.monotonic()]).toEqual([false, 1000]);
  });

  it.each<[number, readonly string[]]>([
    [5000, ['timeout 3000', 'response']],
    [2000, ['timeout 3000', 'response']],
    [1900, ['response']],
  ])('times out an attempt after 3000 ms unless its response arrives before: after %i ms', (ms, expected) => {
    const clock = new SimulatedClock();
    const log: string[] = [];
    const sweepable = attempt(clock, 3000, log);
    clock.later(ms, () => {
      log.push('response');
      clock.sweeper.delete(sweepable);
    });
    while (clock.advance());
    expect(log).toEqual(expected);
  });
});
