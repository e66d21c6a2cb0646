import { GatewayError } from '../error.ts';

/**
 * Returns the error for a complete response of another type than JSON although a stream was requested. Undefined for JSON: a valid
 * response would have been converted to a stream, so its content is the problem.
 */
export function notAStream(contentType: string): GatewayError | undefined {
  if (/\bjson\b/i.test(contentType)) return undefined;
  const message = `The provider returned "${contentType}" although a stream was requested.`;
  return new GatewayError('upstream_invalid', { message, source: 'provider' });
}
