import { nextPeriodStart } from '#core/limits/budget-period.ts';
import type { Budget, WindowLimit } from '#core/limits/caller-limits.ts';
import { decimalText } from '#core/cost/decimal.ts';
import { GatewayError } from '#core/error.ts';

/** Whose limits are meant. */
export interface Spender {
  readonly id: string;
  /** As the request log has it. */
  readonly name: string;
  readonly kind: 'Key' | 'Virtual key';
  /** Its name in the configuration, or that of a caller with a token. */
  readonly written: string;
}

const operatorHint = 'An operator can raise';

/** @param waitMs until the next request is accepted */
export function tooManyRequests(who: Spender, { max, unit }: WindowLimit, waitMs: number): GatewayError {
  return rateLimited(`${titleOf(who)} has reached its limit of ${counted(max, 'request')} per ${unit}.`, 'limits.rate', waitMs);
}

export function tooManyTokens(who: Spender, { max, unit }: WindowLimit, waitMs: number): GatewayError {
  return rateLimited(`${titleOf(who)} has reached its limit of ${counted(max, 'token')} per ${unit}.`, 'limits.tokens', waitMs);
}

/** @param pico spent in the current period @param now Unix milliseconds */
export function budgetExhausted(who: Spender, { usd, period }: Budget, pico: bigint, now: number): GatewayError {
  const renewal = new Date(nextPeriodStart(period, now)).toISOString().slice(0, 10);
  // What others have spent through a virtual key is not the caller's to know.
  const spent = who.kind === 'Key' ? `${cents(pico)} USD of its budget of ${usd} USD per ${period}` : `its budget of this ${period}`;
  return new GatewayError('budget_exhausted', {
    message: `${titleOf(who)} has spent ${spent}.`,
    hint: `The next ${period} begins on ${renewal} at 00:00 UTC. ${operatorHint} limits.budget.`,
  });
}

function rateLimited(message: string, setting: string, waitMs: number): GatewayError {
  const waitS = Math.max(1, Math.ceil(waitMs / 1000));
  return new GatewayError('rate_limited', { message, waitS, hint: `Send the request again in ${waitS} s. ${operatorHint} ${setting}.` });
}

const titleOf = ({ kind, written }: Spender): string => `${kind} "${written}"`;

const counted = (count: number, noun: string): string => `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

/** Cut to six decimal places, so that a sum below the budget never looks like one above it. */
const cents = (pico: bigint): string => decimalText(pico - (pico % 1_000_000n));
