import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type GatewayError, plainErrorBody } from '../../../core/error.ts';
import { createServer } from '../../../core/node-http.ts';
import { hasBody } from '../body/has-body.ts';
import { useAbsoluteTarget } from '../request-target.ts';
import { hasUncertainEnd, headFault } from './head-fault.ts';
import { limitUnreadTime } from './lingering-close.ts';
import { rejectRaw } from './reject-raw.ts';
import { headTimeoutMs, ParserErrors } from './parser-errors.ts';

/** Maximum number of connections; operators and their programs need fewer. */
const maxConnections = 256;
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
  most = maxConnections,
): Server {
  // Timeouts for receiving a request. A response may take longer, such as a live tail.
  const clocks = { headersTimeout: headTimeoutMs, requestTimeout: 30_000, keepAliveTimeout: 30_000, connectionsCheckingInterval: 5000 };
  // A missing `Host` is found by `headFault`, whose response has a body.
  const server = createServer({ ...clocks, maxHeaderSize, requireHostHeader: false });
  const last = new WeakMap<Duplex, IncomingMessage>();
  /** Connections that are closed after the current response. */
  const closing = new WeakSet<Duplex>();
  server.on('request', (request) => last.set(request.socket, request));
  server.on('clientError', new ParserErrors(rejectRaw, last, { maxHeaderSize }).handle);
  // Registered first, so that responses written synchronously are tracked, too.
  limitConnections(server, most);
  return server.on('request', (request, response) => {
    // Bytes behind the last request may be its body.
    if (closing.has(request.socket)) return;
    useAbsoluteTarget(request);
    if (hasUncertainEnd(request)) {
      closing.add(request.socket);
      response.shouldKeepAlive = false;
    }
    const fault = headFault(request);
    if (fault === undefined) serve(request, response);
    else rejectHead(response, fault);
  });
}

function rejectHead(response: ServerResponse, fault: GatewayError): void {
  const body = plainErrorBody(fault);
  response.writeHead(fault.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'close' });
  response.end(body);
}

/**
 * Limits the number of connections: above `most`, the connection that has been idle longest is closed. A client that
 * only connects, sends an incomplete request, or does not read the response cannot block others.
 */
function limitConnections(server: Server, most: number): void {
  /** Idle connections, the longest idle one first. */
  const idleSockets = new Set<Socket>();
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
      idleSockets.delete(socket);
    });
    if (open > most) {
      const [oldest = socket] = idleSockets;
      idleSockets.delete(oldest);
      oldest.destroy();
    }
    if (!socket.destroyed) idleSockets.add(socket);
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    if (hasBody(request)) request.once('end', () => idleSockets.delete(socket));
    else idleSockets.delete(socket);
    const markIdle = (): void => {
      if (!socket.destroyed) idleSockets.add(socket);
    };
    // Completely written, but not yet read by the client.
    response.once('prefinish', () => {
      markIdle();
      limitUnreadTime(socket, unreadMs);
    });
    response.once('close', markIdle);
  });
}
