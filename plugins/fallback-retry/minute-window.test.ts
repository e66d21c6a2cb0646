import { expect, it } from 'vitest';
import { MinuteWindow } from './minute-window.ts';

const minute = 60_000;
const start = 1_000 * minute;

it('counts the attempts of the last minute and drops older ones slot by slot', () => {
  const window = new MinuteWindow();
  window.add(start, 3, 1);
  window.add(start + 30_000, 0, 2);
  const counts = [0, 59_999, minute, minute + 29_999, minute + 30_000].map((ms) => window.count(start + ms));
  expect(counts.map(({ all, failed }) => [all, failed])).toEqual([
    [6, 3],
    [6, 3],
    [2, 2],
    [2, 2],
    [0, 0],
  ]);
});

it('drops all counts after a pause of more than a minute', () => {
  const window = new MinuteWindow();
  for (const ms of [0, 10_000, 20_000, 50_000]) window.add(start + ms, 1, 1);
  expect(window.count(start + 5 * minute)).toEqual({ all: 0, failed: 0 });
});

it('keeps all counts for another minute if the system time is set back by more than a minute', () => {
  const window = new MinuteWindow();
  for (const ms of [0, 10_000, 20_000]) window.add(start + ms, 1, 1);
  const earlier = start - 60 * minute;
  window.add(earlier, 1, 0);
  expect(window.count(earlier + 59_999)).toEqual({ all: 7, failed: 3 });
  expect(window.count(earlier + minute)).toEqual({ all: 0, failed: 0 });
});

it('counts in the newest slot if the system time is set back by less than a minute', () => {
  const window = new MinuteWindow();
  window.add(start + 30_000, 1, 0);
  window.add(start, 0, 1);
  expect(window.count(start + 89_999)).toEqual({ all: 2, failed: 1 });
  expect(window.count(start + 90_000)).toEqual({ all: 0, failed: 0 });
});
