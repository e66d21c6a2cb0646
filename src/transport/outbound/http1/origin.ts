import type { Socket } from 'node:net';
import { HeadParser } from './answer-head.ts';
import { Connection } from './connection.ts';
import { connectTimeout, type DialOptions, type Endpoint, type SocketEvents } from './dial.ts';
import type { Outgoing } from './outgoing.ts';
import { RequestHeads } from './request-head.ts';

/** What an origin asks of the set that it belongs to. */
export interface OriginHost {
  dial(endpoint: Endpoint, options: DialOptions, events: SocketEvents): Socket;
  /** A request waits for an answer, or for a connection. */
  entered(): void;
  left(): void;
}

/** Everything that is open to one origin: connections that wait, those at work, and those that are being made. */
export class Origin {
  readonly answers = new HeadParser();
  readonly heads: RequestHeads;
  readonly #endpoint: Endpoint;
  readonly #lookup: DialOptions['lookup'];
  readonly #host: OriginHost;
  /** The one that waited the shortest time is used next, so that those beyond the need grow old and are closed. */
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  readonly #dials = new Set<Dial>();
  #session: Buffer | undefined;
  /** Grows with each use of any origin. */
  usedAt = 0;

  constructor(endpoint: Endpoint, authority: string, lookup: DialOptions['lookup'], host: OriginHost) {
    this.heads = new RequestHeads(authority);
    this.#endpoint = endpoint;
    this.#lookup = lookup;
    this.#host = host;
  }

  /** Connections, those that are being made included. */
  get size(): number {
    return this.#open.size + this.#dials.size;
  }

  get idle(): number {
    return this.#idle.length;
  }

  /** Sends over a connection that waits, or over a new one. */
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
    // It may be what the other side did not like.
    this.#session = undefined;
    this.#host.left();
  }

  remember(session: Buffer): void {
    this.#session = session;
  }

  /** A connection has nothing to do for now. */
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

  /** Closes what has waited too long, and gives up connections that do not come. */
  sweep(now: number): void {
    for (const connection of this.#idle.filter(({ idleUntil }) => idleUntil <= now)) connection.close();
    for (const dial of this.#dials) if (dial.until <= now) dial.giveUp(connectTimeout());
  }

  closeIdle(): void {
    for (const connection of this.#idle.slice()) connection.close();
  }

  close(error: Error): void {
    for (const connection of this.#open) connection.failed(error);
    for (const dial of this.#dials) dial.giveUp(error);
  }
}

/** A connection that is being made, for the request that waits for it; later what its socket tells. */
class Dial implements SocketEvents {
  /** Monotonic milliseconds. */
  readonly until: number;
  /** Until it leaves: the connection outlives the request by far. */
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

  opened(socket: Socket): void {
    if (this.#isOver) return;
    // What waits or works keeps the process alive by itself: see `Origins`.
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
