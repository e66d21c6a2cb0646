import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/** Calls back once the request's connection stands: TCP, and TLS where there is any. At once on a kept connection. */
export function whenConnected(socket: Socket, then: () => void): void {
  if (!socket.connecting) then();
  else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', then);
}

/**
 * A kept-alive connection that the provider had closed already looks like a reset before the answer. Only such a
 * request may be sent once more, and only when doing it twice does no harm (RFC 9110 9.2.2).
 */
export function isStale(out: ClientRequest | undefined, error: Error): boolean {
  return out?.reusedSocket === true && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

export const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
