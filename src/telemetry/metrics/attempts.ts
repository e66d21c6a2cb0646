import type { AttemptRecord, LogRecord } from '../../core/records/record.ts';

/** For labels: the provider's status, else the kind of failure. */
export const outcomeOf = ({ status, outcome }: Pick<AttemptRecord, 'status' | 'outcome'>): string =>
  status === null ? outcome : String(status);

/**
 * Whether an attempt speaks against its provider: statuses that a request causes do not. Undefined where it says nothing:
 * the client left first, or the gateway or a plugin kept the request or its answer back.
 */
export function isProviderFailure({ status, outcome }: Pick<AttemptRecord, 'status' | 'outcome'>): boolean | undefined {
  if (outcome === 'cancelled' || outcome === 'skipped' || outcome === 'refused') return undefined;
  if (status === null) return true;
  return status >= 500 || status === 401 || status === 403 || status === 408 || status === 429;
}

/** Whether the provider was asked: what is left out or refused may never have been sent. */
export const wasAsked = ({ outcome, first_byte_ms: firstByte }: Pick<AttemptRecord, 'outcome' | 'first_byte_ms'>): boolean =>
  outcome !== 'skipped' && (outcome !== 'refused' || firstByte !== null);

/** Whether the provider of the last attempt failed after its answer had begun: the stream broke off, or ended with an error. */
export function brokeOff({ error, attempts }: Pick<LogRecord, 'error' | 'attempts'>): boolean {
  const status = attempts.at(-1)?.status ?? null;
  return error?.source === 'provider' && status !== null && status < 400;
}
