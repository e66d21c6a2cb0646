import type { Receiver, Source } from '../upstream.ts';
import type { Connection } from './connection.ts';
import type { Origin } from './origin.ts';

/** What goes over the wire. */
export interface OutgoingRequest {
  readonly method: string;
  /** The head with its empty line, one character a byte. */
  readonly head: string;
  /** The body: as text of one character a byte where it is small, else as it is held. */
  readonly body: string | Buffer;
  /** Nobody else has the body: its memory is given back as soon as it was written. */
  readonly ownsBody: boolean;
  /** Milliseconds that a connection may take to come. */
  readonly dialMs: number;
  /** The connection serves this request alone, and no other did before. */
  readonly isOnce: boolean;
}

/** A request on its way over one connection, and the answer that belongs to it: the sender's hold on both. */
export class Outgoing implements Source {
  readonly origin: Origin;
  readonly receiver: Receiver;
  readonly method: string;
  readonly head: string;
  readonly body: string | Buffer;
  readonly ownsBody: boolean;
  readonly dialMs: number;
  readonly isOnce: boolean;
  /** Set while the request and its answer have the connection. */
  connection: Connection | undefined;
  /** Nobody waits for the answer any more. */
  isOver = false;

  constructor(origin: Origin, receiver: Receiver, request: OutgoingRequest) {
    this.origin = origin;
    this.receiver = receiver;
    this.method = request.method;
    this.head = request.head;
    this.body = request.body;
    this.ownsBody = request.ownsBody;
    this.dialMs = request.dialMs;
    this.isOnce = request.isOnce;
  }

  pause(): void {
    this.connection?.pause();
  }

  resume(): void {
    this.connection?.resume();
  }

  abort(): void {
    this.isOver = true;
    this.connection?.abort(this);
  }
}
