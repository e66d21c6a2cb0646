import { GatewayError } from '../../../core/error.ts';
import type { TimeoutPhase } from '../../../core/plan.ts';
import { slowClientMs } from '../../wire/slow-client.ts';

/** The response is not valid in its format, and none of it was committed. */
export function invalidResponse(message: string, retry?: boolean): GatewayError {
  return new GatewayError('upstream_invalid', { message, source: 'provider', retry });
}

/** A committed response broke off. */
export function streamInterrupted(message: string): GatewayError {
  return new GatewayError('stream_interrupted', { message, source: 'provider' });
}

/** Error codes of a connect timeout: those of undici and of the gateway's own client. */
export const isConnectTimeout = (code: string): boolean => code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'UPSTREAM_CONNECT_TIMEOUT';

/** A response that a strict parser rejects. undici adds up two Content-Length values and then reports a length mismatch. */
export const isInvalidHttp = ({ name }: Error, code: string): boolean =>
  name === 'HTTPParserError' || code === 'UPSTREAM_INVALID' || code === 'UPSTREAM_LENGTH' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

/** A timeout expired during a committed response. */
export function timeoutFault(phase: TimeoutPhase, afterMs: number): GatewayError {
  const isIdle = phase === 'idle';
  const what = isIdle ? `sent nothing for ${afterMs} ms` : `did not finish within ${afterMs} ms`;
  const message = `The provider ${what}.`;
  return new GatewayError(isIdle ? 'idle_timeout' : 'timeout', {
    message,
    source: 'provider',
    hint: `To wait longer, raise timeouts.${phase}.`,
  });
}

/** The client sends no data during an upload. */
export function clientNotSending(afterMs: number): GatewayError {
  return new GatewayError('timeout', {
    message: `The client transferred no data for ${afterMs} ms.`,
    hint: 'Send the data without pauses, or raise timeouts.idle.',
  });
}

/** The client reads no data of a response. */
export function clientNotReading(): GatewayError {
  return new GatewayError('idle_timeout', { message: `The client read nothing for ${slowClientMs / 1000} s.` });
}
