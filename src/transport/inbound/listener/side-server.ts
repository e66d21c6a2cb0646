import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer } from '../../../core/node-http.ts';
import { boundUnread } from './linger.ts';
import { refuseRaw } from './raw-refusal.ts';
import { headTimeoutMs, UnreadableBytes } from './unreadable.ts';

/** Maximum number of connections; operators and their programs need fewer. */
const mostConnections = 256;
/** Timeout for a client that does not read a complete response, in milliseconds. */
const unreadMs = 60_000;

/**
 * Creates a listener for operators and monitoring, separate from the data listener.
 *
 * @param maxHeaderSize maximum total size of the headers of a request, in bytes
 * @param most maximum number of connections
 */
export function createSideServer(
  maxHeaderSize: number,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  most = mostConnections,
): Server {
  // Timeouts for receiving a request. A response may take longer, such as a live tail.
  const clocks = { headersTimeout: headTimeoutMs, requestTimeout: 30_000, keepAliveTimeout: 30_000, connectionsCheckingInterval: 5000 };
  const server = createServer({ ...clocks, maxHeaderSize });
  const last = new WeakMap<Duplex, IncomingMessage>();
  server.on('request', (request) => last.set(request.socket, request));
  server.on('clientError', new UnreadableBytes(refuseRaw, last, { maxHeaderSize }).take);
  // Registered first, so that responses written synchronously are tracked, too.
  boundConnections(server, most);
  return server.on('request', serve);
}

/**
 * Limits the number of connections: above `most`, the connection that has been idle longest is closed. A client that
 * only connects, sends an incomplete request, or does not read the response cannot block others.
 */
function boundConnections(server: Server, most: number): void {
  /** Idle connections, the longest idle one first. */
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
    // Completely written, but not yet read by the client.
    response.once('prefinish', () => {
      rest();
      boundUnread(socket, unreadMs);
    });
    response.once('close', rest);
  });
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
