import { describe, expect, it } from 'vitest';
import { isRangeOver, stepOf } from './time-span.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 10, 22, 9, 31);

describe('histogram', () => {
  it.each<[string, number | null, number]>([
    ['since:24h', null, 1800],
    ['model:x since:90d', null, 172_800],
    ['since:5m', now - 90 * day, 60],
    ['since:2026-01-01T00:00:00Z until:2026-01-02T00:00:00Z', null, 1800],
    ['model:x', now - 400 * day, 432_000],
    ['', null, 60],
    ['since:', now - day, 1800],
  ])('for the filter %j with the oldest record at %s has steps of %i s', (query, oldest, step) => {
    expect(stepOf(query, oldest, now)).toBe(step);
  });

  it.each([
    ['since:1h', false],
    ['until:1h', true],
    ['until:2026-11-23T00:00:00Z', false],
  ])('for the filter %s ends in the past: %s', (query, isOver) => expect(isRangeOver(query, now)).toBe(isOver));
});
