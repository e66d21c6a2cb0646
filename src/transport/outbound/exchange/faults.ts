import { GatewayError } from '../../../core/error.ts';
import type { TimeoutPhase } from '../../../core/plan.ts';
import { slowClientMs } from '../../wire/slow-client.ts';
import { errorCode } from '../../../core/text/error-code.ts';

/** What came is not what the format says; nothing of it was committed. */
export function invalid(message: string, retry?: boolean): GatewayError {
  return new GatewayError('upstream_invalid', { message, source: 'provider', retry });
}

/** A committed answer broke off. */
export function interrupted(message: string): GatewayError {
  return new GatewayError('stream_interrupted', { message, source: 'provider' });
}

/** The code of a socket error. */
export function codeOf(error: Error): string | undefined {
  return errorCode(error) || undefined;
}

/** Codes of a connection that did not come in time: the library's and our own. */
export const isConnectTimeout = (code: string | undefined): boolean =>
  code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'UPSTREAM_CONNECT_TIMEOUT';

/** A head that a strict reader does not take; the library adds up two lengths and says that the body has another one. */
export const isNotHttp = ({ name }: Error, code: string | undefined): boolean =>
  name === 'HTTPParserError' || code === 'UPSTREAM_INVALID' || code === 'UPSTREAM_LENGTH' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

/** A clock ran out in the middle of a committed answer. */
export function overdue(phase: TimeoutPhase, afterMs: number): GatewayError {
  const isIdle = phase === 'idle';
  const what = isIdle ? `sent nothing for ${afterMs} ms` : `did not finish within ${afterMs} ms`;
  const message = `The provider ${what}.`;
  return new GatewayError(isIdle ? 'idle_timeout' : 'timeout', { message, source: 'provider', hint: `Setting: timeouts.${phase}` });
}

/** The other side of an upload: it sends nothing. */
export function unsent(afterMs: number): GatewayError {
  return new GatewayError('timeout', { message: `The client transferred no data for ${afterMs} ms.`, hint: 'Setting: timeouts.idle' });
}

/** The other side of a download: it takes nothing. */
export function untaken(): GatewayError {
  return new GatewayError('idle_timeout', { message: `The client read nothing for ${slowClientMs / 1000} s.` });
}
