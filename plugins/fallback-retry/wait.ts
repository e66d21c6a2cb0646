import type { Routed } from '#core/context.ts';
import type { Outcome } from '#core/plan.ts';
import { retryAfterMs } from '#core/provider/retry-after.ts';
import { faultOf } from './moves.ts';

/** Longest time that one request may spend waiting between its attempts. */
export const longestWaitMs = 60_000;

/** A wait that a provider asks for is spent up to this long where another target could answer at once. */
export const patienceMs = 1_000;

const firstBackoffMs = 1_000;

/** Spreads the fractions of one random number evenly over the attempts (golden ratio). */
const spread = 0.6180339887498949;

/**
 * Milliseconds before the attempt after this outcome: what the provider asks for where the target's policy listens to
 * it, else 1 s, 2 s, 4 s, … times a fraction, so that callers that failed together don't come back together. The same
 * facts give the same wait.
 */
export function waitAfter(ctx: Routed, outcome: Outcome, now: number): number {
  const { attempt } = outcome;
  return requestedWait(outcome, now) ?? Math.round(firstBackoffMs * 2 ** attempt.tries * fraction(ctx.random, attempt.index));
}

/**
 * The wait that the provider asks for, where the target's policy listens to it: in a header, else in the body where the
 * provider's format has a place for it.
 */
export function requestedWait(outcome: Outcome, now: number): number | undefined {
  if (!outcome.attempt.target.retry.useRetryAfter) return undefined;
  const told = outcome.kind === 'answered' ? retryAfterMs(outcome.reply.headers, now) : undefined;
  return told ?? faultOf(outcome)?.retryAfterMs;
}

/**
 * What the request has waited already: an attempt was waited for when it followed another one of the same target.
 * Made anew from the outcomes, so that nothing has to be remembered.
 */
export function waitedFor(ctx: Routed, outcomes: readonly Outcome[]): number {
  let waited = 0;
  for (const { attempt } of outcomes) {
    if (attempt.tries === 0 || attempt.isRepeat === true) continue;
    const before = outcomes.findLast((each) => each.attempt.target === attempt.target && each.attempt.tries === attempt.tries - 1);
    if (before !== undefined) waited += waitAfter(ctx, before, ctx.at + before.times.at + before.times.totalMs);
  }
  return waited;
}

const fraction = (random: number, index: number): number => (random + index * spread) % 1;
