import { GatewayError } from '../../core/error.ts';

/** A config that can't be compiled. In `gateway.yaml` the checks come first; for a config of a request this is the answer. */
export function invalid(what: string, hint?: string, param?: string): GatewayError {
  return new GatewayError('invalid_config', { message: `The config is not valid: ${what}.`, hint, param });
}
