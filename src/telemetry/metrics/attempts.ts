import type { AttemptRecord } from '../../core/records/record.ts';

/** For labels: the provider's status, else the kind of failure. */
export const outcomeOf = ({ status, outcome }: Pick<AttemptRecord, 'status' | 'outcome'>): string =>
  status === null ? outcome : String(status);

/**
 * Whether an attempt speaks against its provider: statuses that a request causes do not. Undefined where it says nothing:
 * the client left first, or nobody asked the provider.
 */
export function isProviderFailure({ status, outcome }: Pick<AttemptRecord, 'status' | 'outcome'>): boolean | undefined {
  if (outcome === 'cancelled' || outcome === 'skipped') return undefined;
  if (status === null) return outcome !== 'refused';
  return status >= 500 || status === 401 || status === 403 || status === 408 || status === 429;
}
