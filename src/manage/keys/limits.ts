import { budgetPattern, parseBudget, parseWindowLimit, windowPattern, type WrittenLimits } from '../../core/limits/caller-limits.ts';
import { gatewayKey } from '../../config/schema/keys.ts';
import { Refusal } from '../refusal.ts';

/** Limits of a new key, not checked; omitted ones do not limit anything. */
export type LimitInput = Readonly<Partial<Record<keyof WrittenLimits, unknown>>>;

const { minimum, maximum } = gatewayKey.properties.limits.properties.concurrency;

/** The limits as written in the configuration. @throws Refusal for the first that is not one, with its name as `param` */
export function checkedLimits({ rate, tokens, budget, concurrency }: LimitInput): WrittenLimits {
  return {
    ...(rate === undefined ? {} : { rate: windowLimit('rate', rate, '60/min') }),
    ...(tokens === undefined ? {} : { tokens: windowLimit('tokens', tokens, '200k/min') }),
    ...(budget === undefined ? {} : { budget: budgetIn(budget) }),
    ...(concurrency === undefined ? {} : { concurrency: concurrencyIn(concurrency) }),
  };
}

function windowLimit(name: 'rate' | 'tokens', value: unknown, example: string): string {
  const text = typeof value === 'string' ? value : '';
  if (new RegExp(windowPattern).test(text) && parseWindowLimit(text) !== undefined) return text;
  throw refusal(name, value, 'a whole number of at least 1 per s, min, h or day', example);
}

function budgetIn(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  if (new RegExp(budgetPattern).test(text) && parseBudget(text) !== undefined) return text;
  throw refusal('budget', value, 'an amount in USD per day, week or month', '50USD/month');
}

function concurrencyIn(value: unknown): number {
  const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof count === 'number' && Number.isInteger(count) && count >= minimum && count <= maximum) return count;
  throw refusal('concurrency', value, `a whole number from ${minimum} to ${maximum.toLocaleString('en-US')}`, '20');
}

const refusal = (name: string, value: unknown, form: string, example: string): Refusal =>
  new Refusal('usage', `${name} must be ${form}, not ${shown(value)}`, `For example ${example}.`, `limits.${name}`);

const shown = (value: unknown): string => JSON.stringify(typeof value === 'string' ? value.slice(0, 100) : value)?.slice(0, 120) ?? '';
