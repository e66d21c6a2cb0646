import type { AttemptRecord } from '../../core/records/record.ts';

/** For labels: the provider's status, else the kind of failure. */
export const outcomeOf = ({ status, outcome }: Pick<AttemptRecord, 'status' | 'outcome'>): string =>
  status === null ? outcome : String(status);

/** Whether an attempt speaks against its provider: statuses that a request causes do not. */
export function isProviderFailure({ status, outcome }: Pick<AttemptRecord, 'status' | 'outcome'>): boolean {
  if (status === null) return outcome !== 'refused';
  return status >= 500 || status === 401 || status === 403 || status === 408 || status === 429;
}
