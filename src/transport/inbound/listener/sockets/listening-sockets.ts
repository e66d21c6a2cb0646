import type { SendHandle } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as afterPoll } from 'node:timers/promises';
import type { ListenAddress } from '../../../../core/http/listen-address.ts';
import { errorCode } from '../../../../core/text/error-code.ts';
import { listen, listening, type Listening, listenShared, urlOf } from './listen.ts';

/** How long `stop` accepts connections that the system has queued, in milliseconds. */
const queuedMs = 1000;

export interface ListeningSocketsDeps {
  /** Limits the connections of a listener. The listeners of one group share the limit. */
  limit(listener: NetServer, group: object): void;
  /** Called with errors of a listening socket. */
  readonly onError: (error: Error) => void;
}

/**
 * The sockets on which a server listens. All have the same address. The event loop accepts one connection of each in a
 * turn (libuv, `uv__server_io`), and a turn of a saturated gateway takes tens of milliseconds: with one socket, new
 * connections would wait for seconds while existing ones are served.
 */
export class ListeningSockets {
  readonly #server: Server;
  readonly #deps: ListeningSocketsDeps;
  readonly #others = new Set<NetServer>();

  constructor(server: Server, deps: ListeningSocketsDeps) {
    this.#server = server;
    this.#deps = deps;
    this.#watch(server, this);
  }

  /** Starts listening on this number of sockets, on systems that can share an address; rejects with the system's error. */
  async listen(address: ListenAddress, sockets: number): Promise<Listening> {
    if ('path' in address || sockets === 1) return await listen(this.#server, address);
    let first: AddressInfo;
    try {
      first = await listenShared(this.#server, address);
    } catch (error) {
      if (errorCode(error) === 'EADDRINUSE') throw error;
      // This system cannot share ports.
      return await listen(this.#server, address);
    }
    const shared = { host: first.address, port: first.port, reusePort: true };
    for (let made = 1; made < sockets; made += 1) await listening(this.createListener(), shared);
    return { url: urlOf(address.host, first), release: () => {} };
  }

  /** Listens on bound sockets. */
  async listenOn(bound: readonly SendHandle[]): Promise<void> {
    for (const [index, socket] of bound.entries()) await listening(index === 0 ? this.#server : this.createListener(), socket);
  }

  /** Creates another listener, whose connections the server serves. @param group for the limit of connections */
  createListener(group: object = this): NetServer {
    // Same socket options as a `node:http` server.
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.serve(socket));
    listener.on('close', () => this.#others.delete(listener));
    this.#others.add(listener);
    this.#watch(listener, group);
    return listener;
  }

  #watch(listener: NetServer, group: object): void {
    const { limit, onError } = this.#deps;
    limit(listener, group);
    // An error before is that of `listening`.
    listener.on('listening', () => listener.on('error', onError));
  }

  /** Serves a connection that is already accepted. */
  serve(socket: Socket): void {
    this.#server.emit('connection', socket);
  }

  /**
   * Accepts the connections that the system has queued, because closing a socket resets them, and no more. The sockets are
   * closed one after another: those that are left get the connections made meanwhile. Open connections stay.
   */
  async stop(): Promise<void> {
    const end = performance.now() + queuedMs;
    // The server is the last one: it emits the connections of all.
    for (const listener of [...this.#others, this.#server]) {
      await untilQuiet(listener, end);
      // Not the HTTP server's `close`: it treats a connection as idle as soon as the response was written, and would cut
      // off data that a slow client has not received yet.
      NetServer.prototype.close.call(listener);
    }
  }

  /** Accepts no more connections, closes idle ones, and resolves when all are closed. */
  async close(): Promise<void> {
    const listeners = [this.#server, ...this.#others];
    const areClosed = listeners.filter(({ listening }) => listening).map((listener) => once(listener, 'close'));
    for (const listener of listeners) listener.close();
    await Promise.all(areClosed);
  }
}

/** Resolves when a listener has accepted the connections in its queue. @param end monotonic milliseconds */
async function untilQuiet(listener: NetServer, end: number): Promise<void> {
  let quietTurns = 0;
  const note = (): void => void (quietTurns = -1);
  listener.on('connection', note);
  // Two turns: the first may have begun before a connection was queued.
  for (; quietTurns < 2 && performance.now() < end; quietTurns += 1) await afterPoll();
  listener.off('connection', note);
}
