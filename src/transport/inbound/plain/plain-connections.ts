import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ResponseHeadWriter, keepAliveSeconds } from './response-head.ts';
import { type ConnectionOwner, type ConnectionPhase, PlainConnection } from './connection.ts';
import type { PlainConnectionsDeps } from './plain-request.ts';
import { type KnownHead, KnownHeads, type ReadHead } from './known-head.ts';
import type { TimeoutGroup } from '../../wire/timer-wheel.ts';

/**
 * Timeouts of the phases, in seconds. The phase `exchange` has none here, because requests have their own timeouts, and
 * `Linger` ends the phase `rest`.
 */
const limits: { readonly [P in ConnectionPhase]?: number } = { silent: 10, head: 10, idle: keepAliveSeconds + 1 };

/** The connections whose requests are parsed on the socket. A `node:http` server accepts them and handles all that are not plain. */
export class PlainConnections implements TimeoutGroup, ConnectionOwner {
  readonly everyMs = 1000;
  readonly heads: ResponseHeadWriter;
  readonly limits = limits;
  readonly deps: PlainConnectionsDeps;
  /** Number of checks of all connections so far; one per second while there are any. */
  tick = 0;
  /** True during a shutdown: every response that has not started closes its connection. */
  isDraining = false;
  readonly #known = new KnownHeads();
  readonly #open = new Map<Socket, PlainConnection>();
  readonly #toNode: (socket: Socket) => void;

  /** @param server its own connection listeners are replaced, and called only for connections handed over */
  constructor(server: Server, deps: PlainConnectionsDeps) {
    this.deps = deps;
    this.heads = new ResponseHeadWriter(deps.now);
    const nodeListeners = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    this.#toNode = (socket) => {
      for (const listener of nodeListeners) listener.call(server, socket);
    };
    server.on('connection', (socket: Socket) => this.#connect(socket));
  }

  /** True while a request on this connection has no complete response. False for connections not handled here. */
  isResponding(socket: Socket): boolean {
    return this.#open.get(socket)?.isResponding === true;
  }

  // ---- used by the connections ------------------------------------------------------------------

  read(bytes: Buffer, last: KnownHead | undefined): ReadHead | 'more' | undefined {
    const names = this.deps.names();
    return names === undefined ? undefined : this.#known.read(bytes, last, names);
  }

  closed({ socket }: PlainConnection): void {
    this.#open.delete(socket);
  }

  handOver(connection: PlainConnection, bytes: Buffer): void {
    const { socket } = connection;
    this.closed(connection);
    socket.pause();
    socket.unshift(bytes);
    this.#toNode(socket);
    socket.resume();
  }

  #connect(socket: Socket): void {
    if (this.deps.names() === undefined) {
      this.#toNode(socket);
      return;
    }
    this.#open.set(socket, new PlainConnection(socket, this));
    this.deps.wheel.add(this);
  }

  check(): boolean {
    this.tick += 1;
    for (const connection of this.#open.values()) connection.checkTimeout(this.tick);
    return this.#open.size > 0;
  }
}
