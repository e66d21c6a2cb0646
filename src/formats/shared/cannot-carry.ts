import { GatewayError } from '../../core/error.ts';

/** A 400 about something in the body that has no form in the provider's request. */
export function cannotCarry(param: string, message: string, hint?: string): GatewayError {
  return new GatewayError('unsupported_parameter', { message, param, hint });
}
