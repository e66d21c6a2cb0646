import { GatewayError } from '../../core/error.ts';

/** What came is not what the format says; nothing of it was committed. */
export function invalid(message: string): GatewayError {
  return new GatewayError('upstream_invalid', { message, source: 'provider' });
}

/** A committed answer broke off. */
export function interrupted(message: string): GatewayError {
  return new GatewayError('stream_interrupted', { message, source: 'provider' });
}

/** The code of a socket error. */
export function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
