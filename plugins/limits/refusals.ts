import { nextPeriodStart } from '#core/limits/budget-period.ts';
import type { Budget, WindowLimit } from '#core/limits/caller-limits.ts';
import { decimalText } from '#core/cost/decimal.ts';
import { GatewayError } from '#core/error.ts';

const operatorHint = 'An operator can raise';

/** @param waitMs until the next request is accepted */
export function tooManyRequests(name: string, { max, unit }: WindowLimit, waitMs: number): GatewayError {
  return rateLimited(`Key "${name}" has reached its limit of ${number(max)} requests per ${unit}.`, 'limits.rate', waitMs);
}

export function tooManyTokens(name: string, { max, unit }: WindowLimit, waitMs: number): GatewayError {
  return rateLimited(`Key "${name}" has reached its limit of ${number(max)} tokens per ${unit}.`, 'limits.tokens', waitMs);
}

/** @param pico spent in the current period @param now Unix milliseconds */
export function budgetExhausted(name: string, { usd, period }: Budget, pico: bigint, now: number): GatewayError {
  const renewal = new Date(nextPeriodStart(period, now)).toISOString().slice(0, 10);
  return new GatewayError('budget_exhausted', {
    message: `Key "${name}" has spent ${cents(pico)} USD of its budget of ${usd} USD per ${period}.`,
    hint: `The next ${period} begins on ${renewal} at 00:00 UTC. ${operatorHint} limits.budget.`,
  });
}

function rateLimited(message: string, setting: string, waitMs: number): GatewayError {
  const waitS = Math.max(1, Math.ceil(waitMs / 1000));
  return new GatewayError('rate_limited', { message, waitS, hint: `Send the request again in ${waitS} s. ${operatorHint} ${setting}.` });
}

const number = (count: number): string => count.toLocaleString('en-US');

/** Cut to six decimal places, so that a sum below the budget never looks like one above it. */
const cents = (pico: bigint): string => decimalText(pico - (pico % 1_000_000n));
