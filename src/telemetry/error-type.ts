import type { AttemptRecord, LogRecord } from '../core/records/record.ts';

/**
 * Returns `error.type` of an attempt, the same in traces and metrics: the provider's status, else the outcome, else the error code
 * of a response that failed after it had begun. Undefined for a successful attempt.
 *
 * @param error the request's error, if this was its last attempt
 */
export function errorTypeOf({ status, outcome }: Pick<AttemptRecord, 'status' | 'outcome'>, error: LogRecord['error']): string | undefined {
  if (status === null) return outcome;
  if (status >= 400) return String(status);
  return error?.source === 'provider' ? error.code : undefined;
}
