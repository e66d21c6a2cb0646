import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ServerResponse } from '../../../core/node-http.ts';
import { lingeringClose } from './lingering-close.ts';

/** Maximum number of pipelined requests that wait on one connection. */
const waitingLimit = 64;

/**
 * A response that can wait for its turn. Node parses pipelined requests at once, while responses are sent in order.
 * Each request starts only after the response before it was sent, so a connection has at most one request in flight,
 * and a client that disconnects cancels its waiting requests.
 */
export class PipelinedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #onTurn: (() => void) | undefined;

  /** Called by Node when the previous responses were sent. */
  override assignSocket(socket: Socket): void {
    super.assignSocket(socket);
    const onTurn = this.#onTurn;
    this.#onTurn = undefined;
    onTurn?.();
  }

  /**
   * Called by Node after the last byte of the response, directly before it closes the connection if this response was the
   * last one. If the request has not fully arrived, closing at once would reset the connection, and the client could lose
   * the response.
   */
  override detachSocket(socket: Socket): void {
    super.detachSocket(socket);
    if (!this.req.complete) socket.destroySoon = () => lingeringClose(socket);
  }

  await(onTurn: () => void): void {
    this.#onTurn = onTurn;
  }
}

/** Counts the waiting requests of each connection. */
export class Pipelining {
  readonly #waiting = new WeakMap<Socket, number>();

  /** Starts now, or after the previous responses were sent. If too many requests wait, the connection is closed instead. */
  enqueue(request: IncomingMessage, response: PipelinedResponse, begin: () => void): void {
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
