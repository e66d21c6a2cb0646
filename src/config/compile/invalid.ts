import { GatewayError } from '../../core/error.ts';

/** Error for a config that cannot be compiled. For `gateway.yaml` the checks run first; for a config in a request, this is the response. */
export function invalidConfig(what: string, hint?: string, param?: string): GatewayError {
  return new GatewayError('invalid_config', { message: `The config is not valid: ${what}.`, hint, param });
}
