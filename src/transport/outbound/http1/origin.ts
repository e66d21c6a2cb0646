import type { Socket } from 'node:net';
import { HeadParser } from './answer-head.ts';
import { Connection } from './connection.ts';
import { connectTimeout, type DialOptions, type Endpoint, type SocketEvents } from './dial.ts';
import type { Outgoing } from './outgoing.ts';
import { RequestHeads } from './request-head.ts';

/** What an origin needs from the pool that contains it. */
export interface OriginHost {
  dial(endpoint: Endpoint, options: DialOptions, events: SocketEvents): Socket;
  /** A request is waiting for a response or for a connection. */
  entered(): void;
  left(): void;
}

/** All connections to one origin: idle, in use, and being opened. */
export class Origin {
  readonly answers = new HeadParser();
  readonly heads: RequestHeads;
  readonly #endpoint: Endpoint;
  readonly #lookup: DialOptions['lookup'];
  readonly #host: OriginHost;
  /** A stack: the most recently used connection is used first, so that surplus ones reach their idle timeout and are closed. */
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  readonly #dials = new Set<Dial>();
  #session: Buffer | undefined;
  /** Increases with each use of any origin. */
  usedAt = 0;

  constructor(endpoint: Endpoint, authority: string, lookup: DialOptions['lookup'], host: OriginHost) {
    this.heads = new RequestHeads(authority);
    this.#endpoint = endpoint;
    this.#lookup = lookup;
    this.#host = host;
  }

  /** Number of connections, including those being opened. */
  get size(): number {
    return this.#open.size + this.#dials.size;
  }

  get idle(): number {
    return this.#idle.length;
  }

  /** Sends over an idle connection, or opens a new one. */
  send(outgoing: Outgoing, now: number): void {
    const kept = outgoing.isOnce ? undefined : this.#take(now);
    if (kept === undefined) this.#dials.add(new Dial(outgoing, this, now + outgoing.dialMs));
    else kept.send(outgoing, true);
  }

  #take(now: number): Connection | undefined {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (last.idleUntil > now) return last;
      last.close();
    }
    return undefined;
  }

  dial(events: SocketEvents): Socket {
    return this.#host.dial(this.#endpoint, { lookup: this.#lookup, session: this.#session }, events);
  }

  dialed(dial: Dial, socket: Socket): Connection {
    this.#dials.delete(dial);
    const connection = new Connection(socket, this);
    this.#open.add(connection);
    return connection;
  }

  undialed(dial: Dial): void {
    this.#dials.delete(dial);
    // The upstream may have rejected the TLS session.
    this.#session = undefined;
    this.#host.left();
  }

  remember(session: Buffer): void {
    this.#session = session;
  }

  /** Adds a connection to the idle ones. */
  keep(connection: Connection, ms: number): void {
    connection.idleUntil = performance.now() + ms;
    this.#idle.push(connection);
  }

  left(): void {
    this.#host.left();
  }

  closed(connection: Connection): void {
    this.#open.delete(connection);
    const place = this.#idle.lastIndexOf(connection);
    if (place >= 0) this.#idle.splice(place, 1);
  }

  /** Closes connections that were idle too long, and aborts connection attempts that time out. */
  sweep(now: number): void {
    for (const connection of this.#idle.filter(({ idleUntil }) => idleUntil <= now)) connection.close();
    for (const dial of this.#dials) if (dial.until <= now || dial.isUnwanted) dial.giveUp(connectTimeout());
  }

  closeIdle(): void {
    for (const connection of this.#idle.slice()) connection.close();
  }

  close(error: Error): void {
    for (const connection of this.#open) connection.failed(error);
    for (const dial of this.#dials) dial.giveUp(error);
  }
}

/** A connection being opened, for the request that waits for it. Later it forwards the socket's events to the connection. */
class Dial implements SocketEvents {
  /** Monotonic milliseconds. */
  readonly until: number;
  /** Cleared once the request is sent, because the connection far outlives the request. */
  #outgoing: Outgoing | undefined;
  readonly #origin: Origin;
  readonly #socket: Socket;
  #connection: Connection | undefined;
  #isOver = false;

  constructor(outgoing: Outgoing, origin: Origin, until: number) {
    this.#outgoing = outgoing;
    this.#origin = origin;
    this.until = until;
    this.#socket = origin.dial(this);
  }

  get isUnwanted(): boolean {
    return this.#outgoing?.receiver.isOver === true;
  }

  opened(socket: Socket): void {
    if (this.#isOver) return;
    // Idle sockets must not keep the process alive. For requests in progress, `Origins` does that.
    socket.unref();
    this.#connection = this.#origin.dialed(this, socket);
    const outgoing = this.#outgoing;
    this.#outgoing = undefined;
    if (outgoing !== undefined) this.#connection.send(outgoing, false);
  }

  read(bytes: Buffer): void {
    if (this.#connection === undefined) this.giveUp(new Error('bytes before the connection was open'));
    else if (!this.#connection.isClosed) this.#connection.read(bytes);
  }

  ended(): void {
    if (this.#connection !== undefined && !this.#connection.isClosed) this.#connection.ended();
  }

  failed(error: Error): void {
    if (this.#connection === undefined) this.giveUp(error);
    else if (!this.#connection.isClosed) this.#connection.failed(error);
  }

  session(session: Buffer): void {
    this.#origin.remember(session);
  }

  giveUp(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#origin.undialed(this);
    this.#socket.destroy();
    this.#outgoing?.receiver.failed(error);
    this.#outgoing = undefined;
  }
}
