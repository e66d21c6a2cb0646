import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PlainFront } from '../plain/front.ts';
import type { DataServer } from '../server.ts';

/** What `node:http` keeps on a socket: the response whose turn it is, from the request's head to the last byte handed over. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

interface Seen {
  /** Bytes read at the last look. */
  bytes: number;
  /** Monotonic milliseconds: when it was last seen at work. */
  activeAt: number;
}

/**
 * The open HTTP connections of a server, so that a stop can close each of them between two requests. Nothing is done
 * for a request before `leave`. A connection that was upgraded is no longer one of them.
 */
export class Connections {
  readonly #server: Server;
  readonly #plain: PlainFront;
  readonly #open = new Map<HttpSocket, Seen>();
  #isLeaving = false;

  constructor({ server, plain }: DataServer) {
    this.#server = server;
    this.#plain = plain;
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { bytes: 0, activeAt: 0 });
      socket.once('close', () => this.#open.delete(socket));
    });
    server.on('upgrade', (request: IncomingMessage) => this.#open.delete(request.socket));
  }

  /** Every answer that has not begun says `connection: close` from now on. `now` in monotonic milliseconds. */
  leave(now: number): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#plain.leave();
    const last = (_request: IncomingMessage, response: ServerResponse): void => {
      response.shouldKeepAlive = false;
    };
    this.#server.prependListener('request', last).prependListener('checkContinue', last);
    for (const [socket, seen] of this.#open) {
      if (socket._httpMessage?.headersSent === false) socket._httpMessage.shouldKeepAlive = false;
      seen.activeAt = now;
    }
  }

  /**
   * Closes the connections on which nothing happened for `quietMs`, and returns how many are left. Call it right after
   * the event loop has polled: a request that arrived before is then known, and its connection stays.
   */
  closeQuiet(now: number, quietMs: number): number {
    for (const [socket, seen] of this.#open) {
      const isAnswering = Boolean(socket._httpMessage) || this.#plain.isAnswering(socket);
      const isAtWork = isAnswering || socket.bytesRead !== seen.bytes || socket.writableLength > 0;
      if (isAtWork) {
        seen.bytes = socket.bytesRead;
        seen.activeAt = now;
      } else if (now - seen.activeAt >= quietMs) {
        this.#open.delete(socket);
        socket.destroySoon();
      }
    }
    return this.#open.size;
  }

  /** Cuts all of them off. */
  closeAll(): void {
    this.#server.closeAllConnections();
    this.#plain.closeAll();
  }
}
