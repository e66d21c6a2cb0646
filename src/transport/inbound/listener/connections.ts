import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PlainConnections } from '../plain/plain-connections.ts';
import type { DataServer } from '../server.ts';

/** Internal field of `node:http`: the current response on a socket, from the head of the request to the last byte written. */
type TrackedSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

interface ConnectionActivity {
  /** Bytes read at the last check. */
  bytes: number;
  /** Time of the last activity, in monotonic milliseconds. Undefined before the first check of a connection accepted during the shutdown. */
  activeAt: number | undefined;
  /** Time of the last check at which a response was due, or of the first check. */
  answeringAt: number | undefined;
}

/** How long bytes count as activity while no response is due: the beginning of a request, or the rest of one that was answered early. */
const arrivingMs = 5000;

/**
 * The open HTTP connections of a server, so that a shutdown can close each of them between two requests. There is no
 * cost per request before `startDraining`. Upgraded connections are closed only with all others.
 */
export class Connections {
  readonly #server: Server;
  readonly #plain: PlainConnections;
  readonly #open = new Map<TrackedSocket, ConnectionActivity>();
  readonly #upgraded = new Set<Socket>();

  constructor({ server, plain }: DataServer) {
    this.#server = server;
    this.#plain = plain;
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { bytes: 0, activeAt: undefined, answeringAt: undefined });
      socket.once('close', () => this.#open.delete(socket));
    });
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      this.#open.delete(socket);
      this.#upgraded.add(socket);
      socket.once('close', () => this.#upgraded.delete(socket));
    });
  }

  /** From now on, every response that has not started has `connection: close`. `now` in monotonic milliseconds. */
  startDraining(now: number): void {
    if (this.#plain.isDraining) return;
    this.#plain.isDraining = true;
    const last = (_request: IncomingMessage, response: ServerResponse): void => {
      response.shouldKeepAlive = false;
    };
    for (const event of ['request', 'checkContinue', 'checkExpectation']) this.#server.prependListener(event, last);
    for (const [socket, activity] of this.#open) {
      if (socket._httpMessage?.headersSent === false) socket._httpMessage.shouldKeepAlive = false;
      activity.activeAt = now;
    }
  }

  /**
   * Closes the connections without activity for `quietMs`, and returns the number of remaining ones. Call it right
   * after the event loop has polled, so that requests that have already arrived are known and keep their connection.
   */
  closeIdle(now: number, quietMs: number): number {
    for (const [socket, seen] of this.#open) {
      const isAnswering = Boolean(socket._httpMessage) || this.#plain.isResponding(socket);
      if (isAnswering || seen.answeringAt === undefined) seen.answeringAt = now;
      const isArriving = socket.bytesRead !== seen.bytes && now - seen.answeringAt < arrivingMs;
      if (isAnswering || isArriving || socket.writableLength > 0 || seen.activeAt === undefined) {
        seen.bytes = socket.bytesRead;
        seen.activeAt = now;
      } else if (now - seen.activeAt >= quietMs) {
        this.#open.delete(socket);
        socket.destroySoon();
      }
    }
    return this.#open.size;
  }

  /** Closes all connections at once, upgraded ones too. */
  closeAll(): void {
    for (const socket of [...this.#open.keys(), ...this.#upgraded]) socket.destroy();
  }
}
