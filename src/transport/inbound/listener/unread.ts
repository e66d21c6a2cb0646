import type { Socket } from 'node:net';
import { slowClientMs } from '../../wire/slow-client.ts';

/**
 * For the connection of a response that was written whole: a client that takes nothing more of it would keep it here for ever.
 * Node ends a connection on which nothing moves for so long.
 */
export function boundUnread(socket: Socket | null, ms = slowClientMs): void {
  if (socket !== null && socket.writableLength > 0) socket.setTimeout(ms);
}
