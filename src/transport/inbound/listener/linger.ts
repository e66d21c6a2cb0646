import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Sweeper, Swept } from '../../wire/sweeper.ts';

/** How long the rest of what a client sends is read and thrown away after its answer. */
const lingerMs = 5000;

/**
 * Ends a socket that no server looks after any more. A client that does not close its own side, or goes on sending, is
 * cut off.
 */
export function endSoon(socket: Duplex, last?: string): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer)).on('error', () => {});
  socket.end(last);
  socket.resume();
}

/**
 * Reads on what a client still sends after its request was answered early. Closing at once would reset the connection
 * and take the answer with it before the client has read it; a client that goes on sending is cut off.
 *
 * It ends with the request or with its connection: once the answer is complete, node no longer reports to the request
 * that the connection has closed.
 */
export function linger(request: IncomingMessage, sweeper: Sweeper, monotonic: () => number): void {
  const { socket } = request;
  if (request.complete || socket.destroyed) return;
  const until = monotonic() + lingerMs;
  const item: Swept = {
    place: undefined,
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
