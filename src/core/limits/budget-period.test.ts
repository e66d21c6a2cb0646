import { expect, it } from 'vitest';
import { type BudgetPeriod, nextPeriodStart, periodStart } from './budget-period.ts';

const dayMs = 86_400_000;
const date = (unixMs: number): string => new Date(unixMs).toISOString().slice(0, 16);

it.each<[BudgetPeriod, string, string, string]>([
  ['day', '2026-11-30T23:59:59.999Z', '2026-11-30', '2026-12-01'],
  ['day', '2026-12-01T00:00:00Z', '2026-12-01', '2026-12-02'],
  ['week', '2026-11-30T00:00:00Z', '2026-11-30', '2026-12-07'],
  ['week', '2026-11-29T23:59:59Z', '2026-11-23', '2026-11-30'],
  ['week', '1970-01-01T12:00:00Z', '1969-12-29', '1970-01-05'],
  ['month', '2026-11-30T12:00:00Z', '2026-11-01', '2026-12-01'],
  ['month', '2026-12-31T23:59:59Z', '2026-12-01', '2027-01-01'],
  ['month', '2028-02-29T00:00:00Z', '2028-02-01', '2028-03-01'],
])('the %s of %s is from %s to %s', (period, at, start, next) => {
  const now = Date.parse(at);
  expect(date(periodStart(period, now) * dayMs)).toBe(`${start}T00:00`);
  expect(date(nextPeriodStart(period, now))).toBe(`${next}T00:00`);
});
