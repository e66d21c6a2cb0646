import { isPermanentFault } from '#core/http/connection-fault.ts';
import type { ProviderFault } from '#core/error.ts';
import { type Outcome, statusOf } from '#core/plan.ts';
import type { Leaf } from '#core/snapshot.ts';
import { needsOtherAccount } from '#core/objects/other-account.ts';
import { cannotExistAtProvider, type RouteState } from '#core/objects/route-state.ts';

/** Statuses after which a request that creates an object may be repeated, because the provider created none. */
const statusesWithoutCreation: ReadonlySet<number> = new Set([429, 501]);

/** Errors after which a retry or fallback is useful, whatever status codes are configured. */
function isTransportFault(outcome: Outcome): boolean {
  return outcome.kind === 'unreachable' || outcome.kind === 'timeout' || outcome.kind === 'faulty';
}

/** True if the provider cannot have started to process the request. */
function isUnprocessed(outcome: Outcome): boolean {
  // A plugin, or a full memory, may reject a response although the provider has done the work.
  if (outcome.kind === 'refused') return outcome.times.firstByteMs === undefined || outcome.attempt.upstream?.method === 'GET';
  return (outcome.kind === 'unreachable' || outcome.kind === 'timeout') && !outcome.sent;
}

/**
 * True if the request may be sent a second time: always if it creates nothing; if it creates an object, only if none was
 * created; if it refers to an object, only if it reads, or was not received. If a call needs several requests, none of them
 * may have changed anything.
 */
export function mayRepeat(outcome: Outcome, state: RouteState, method: string): boolean {
  if (state === undefined) return true;
  if (outcome.attempt.hasWritten === true) return false;
  if (isUnprocessed(outcome)) return true;
  if (state === 'creates')
    return outcome.kind === 'answered' && (statusesWithoutCreation.has(outcome.reply.status) || needsOtherAccount(outcome));
  return method === 'GET' || outcome.kind === 'answered';
}

/** True if the target's own policy permits a retry of the same target. */
export function wantsRetry(outcome: Outcome): boolean {
  const { retry } = outcome.attempt.target;
  if (outcome.attempt.tries >= retry.attempts) return false;
  // The timeout has expired. A rejection by a plugin is final, unless the status codes include it.
  if (outcome.kind === 'timeout' && outcome.phase === 'total') return false;
  if (outcome.kind === 'refused' && outcome.error.code === 'unsupported_endpoint') return false;
  if (isTransportFault(outcome)) {
    if (!isPermanent(outcome)) return true;
    // Without an error of the provider, the status is the gateway's own, to which the list does not apply.
    if (faultOf(outcome) === undefined) return false;
  }
  // The provider knows its error better than a list of status codes.
  if (outcome.kind === 'answered' && outcome.reply.headers['x-should-retry'] === 'false') return false;
  return retry.retries(statusOf(outcome)) && faultOf(outcome)?.isPermanent !== true;
}

/** True if a fallback above the target continues, or another account may have what the request refers to. The plan decides with which target. */
export function wantsNext(outcome: Outcome, state: RouteState): boolean {
  if (state === 'names') return mayExistElsewhere(outcome);
  const always = isTransportFault(outcome) || (outcome.kind === 'refused' && outcome.error.code === 'unsupported_endpoint');
  const status = statusOf(outcome);
  const { parent } = outcome.attempt.target as Leaf;
  for (let above = parent; above !== undefined; above = above.parent) {
    if (above.strategy === 'fallback' && (always || above.fallsBackOn(status))) return true;
  }
  return parent !== undefined && needsOtherAccount(outcome);
}

/** For an object by id: another account can have it only if it is unknown here, or if this provider was not reached. */
function mayExistElsewhere(outcome: Outcome): boolean {
  if (outcome.kind === 'answered') return outcome.reply.status === 404;
  if (outcome.kind === 'refused') return cannotExistAtProvider(outcome.error);
  return isUnprocessed(outcome);
}

/** True for an invalid certificate, a redirect, or a permanent error: a retry of the same target would fail again. */
function isPermanent(outcome: Outcome): boolean {
  if (outcome.kind === 'unreachable') return isPermanentFault(outcome.cause);
  return outcome.kind === 'faulty' && !outcome.fault.retry;
}

/** The provider's error, from its status or from the first event of a stream. */
export function faultOf(outcome: Outcome): ProviderFault | undefined {
  if (outcome.kind === 'faulty') return outcome.fault.provider;
  if (outcome.kind !== 'answered') return undefined;
  const { status, body, headers } = outcome.reply;
  return outcome.attempt.binding.provider.fault(status, body.toString('utf8'), headers);
}
