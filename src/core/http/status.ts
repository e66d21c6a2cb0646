/**
 * True for the status of a whole answer (RFC 9110 15). Parsers take any three digits; what is none of these has no
 * meaning for a client, and `node:http` refuses to write it.
 */
export const isFinalStatus = (status: number): boolean => Number.isInteger(status) && status >= 200 && status <= 599;

/** The same of an error. */
export const isErrorStatus = (status: unknown): status is number => typeof status === 'number' && isFinalStatus(status) && status >= 400;
