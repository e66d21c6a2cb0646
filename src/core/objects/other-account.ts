import type { Outcome } from '../plan.ts';

/**
 * True for an error because the request continues what another account has: a stored response or conversation, or encrypted
 * reasoning. The provider has processed nothing, or was not asked because it stores nothing.
 */
export function needsOtherAccount(outcome: Outcome): boolean {
  if (outcome.kind === 'refused') return outcome.error.provider?.isOfOtherAccount === true;
  if (outcome.kind !== 'answered') return false;
  const { status, body, headers } = outcome.reply;
  if (status !== 400 && status !== 404) return false;
  return outcome.attempt.binding.provider.fault(status, body.toString('utf8'), headers).isOfOtherAccount === true;
}
