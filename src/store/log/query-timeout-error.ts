import { GatewayError } from '../../core/error.ts';

/** A query took longer than it may. */
export class QueryTimeoutError extends GatewayError {
  constructor(limitMs: number) {
    super('log_unavailable', {
      message: `The request log did not respond within ${limitMs / 1000} s.`,
      hint: 'Narrow the filter, for example with since:1h, or check whether the database is slow or locked.',
    });
  }
}
