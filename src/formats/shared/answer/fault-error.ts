import { GatewayError, type ProviderFault } from '../../../core/error.ts';

/** A fault that came under status 200, as it goes to the client. */
export function faultError(provider: ProviderFault): GatewayError {
  const { message, status, hint } = provider;
  return new GatewayError('provider_error', { message, status, source: 'provider', provider, hint });
}
