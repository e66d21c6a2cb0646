import { GatewayError } from '../error.ts';

/** Whoever looks for a record has its id from somewhere: why it may not be there is what they ask next. */
export const recordHint = 'A record is kept from the end of its request, for as long as logging.requests.retention says.';

export const recordNotFound = (id: string): GatewayError =>
  new GatewayError('record_not_found', { message: `There is no record "${id.slice(0, 100)}".`, hint: recordHint });
