import { dayOf, firstDayOfMonth } from '../logs/day.ts';

export const budgetPeriods = ['day', 'week', 'month'] as const;

/** A calendar period in UTC; a week begins on Monday. */
export type BudgetPeriod = (typeof budgetPeriods)[number];

const dayMs = 86_400_000;

/** The Unix day on which the period that contains `at` begins. @param at Unix milliseconds */
export function periodStart(period: BudgetPeriod, at: number): number {
  if (period === 'month') return firstDayOfMonth(at);
  const day = dayOf(at);
  // 1970-01-01 was a Thursday.
  return period === 'day' ? day : day - ((day + 3) % 7);
}

/** Unix milliseconds at which the following period begins. */
export function nextPeriodStart(period: BudgetPeriod, at: number): number {
  if (period === 'day') return (dayOf(at) + 1) * dayMs;
  if (period === 'week') return (periodStart('week', at) + 7) * dayMs;
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
