import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ServerResponse } from '../../../core/node-http.ts';

/** Requests of one connection that may wait behind the one that is being answered. */
const waitingLimit = 64;

/**
 * A response that can wait for its turn. Requests that a client sends without waiting for answers (pipelining) are all
 * parsed at once, while their answers leave in order: each is begun only when the one before it is answered, so one
 * connection never has more than one request in flight, and a client that leaves takes its waiting requests with it.
 */
export class TurnResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #onTurn: (() => void) | undefined;

  /** Node calls it when the answers before this one have left. */
  override assignSocket(socket: Socket): void {
    super.assignSocket(socket);
    const onTurn = this.#onTurn;
    this.#onTurn = undefined;
    onTurn?.();
  }

  await(onTurn: () => void): void {
    this.#onTurn = onTurn;
  }
}

/** Counts what waits on each connection. */
export class Turns {
  readonly #waiting = new WeakMap<Socket, number>();

  /** Begins now, or when the answers before this one have left; not at all on a connection that is given up. */
  take(request: IncomingMessage, response: TurnResponse, begin: () => void): void {
    const { socket } = request;
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting >= waitingLimit) {
      socket.destroy();
      return;
    }
    this.#waiting.set(socket, waiting + 1);
    response.await(() => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      begin();
    });
  }
}
