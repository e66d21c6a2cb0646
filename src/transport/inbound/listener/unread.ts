import type { Socket } from 'node:net';
import { slowClientMs } from '../../wire/slow-client.ts';

/**
 * Sets a timeout on the connection of a completely written response: a client that does not read it would otherwise
 * keep it in memory. Node closes a connection without activity after this time.
 */
export function boundUnread(socket: Socket | null, ms = slowClientMs): void {
  if (socket !== null && socket.writableLength > 0) socket.setTimeout(ms);
}
