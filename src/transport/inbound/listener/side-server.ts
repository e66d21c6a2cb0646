import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createServer } from '../../../core/node-http.ts';
import { boundUnread } from './unread.ts';

/** More than operators and their programs need at the same time. */
const mostConnections = 256;
/** How long a client may take nothing more of a response that waits for it. */
const unreadMs = 60_000;

/**
 * A listener beside that of clients, for operators and the programs that watch a gateway.
 *
 * @param most connections
 */
export function createSideServer(
  options: ServerOptions,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  most = mostConnections,
): Server {
  // Of one whole request; a response may take longer, as a live tail does.
  const clocks = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 30_000, connectionsCheckingInterval: 5000 };
  const server = createServer({ ...clocks, ...options });
  // First: a response that is written at once is seen, too.
  boundConnections(server, most);
  return server.on('request', serve);
}

/**
 * Keeps places for those who come: beyond `most` connections, the one that has been at rest for longest is closed. Whoever only
 * connects, sends half of a head or of a body, or does not read a response, keeps nobody out.
 */
function boundConnections(server: Server, most: number): void {
  /** In the order in which they became so. */
  const resting = new Set<Socket>();
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
      resting.delete(socket);
    });
    if (open > most) {
      const [longest = socket] = resting;
      resting.delete(longest);
      longest.destroy();
    }
    if (!socket.destroyed) resting.add(socket);
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    if (hasBody(request)) request.once('end', () => resting.delete(socket));
    else resting.delete(socket);
    const rest = (): void => {
      if (!socket.destroyed) resting.add(socket);
    };
    // Whole, but not yet taken.
    response.once('prefinish', () => {
      rest();
      boundUnread(socket, unreadMs);
    });
    response.once('close', rest);
  });
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
