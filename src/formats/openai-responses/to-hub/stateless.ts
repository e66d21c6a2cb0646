import { GatewayError } from '../../../core/error.ts';

/**
 * Error 400 for a request that needs something stored, which only services with this API have: the next target is tried, also in a
 * load balance. Libraries print only the message, so it contains the hint.
 */
export function statelessError(param: string, needs: string, hint: string): GatewayError {
  const message = `${needs}. ${hint}`;
  return new GatewayError('unsupported_endpoint', { message, param, hint, provider: { message, isOfOtherAccount: true } });
}
