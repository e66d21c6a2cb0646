import type { Routed } from '#core/context.ts';
import type { Outcome } from '#core/plan.ts';
import { retryAfterMs } from '#core/provider/retry-after.ts';
import { faultOf } from './retry-rules.ts';

/** Maximum total delay between the attempts of one request. */
export const maxTotalDelayMs = 60_000;

/** Maximum delay requested by a provider that is accepted if another target could respond at once. */
export const maxPreferredDelayMs = 1_000;

const firstBackoffMs = 1_000;

/** Spreads the fractions of one random number evenly over the attempts (golden ratio). */
const goldenRatio = 0.6180339887498949;

/**
 * Milliseconds before the next attempt: the delay requested by the provider, if the target's policy respects it; otherwise
 * 1 s, 2 s, 4 s, … times a random fraction, so that callers that failed together do not retry together. The same input
 * gives the same delay.
 */
export function delayAfter(ctx: Routed, outcome: Outcome, now: number): number {
  const { attempt } = outcome;
  return requestedDelay(outcome, now) ?? Math.round(firstBackoffMs * 2 ** attempt.tries * fraction(ctx.random, attempt.index));
}

/**
 * The delay requested by the provider, if the target's policy respects it: from a header, or else from the body if the
 * provider's format defines it.
 */
export function requestedDelay(outcome: Outcome, now: number): number | undefined {
  if (!outcome.attempt.target.retry.useRetryAfter) return undefined;
  const fromHeader = outcome.kind === 'answered' ? retryAfterMs(outcome.reply.headers, now) : undefined;
  return fromHeader ?? faultOf(outcome)?.retryAfterMs;
}

/**
 * Total delay of the request so far: each attempt that followed another one of the same target was delayed. Computed from
 * the outcomes, so that no state is needed.
 */
export function totalDelay(ctx: Routed, outcomes: readonly Outcome[]): number {
  let total = 0;
  for (const { attempt } of outcomes) {
    if (attempt.tries === 0 || attempt.isRepeat === true) continue;
    const before = outcomes.findLast((each) => each.attempt.target === attempt.target && each.attempt.tries === attempt.tries - 1);
    if (before !== undefined) total += delayAfter(ctx, before, ctx.at + before.times.at + before.times.totalMs);
  }
  return total;
}

const fraction = (random: number, index: number): number => (random + index * goldenRatio) % 1;
