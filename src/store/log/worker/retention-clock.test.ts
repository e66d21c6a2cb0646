import { expect, it } from 'vitest';
import { RetentionClock } from './retention-clock.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** Reads the clock each half minute of the given hours, the system clock being ahead by `ahead`. */
function run(clock: { system: number; monotonic: number; read(): number }, ahead: number, hours: number): number {
  const start = clock.monotonic;
  for (; clock.monotonic < start + hours * hour; clock.monotonic += 30_000) {
    clock.system = clock.monotonic + ahead;
    clock.read();
  }
  clock.system = clock.monotonic + ahead;
  return clock.read() - clock.monotonic;
}

function startClock(): Parameters<typeof run>[0] {
  const times = { system: 0, monotonic: 0 };
  const clock = new RetentionClock(
    () => times.system,
    () => times.monotonic,
  );
  return Object.assign(times, { read: () => clock.now() });
}

it.each<[string, readonly (readonly [number, number])[], number]>([
  ['runs with the system clock', [[0, 5]], 0],
  ['ignores a system clock that was set forward', [[day, 0.9]], 0],
  [
    'ignores one that was set forward and back again',
    [
      [day, 0.9],
      [0, 0.5],
      [day, 0.9],
    ],
    0,
  ],
  ['follows one that stays ahead', [[day, 1.1]], day],
  ['follows one that was set back', [[-day, 0.1]], -day],
  ['follows small corrections', [[30_000, 0.1]], 30_000],
])('%s', (_, steps, expected) => {
  const clock = startClock();
  expect(steps.map(([ahead, hours]) => run(clock, ahead, hours)).at(-1)).toBe(expected);
});
