import type { AttemptRecord, LogRecord } from '../core/records/record.ts';

/**
 * `error.type` of an attempt, the same in traces and metrics: the provider's status, else what happened in its place, else
 * the code of the error by which an answer ended that had begun. Undefined for one that worked.
 *
 * @param error of the request, where this was its last attempt
 */
export function errorTypeOf({ status, outcome }: Pick<AttemptRecord, 'status' | 'outcome'>, error: LogRecord['error']): string | undefined {
  if (status === null) return outcome;
  if (status >= 400) return String(status);
  return error?.source === 'provider' ? error.code : undefined;
}
