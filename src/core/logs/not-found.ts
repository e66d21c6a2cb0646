import { GatewayError } from '../error.ts';

/** Explains why a record with a known ID may be missing. */
export const recordHint = 'A record is stored at the end of its request, and deleted according to logging.requests.retention.';

export const recordNotFound = (id: string): GatewayError =>
  new GatewayError('record_not_found', { message: `There is no record "${id.slice(0, 100)}".`, hint: recordHint });
