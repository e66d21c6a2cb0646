import type { IncomingMessage } from 'node:http';
import type { Sweeper, Swept } from '../sweeper.ts';

/** How long the rest of an upload is read and thrown away after its answer. */
const lingerMs = 5000;

/**
 * Reads on what a client still sends after its request was answered early. Closing at once would reset the connection
 * and take the answer with it before the client has read it; a client that goes on sending is cut off.
 */
export function linger(request: IncomingMessage, sweeper: Sweeper, monotonic: () => number): void {
  const until = monotonic() + lingerMs;
  const item: Swept = {
    place: undefined,
    sweep: (now) => {
      if (now > until) request.socket.destroy();
    },
  };
  sweeper.add(item);
  request.once('close', () => sweeper.delete(item));
  request.resume();
}
