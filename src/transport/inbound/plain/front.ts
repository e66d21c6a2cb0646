import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { HeaderPairs } from '../../../core/http/headers.ts';
import { AnswerHeads, keptSeconds } from './answer-head.ts';
import type { ArrivingBody } from './arriving-body.ts';
import type { PlainClient } from './client.ts';
import type { BodyLength } from './head.ts';
import { type Phase, PlainConnection } from './connection.ts';
import { type KnownHead, KnownHeads, type ReadHead } from './known-head.ts';
import type { HeaderNames } from '../header-bag.ts';
import type { TimeoutGroup, Wheel } from '../../wire/wheel.ts';

/** A plain request after its head was parsed. */
export interface PlainRequest {
  readonly known: KnownHead;
  readonly length: BodyLength;
  readonly client: PlainClient;
  /** The complete body, or a stream of it. */
  readonly body: Buffer | ArrivingBody;
  readonly peer: string | undefined;
}

export interface PlainFrontDeps {
  readonly wheel: Wheel;
  /** Unix milliseconds. */
  now(): number;
  /** Gateway headers of the active snapshot; undefined if `node:http` must handle every connection. */
  names(): HeaderNames | undefined;
  serve(request: PlainRequest): void;
  /** Headers added to every response to such a request. */
  moreHeaders(known: KnownHead): HeaderPairs | undefined;
  onDefect(error: unknown): void;
  /** Complete error responses for connections without an exchange. */
  readonly last: {
    late(socket: Socket): void;
    unreadable(socket: Socket): void;
    defect(socket: Socket): void;
  };
}

/** Timeouts of the phases, in seconds. The phase `exchange` has none here, because requests have their own timeouts. */
const limits: { readonly [P in Phase]?: number } = { silent: 10, head: 10, rest: 5, idle: keptSeconds + 1 };

/** The connections whose requests are parsed on the socket. A `node:http` server accepts them and handles all that are not plain. */
export class PlainFront implements TimeoutGroup {
  readonly everyMs = 1000;
  readonly heads: AnswerHeads;
  readonly limits = limits;
  readonly #deps: PlainFrontDeps;
  readonly #known = new KnownHeads();
  readonly #open = new Map<Socket, PlainConnection>();
  readonly #toNode: (socket: Socket) => void;
  #tick = 0;
  #isLeaving = false;

  /** @param server its own connection listeners are replaced, and called only for connections handed over */
  constructor(server: Server, deps: PlainFrontDeps) {
    this.#deps = deps;
    this.heads = new AnswerHeads(deps.now);
    const own = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    this.#toNode = (socket) => {
      for (const listener of own) listener.call(server, socket);
    };
    server.on('connection', (socket: Socket) => this.#connect(socket));
    server.on('close', () => deps.wheel.delete(this));
  }

  /** Number of checks of all connections so far; one per second while there are any. */
  get tick(): number {
    return this.#tick;
  }

  /** True during a shutdown: every response that has not started closes its connection. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  leave(): void {
    this.#isLeaving = true;
  }

  /** True while a request on this connection has no complete response. False for connections not handled here. */
  isAnswering(socket: Socket): boolean {
    return this.#open.get(socket)?.isAnswering === true;
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  // ---- used by the connections ------------------------------------------------------------------

  read(bytes: Buffer, last: KnownHead | undefined): ReadHead | 'more' | undefined {
    const names = this.#deps.names();
    return names === undefined ? undefined : this.#known.read(bytes, last, names);
  }

  serve(request: PlainRequest): void {
    this.#deps.serve(request);
  }

  moreHeaders(known: KnownHead): HeaderPairs | undefined {
    return this.#deps.moreHeaders(known);
  }

  onDefect(error: unknown): void {
    this.#deps.onDefect(error);
  }

  refuseLate(socket: Socket): void {
    this.#deps.last.late(socket);
  }

  refuseUnreadable(socket: Socket): void {
    this.#deps.last.unreadable(socket);
  }

  answerDefect(socket: Socket): void {
    this.#deps.last.defect(socket);
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
    if (this.#deps.names() === undefined) {
      this.#toNode(socket);
      return;
    }
    this.#open.set(socket, new PlainConnection(socket, this));
    this.#deps.wheel.add(this);
  }

  check(): boolean {
    this.#tick += 1;
    for (const connection of this.#open.values()) connection.checkTimeout(this.#tick);
    return this.#open.size > 0;
  }
}
