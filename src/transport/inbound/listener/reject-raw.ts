import type { Duplex } from 'node:stream';
import { type GatewayError, plainErrorBody } from '../../../core/error.ts';
import { STATUS_CODES } from '../../../core/node-http.ts';
import { lingeringClose } from './lingering-close.ts';

/** Sends a complete error response on a socket that has no `node:http` response, then closes the connection. */
export function rejectRaw(socket: Duplex, error: GatewayError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, retry, allow } = error;
  const body = plainErrorBody(error);
  lingeringClose(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${retry ? '' : 'x-should-retry: false\r\n'}${allow === undefined ? '' : `allow: ${allow}\r\n`}connection: close\r\n\r\n${body}`,
  );
}
