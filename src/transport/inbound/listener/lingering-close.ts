import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { slowClientMs } from '../../wire/slow-client.ts';
import type { Sweeper, Sweepable } from '../../wire/sweeper.ts';

/** How long the rest of a client's data is read and discarded after its response, in milliseconds. */
const lingerMs = 5000;

/**
 * Ends a socket that no server handles any more. If the client keeps its side open or continues to send, the socket is
 * destroyed after a timeout.
 */
export function lingeringClose(socket: Duplex, last?: string): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer)).on('error', () => {});
  socket.end(last);
  socket.resume();
}

/**
 * Reads and discards the rest of a request that got an early response. Closing at once would reset the connection, and
 * the client could lose the response. A client that continues to send is disconnected after a timeout.
 *
 * Ends with the request or its connection: after a complete response, Node does not report to the request that the
 * connection has closed.
 */
export function linger(request: IncomingMessage, sweeper: Sweeper, monotonic: () => number): void {
  const { socket } = request;
  if (request.complete || socket.destroyed) return;
  const until = monotonic() + lingerMs;
  const item: Sweepable = {
    index: undefined,
    sweep: (now) => {
      if (now <= until) return;
      over();
      socket.destroy();
    },
    crashed: () => {
      over();
      socket.destroy();
    },
  };
  const over = (): void => {
    sweeper.delete(item);
    request.off('end', over).off('close', over);
    socket.off('close', over);
  };
  sweeper.add(item);
  request.once('end', over).once('close', over);
  socket.once('close', over);
  request.resume();
}

/**
 * Sets a timeout on the connection of a completely written response: a client that does not read it would otherwise
 * keep it in memory. Node closes a connection without activity after this time.
 */
export function limitUnreadTime(socket: Socket | null, ms = slowClientMs): void {
  if (socket !== null && socket.writableLength > 0) socket.setTimeout(ms);
}
