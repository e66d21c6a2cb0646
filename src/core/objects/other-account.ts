import type { Outcome } from '../plan.ts';

/**
 * True for an error of the provider because the request continues what another account has: a stored response or
 * conversation, or encrypted reasoning. The provider has processed nothing.
 */
export function needsOtherAccount(outcome: Outcome): boolean {
  if (outcome.kind !== 'answered') return false;
  const { status, body, headers } = outcome.reply;
  if (status !== 400 && status !== 404) return false;
  return outcome.attempt.binding.provider.fault(status, body.toString('utf8'), headers).isOfOtherAccount === true;
}
