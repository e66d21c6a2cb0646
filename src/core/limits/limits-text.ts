import type { BudgetPeriod } from './budget-period.ts';
import type { CallerLimits, WindowUnit } from './caller-limits.ts';

/** Limits of a caller as JSON shows them; null where there is none. */
export interface ShownLimits {
  readonly rate: ShownWindow | null;
  readonly tokens: ShownWindow | null;
  readonly budget: ShownBudget | null;
  /** Maximum requests in flight. */
  readonly concurrency: number | null;
}

export interface ShownWindow {
  readonly max: number;
  readonly unit: WindowUnit;
}

export interface ShownBudget {
  /** Exact decimal. */
  readonly usd: string;
  readonly period: BudgetPeriod;
}

export function shownLimits({ rate, tokens, budget, concurrency }: CallerLimits): ShownLimits {
  return {
    rate: rate === undefined ? null : { max: rate.max, unit: rate.unit },
    tokens: tokens === undefined ? null : { max: tokens.max, unit: tokens.unit },
    budget: budget === undefined ? null : { usd: budget.usd, period: budget.period },
    concurrency: concurrency ?? null,
  };
}

/** Short forms, as in the configuration. */
export const unitTexts: Readonly<Record<WindowUnit, string>> = { second: 's', minute: 'min', hour: 'h', day: 'day' };

/** `60 requests/min · 200,000 tokens/min · budget 50 USD/month · 20 in flight`. */
export function limitsText({ rate, tokens, budget, concurrency }: ShownLimits): string {
  return [
    ...(rate === null ? [] : [`${number(rate.max)} requests/${unitTexts[rate.unit]}`]),
    ...(tokens === null ? [] : [`${number(tokens.max)} tokens/${unitTexts[tokens.unit]}`]),
    ...(budget === null ? [] : [`budget ${budget.usd} USD/${budget.period}`]),
    ...(concurrency === null ? [] : [`${number(concurrency)} in flight`]),
  ].join(' · ');
}

const number = (count: number): string => count.toLocaleString('en-US');
