import type { AttemptRecord, LogRecord } from '../../core/records/record.ts';

/** Value for labels: the provider's status, or else the kind of failure. */
export const outcomeOf = ({ status, outcome }: Pick<AttemptRecord, 'status' | 'outcome'>): string =>
  status === null ? outcome : String(status);

/**
 * Returns whether the provider failed in an attempt; statuses that the request causes don't count. Undefined if unknown: the
 * client disconnected first, or the gateway or a plugin blocked the request or its response.
 */
export function isProviderFailure({ status, outcome }: Pick<AttemptRecord, 'status' | 'outcome'>): boolean | undefined {
  if (outcome === 'cancelled' || outcome === 'skipped' || outcome === 'refused') return undefined;
  if (status === null) return true;
  return status >= 500 || status === 401 || status === 403 || status === 408 || status === 429;
}

/** True if the provider received the request. A skipped attempt was never sent, and a refused one may not have been. */
export const wasSent = ({ outcome, first_byte_ms: firstByte }: Pick<AttemptRecord, 'outcome' | 'first_byte_ms'>): boolean =>
  outcome !== 'skipped' && (outcome !== 'refused' || firstByte !== null);

/** True if the provider of the last attempt failed after its response had begun: the stream broke off, or ended with an error. */
export function brokeOff({ error, attempts }: Pick<LogRecord, 'error' | 'attempts'>): boolean {
  const status = attempts.at(-1)?.status ?? null;
  return error?.source === 'provider' && status !== null && status < 400;
}
