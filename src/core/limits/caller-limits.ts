import { parseDecimal } from '../cost/decimal.ts';
import { type BudgetPeriod, budgetPeriods } from './budget-period.ts';

/** Limits of a caller (`limits` of an API key, and of `auth.jwt` for each caller with a token). */
export interface CallerLimits {
  readonly rate: WindowLimit | undefined;
  /** Tokens of requests and responses together. */
  readonly tokens: WindowLimit | undefined;
  readonly budget: Budget | undefined;
  /** Maximum requests in flight. */
  readonly concurrency: number | undefined;
}

/** A maximum in any period of this length. */
export interface WindowLimit {
  readonly max: number;
  readonly windowMs: number;
  /** As in messages: `60 requests in a minute` has the unit `minute`. */
  readonly unit: WindowUnit;
}

/** A maximum of dollars per calendar period (UTC). */
export interface Budget {
  /** In 10⁻¹² dollars. */
  readonly pico: bigint;
  /** As an exact decimal. */
  readonly usd: string;
  readonly period: BudgetPeriod;
}

export type WindowUnit = 'second' | 'minute' | 'hour' | 'day';

/** The limits as written. */
export interface WrittenLimits {
  readonly rate?: string;
  readonly tokens?: string;
  readonly budget?: string;
  readonly concurrency?: number;
}

const windows: Readonly<Record<string, { readonly windowMs: number; readonly unit: WindowUnit }>> = {
  s: { windowMs: 1000, unit: 'second' },
  min: { windowMs: 60_000, unit: 'minute' },
  h: { windowMs: 3_600_000, unit: 'hour' },
  day: { windowMs: 86_400_000, unit: 'day' },
};

const thousands: Readonly<Record<string, number>> = { '': 1, k: 1000, M: 1_000_000 };

/** Forms of the texts, for the schema. */
export const windowPattern = '^\\d{1,12}(\\.\\d{1,6})?[kM]?/(s|min|h|day)$';
export const budgetPattern = `^\\d{1,9}(\\.\\d{1,12})? ?USD/(${budgetPeriods.join('|')})$`;

/** Parses `60/min`, `200k/min`, `1.5M/day`. Undefined if it has another form, or is not a whole number from 1 to 2⁵³ - 1. */
export function parseWindowLimit(text: string): WindowLimit | undefined {
  const [, count = '', factor = '', unit = ''] = /^([\d.]+)([kM]?)\/([a-z]+)$/.exec(text) ?? [];
  const window = windows[unit];
  const number = Number(count) * (thousands[factor] as number);
  const max = Math.round(number);
  // 2.000001M is not exact as a product.
  const isWhole = Math.abs(number - max) <= max * 1e-12;
  return window !== undefined && isWhole && Number.isSafeInteger(max) && max >= 1 ? { max, ...window } : undefined;
}

/** Parses `50USD/month`, `0.5 USD/day`. Undefined if it has another form. */
export function parseBudget(text: string): Budget | undefined {
  const [, usd = '', written] = /^([\d.]+) ?USD\/([a-z]+)$/.exec(text) ?? [];
  const period = budgetPeriods.find((name) => name === written);
  const pico = parseDecimal(usd);
  return pico === undefined || period === undefined ? undefined : { pico, usd, period };
}

const windowForm = new RegExp(windowPattern);

/** True for a text such as `200k/min`: below a name such as `tokens`, it is no secret. */
export const isWindowLimit = (text: string): boolean => windowForm.test(text);

/** Undefined if there are none. @throws RangeError for a text of another form, which the schema does not accept */
export function compileLimits(written: WrittenLimits | undefined): CallerLimits | undefined {
  if (written === undefined || Object.keys(written).length === 0) return undefined;
  return Object.freeze({
    rate: parsed(written.rate, parseWindowLimit),
    tokens: parsed(written.tokens, parseWindowLimit),
    budget: parsed(written.budget, parseBudget),
    concurrency: written.concurrency,
  });
}

function parsed<T>(text: string | undefined, parse: (text: string) => T | undefined): T | undefined {
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value === undefined) throw new RangeError(`"${text}" is not a limit`);
  return value;
}
