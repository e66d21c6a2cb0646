/**
 * True for a final response status (RFC 9110 15). Parsers accept any three digits, but other values have no meaning for
 * a client, and `node:http` does not write them.
 */
export const isFinalStatus = (status: number): boolean => Number.isInteger(status) && status >= 200 && status <= 599;

/** True for a final status that is an error. */
export const isErrorStatus = (status: unknown): status is number => typeof status === 'number' && isFinalStatus(status) && status >= 400;
