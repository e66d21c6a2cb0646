import { isPermanentFault } from '#core/http/connection-fault.ts';
import type { ProviderFault } from '#core/error.ts';
import { type Outcome, statusOf } from '#core/plan.ts';
import type { Leaf } from '#core/snapshot.ts';
import { isNotHere, type RouteState } from '#core/objects/route-state.ts';

/** Statuses after which a route that makes an object may be tried again: the provider says that it made none. */
const nothingMade: ReadonlySet<number> = new Set([429, 501]);

/** Faults that move a chain, and are worth another try, whatever a list of codes says. */
function isTransportFault(outcome: Outcome): boolean {
  return outcome.kind === 'unreachable' || outcome.kind === 'timeout' || outcome.kind === 'faulty';
}

/** True when the provider can't have begun to work on the request. */
function isUnseen(outcome: Outcome): boolean {
  // A plugin may refuse an answer, and so does a full memory: what it tells of was done.
  if (outcome.kind === 'refused') return outcome.times.firstByteMs === undefined || outcome.attempt.upstream?.method === 'GET';
  return (outcome.kind === 'unreachable' || outcome.kind === 'timeout') && !outcome.sent;
}

/**
 * May the request be sent a second time at all? A call that leaves nothing behind always; one that makes an object
 * only when none was made; one that names an object when it only reads, or was never seen. Of a call that takes several
 * requests none may have written anything.
 */
export function mayRepeat(outcome: Outcome, state: RouteState, method: string): boolean {
  if (state === undefined) return true;
  if (outcome.attempt.hasWritten === true) return false;
  if (isUnseen(outcome)) return true;
  if (state === 'creates') return outcome.kind === 'answered' && nothingMade.has(outcome.reply.status);
  return method === 'GET' || outcome.kind === 'answered';
}

/** Does the target's own policy want another try of the same target? */
export function wantsRetry(outcome: Outcome): boolean {
  const { retry } = outcome.attempt.target;
  if (outcome.attempt.tries >= retry.attempts) return false;
  // Its whole allowance of time is spent; and what a stage refused on our side stays refused unless a list names it.
  if (outcome.kind === 'timeout' && outcome.phase === 'total') return false;
  if (outcome.kind === 'refused' && outcome.error.code === 'unsupported_endpoint') return false;
  if (isTransportFault(outcome)) {
    if (!isPermanent(outcome)) return true;
    // Without an error of the provider the status is ours, and no list means it.
    if (faultOf(outcome) === undefined) return false;
  }
  return retry.retries(statusOf(outcome)) && faultOf(outcome)?.isPermanent !== true;
}

/** Does a fallback above the target want to go on? Where to is the plan's business. */
export function wantsNext(outcome: Outcome, state: RouteState): boolean {
  if (state === 'names') return isElsewhere(outcome);
  const always = isTransportFault(outcome) || (outcome.kind === 'refused' && outcome.error.code === 'unsupported_endpoint');
  const status = statusOf(outcome);
  for (let above = (outcome.attempt.target as Leaf).parent; above !== undefined; above = above.parent) {
    if (above.strategy === 'fallback' && (always || above.fallsBackOn(status))) return true;
  }
  return false;
}

/** An object named by id: another account may have it only if it is unknown here, or if this provider was not reached. */
function isElsewhere(outcome: Outcome): boolean {
  if (outcome.kind === 'answered') return outcome.reply.status === 404;
  if (outcome.kind === 'refused') return isNotHere(outcome.error);
  return isUnseen(outcome);
}

/** A certificate that is refused, a redirect, an error object that says so: the same target fails in the same way again. */
function isPermanent(outcome: Outcome): boolean {
  if (outcome.kind === 'unreachable') return isPermanentFault(outcome.cause);
  return outcome.kind === 'faulty' && !outcome.fault.retry;
}

/** What the provider said was wrong, as a status or as the first event of a stream. */
export function faultOf(outcome: Outcome): ProviderFault | undefined {
  if (outcome.kind === 'faulty') return outcome.fault.provider;
  if (outcome.kind !== 'answered') return undefined;
  const { status, body, headers } = outcome.reply;
  return outcome.attempt.binding.provider.fault(status, body.toString('utf8'), headers);
}
