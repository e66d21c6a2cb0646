import { isPermanentFault } from '../../../core/http/connection-fault.ts';
import { GatewayError } from '../../../core/error.ts';
import { errorCode } from '../../../core/text/error-code.ts';

/** Codes of certificate errors have many names; these prefixes cover node's and OpenSSL's. */
const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_|HOSTNAME_)/;

/** The provider was not reached, or it hung up before it answered. An egress refusal of the resolver stays what it is. */
export function notReached(error: Error, origin: string): GatewayError {
  if (error instanceof GatewayError) return error;
  const code = errorCode(error);
  return new GatewayError('upstream_unreachable', {
    message: `The provider at "${hostOf(origin)}" could not be reached: ${words(code, error)}.`,
    source: 'provider',
    ...(isPermanentFault(error) ? { retry: false } : {}),
    cause: error,
  });
}

/** No client could read such an answer, and `node:http` does not write its head. */
export function unknownStatus(status: number | undefined): GatewayError {
  return new GatewayError('upstream_invalid', {
    message: `The provider returned the status ${status ?? 'none'}, which is not a valid HTTP status.`,
    source: 'provider',
  });
}

/** The provider's connection broke after its head was passed on. */
export function brokeOff(): GatewayError {
  return new GatewayError('stream_interrupted', {
    message: "The provider's connection broke in the middle of the response.",
    source: 'provider',
  });
}

export function notConnected(afterMs: number, origin: string): GatewayError {
  return new GatewayError('timeout', {
    message: `The provider at "${hostOf(origin)}" accepted no connection within ${afterMs} ms.`,
    source: 'provider',
    hint: 'Setting: timeouts.connect',
  });
}

/** Nobody moved a byte; `who` is the side that was waited for. */
export function wentSilent(who: 'client' | 'provider', afterMs: number, headSent: boolean): GatewayError {
  return new GatewayError(headSent ? 'idle_timeout' : 'timeout', {
    message: `The ${who} transferred no data for ${afterMs} ms.`,
    source: who === 'provider' ? 'provider' : 'gateway',
    hint: 'Setting: timeouts.idle',
  });
}

function words(code: string, error: Error): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name could not be resolved';
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'the connection was closed before a response';
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'there is no route to it';
  if (tlsCode.test(code)) return `its certificate or TLS was not accepted (${code})`;
  if (code.startsWith('HPE_')) return 'its response is not valid HTTP';
  return code === '' ? error.message : code;
}

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : origin;
}
