import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/** Calls back once the request's connection stands: TCP, and TLS where there is any. At once on a kept connection. */
export function whenConnected(socket: Socket, then: () => void): void {
  if (!socket.connecting) then();
  else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', then);
}

/** Milliseconds within which a kept connection that was closed before reports it. */
const staleMs = 100;

/** What a connection had read when a request was written to it, and when that was. */
export interface Written {
  readonly socket: Socket;
  readonly read: number;
  readonly at: number;
}

/**
 * A kept connection that the provider had closed already looks like a reset before the answer. Nobody has read such a
 * request, as long as no byte of an answer came and the reset did at once.
 */
export function isUnread(out: ClientRequest | undefined, error: Error, written: Written | undefined, now: number): boolean {
  if (out?.reusedSocket !== true || written === undefined || written.socket.bytesRead !== written.read) return false;
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE') && now - written.at <= staleMs;
}

/** Doing these twice does no harm (RFC 9110 9.2.2). */
export const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
