import type { Socket } from 'node:net';
import { ResponseHeadParser } from './response-head.ts';
import type { Endpoint } from '../endpoint.ts';
import { UpstreamConnection } from './connection.ts';
import { connectTimeout, type DialOptions, type SocketEvents } from './dial.ts';
import type { Outgoing } from './outgoing.ts';
import { RequestHeadWriter } from './request-head.ts';

/** What an origin needs from the pool that contains it. */
export interface OriginOwner {
  dial(endpoint: Endpoint, options: DialOptions, events: SocketEvents): Socket;
  /** Called once for each connection, also for one that was not established. */
  connectionClosed(): void;
  requestEnded(): void;
}

/** All connections to one origin: idle, in use, and being opened. */
export class Origin {
  readonly responseHeads = new ResponseHeadParser();
  readonly requestHeads: RequestHeadWriter;
  readonly #endpoint: Endpoint;
  readonly #path: Omit<DialOptions, 'session'>;
  readonly owner: OriginOwner;
  /** A stack: the most recently used connection is used first, so that surplus ones reach their idle timeout and are closed. */
  #idle: UpstreamConnection[] = [];
  readonly #open = new Set<UpstreamConnection>();
  readonly #dials = new Set<PendingConnection>();
  /** TLS: the session with which the next connection can use a shorter handshake. */
  session: Buffer | undefined;
  /** Counts the calls of `renew`. */
  epoch = 0;
  /** Increases with each use of any origin. */
  lastUse = 0;

  constructor(endpoint: Endpoint, authority: string, path: Omit<DialOptions, 'session'>, owner: OriginOwner) {
    this.requestHeads = new RequestHeadWriter(authority);
    this.#endpoint = endpoint;
    this.#path = path;
    this.owner = owner;
  }

  /** Number of connections, including those being opened. */
  get size(): number {
    return this.#open.size + this.#dials.size;
  }

  get idle(): number {
    return this.#idle.length;
  }

  /** For each idle connection, since when it is idle. Monotonic milliseconds, ascending. */
  get idleTimes(): readonly number[] {
    return this.#idle.map(({ idleSince }) => idleSince);
  }

  get longestIdle(): UpstreamConnection | undefined {
    return this.#idle[0];
  }

  /** Sends over an idle connection, or opens a new one. */
  send(outgoing: Outgoing, now: number): void {
    const idleConnection = outgoing.request.isOnce ? undefined : this.#take(now);
    if (idleConnection === undefined) this.#dials.add(new PendingConnection(outgoing, this, now + outgoing.request.dialMs));
    else idleConnection.send(outgoing, true);
  }

  #take(now: number): UpstreamConnection | undefined {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      last.isIdle = false;
      if (last.idleUntil > now) return last;
      last.close();
    }
    return undefined;
  }

  dial(events: SocketEvents): Socket {
    return this.owner.dial(this.#endpoint, { ...this.#path, session: this.session }, events);
  }

  connectionOpened(dial: PendingConnection, socket: Socket, roundTripMs: number): UpstreamConnection {
    this.#dials.delete(dial);
    const connection = new UpstreamConnection(socket, this, dial.epoch, roundTripMs);
    this.#open.add(connection);
    return connection;
  }

  connectionFailed(dial: PendingConnection): void {
    this.#dials.delete(dial);
    // The upstream may have rejected the TLS session.
    this.session = undefined;
    this.owner.connectionClosed();
    this.owner.requestEnded();
  }

  /** Connections that exist now serve no further request. */
  renew(): void {
    this.epoch += 1;
    this.closeIdle();
  }

  /** Adds a connection to the idle ones, or closes it if it must not be used again. */
  addIdle(connection: UpstreamConnection, ms: number): void {
    const now = performance.now();
    const until = Math.min(now + ms, connection.retiresAt);
    if (connection.epoch !== this.epoch || until <= now) {
      connection.close();
      return;
    }
    connection.idleSince = now;
    connection.idleUntil = until;
    connection.isIdle = true;
    this.#idle.push(connection);
  }

  closed(connection: UpstreamConnection): void {
    this.#open.delete(connection);
    this.owner.connectionClosed();
    if (!connection.isIdle) return;
    connection.isIdle = false;
    this.#idle.splice(this.#idle[0] === connection ? 0 : this.#idle.lastIndexOf(connection), 1);
  }

  /** Closes connections that were idle too long, and aborts connection attempts that time out. */
  sweep(now: number): void {
    this.closeIdle(({ idleUntil }) => idleUntil <= now);
    for (const dial of this.#dials) if (dial.until <= now || dial.isAbandoned) dial.cancel(connectTimeout());
  }

  /** Closes idle connections. They are removed together, because there may be tens of thousands. */
  closeIdle(isClosing: (connection: UpstreamConnection) => boolean = () => true): void {
    const closing = this.#idle.filter(isClosing);
    if (closing.length === 0) return;
    for (const connection of closing) connection.isIdle = false;
    this.#idle = this.#idle.filter(({ isIdle }) => isIdle);
    for (const connection of closing) connection.close();
  }

  close(error: Error): void {
    for (const connection of this.#open) connection.failed(error);
    for (const dial of this.#dials) dial.cancel(error);
  }
}

/** A connection being opened, for the request that waits for it. Later it forwards the socket's events to the connection. */
class PendingConnection implements SocketEvents {
  /** Monotonic milliseconds. */
  readonly until: number;
  /** Epoch of the origin when the name was resolved. */
  readonly epoch: number;
  /** Cleared once the request is sent, because the connection far outlives the request. */
  #outgoing: Outgoing | undefined;
  readonly #origin: Origin;
  readonly #socket: Socket;
  #connection: UpstreamConnection | undefined;
  #isOver = false;

  constructor(outgoing: Outgoing, origin: Origin, until: number) {
    this.#outgoing = outgoing;
    this.#origin = origin;
    this.until = until;
    this.epoch = origin.epoch;
    this.#socket = origin.dial(this);
  }

  get isAbandoned(): boolean {
    return this.#outgoing?.receiver.isOver === true;
  }

  opened(socket: Socket, roundTripMs: number): void {
    if (this.#isOver) return;
    // Idle sockets must not keep the process alive. For requests in progress, `OriginPool` does that.
    socket.unref();
    this.#connection = this.#origin.connectionOpened(this, socket, roundTripMs);
    const outgoing = this.#outgoing;
    this.#outgoing = undefined;
    if (outgoing !== undefined) this.#connection.send(outgoing, false);
  }

  read(bytes: Buffer): void {
    if (this.#connection === undefined) this.cancel(new Error('bytes before the connection was open'));
    else if (!this.#connection.isClosed) this.#connection.read(bytes);
  }

  ended(): void {
    if (this.#connection !== undefined && !this.#connection.isClosed) this.#connection.ended();
  }

  failed(error: Error): void {
    if (this.#connection === undefined) this.cancel(error);
    else if (!this.#connection.isClosed) this.#connection.failed(error);
  }

  session(session: Buffer): void {
    this.#origin.session = session;
  }

  cancel(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#origin.connectionFailed(this);
    this.#socket.destroy();
    this.#outgoing?.receiver.failed(error);
    this.#outgoing = undefined;
  }
}
