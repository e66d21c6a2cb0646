import type { ReadingTurns } from '../../wire/reading-turns.ts';
import type { ResponseReceiver, ResponseControl } from '../../wire/request.ts';

/** What is sent over the wire. */
export interface OutgoingRequest {
  readonly method: string;
  /** The head with its empty line, one character per byte. */
  readonly head: string;
  /** The body: a text of one character per byte if it is small, else the buffer as held. */
  readonly body: string | Buffer;
  /** Nothing else refers to the body: its memory is returned as soon as it is written. */
  readonly ownsBodyBuffer: boolean;
  /** Milliseconds allowed for opening a connection. */
  readonly dialMs: number;
  /** The connection is new and serves only this request. */
  readonly isOnce: boolean;
}

/** The connection that a request uses. */
interface UsedConnection {
  readonly unsent: number;
  readonly turns: ReadingTurns;
  abort(outgoing: Outgoing): void;
}

/** The origin that a request is for. */
interface RequestedOrigin {
  send(outgoing: Outgoing, now: number): void;
}

/** A request on one connection and its response. The sender's handle to control both. */
export class Outgoing implements ResponseControl {
  readonly origin: RequestedOrigin;
  readonly receiver: ResponseReceiver;
  readonly request: OutgoingRequest;
  /** Set while the request or its response uses the connection. */
  connection: UsedConnection | undefined;
  /** The response is no longer needed, or is complete. */
  isOver = false;

  constructor(origin: RequestedOrigin, receiver: ResponseReceiver, request: OutgoingRequest) {
    this.origin = origin;
    this.receiver = receiver;
    this.request = request;
  }

  unsent(): number {
    return this.connection?.unsent ?? 0;
  }

  pause(): void {
    this.connection?.turns.pause();
  }

  resume(): void {
    this.connection?.turns.resume();
  }

  abort(): void {
    this.isOver = true;
    this.connection?.abort(this);
  }
}
