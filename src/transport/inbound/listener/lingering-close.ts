import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { slowClientMs } from '../../wire/slow-client.ts';
import type { Sweeper, Sweepable } from '../../wire/sweeper.ts';

/** After its response, a client must send at least `leastBytes` in each such time, in milliseconds. */
const windowMs = 5000;
const leastBytes = 64 * 1024;
/** How long the rest of a client's data is read at most, in milliseconds, and how much of it in more than one such time, in bytes. */
const lingerMs = 60_000;
const mostBytes = 128 * 1024 * 1024;

/**
 * How long the rest of a client's data is read and discarded after its response. Closing in the middle would reset the
 * connection, and a client that sends its whole body before it reads would lose the response (RFC 9112 9.6).
 */
export class Linger {
  readonly #bytes: () => number;
  readonly #until: number;
  readonly #first: number;
  #windowEnd: number;
  #seen: number;

  /** @param bytes number of bytes received so far on the connection @param now monotonic milliseconds */
  constructor(bytes: () => number, now: number) {
    this.#bytes = bytes;
    this.#until = now + lingerMs;
    this.#windowEnd = now + windowMs;
    this.#first = bytes();
    this.#seen = this.#first;
  }

  /** True if the client sends nothing more, too slowly or too much, or has had its time: the connection can be closed. */
  isOver(now: number): boolean {
    if (now <= this.#windowEnd) return false;
    const bytes = this.#bytes();
    if (bytes - this.#seen < leastBytes || bytes - this.#first > mostBytes || now > this.#until) return true;
    this.#seen = bytes;
    this.#windowEnd = now + windowMs;
    return false;
  }
}

/**
 * Ends a socket that no server handles any more. If the client keeps its side open, or continues to send for too long,
 * the socket is destroyed.
 */
export function lingeringClose(socket: Duplex, last?: string): void {
  let received = 0;
  const rest = new Linger(() => received, performance.now());
  const timer = setInterval(() => {
    if (rest.isOver(performance.now())) socket.destroy();
  }, 1000).unref();
  socket.once('close', () => clearInterval(timer)).on('error', () => {});
  socket.end(last);
  socket.on('data', (chunk: Buffer) => (received += chunk.length));
}

/**
 * Reads and discards the rest of a request that got an early response. A client that continues to send for too long is
 * disconnected.
 *
 * Ends with the request or its connection: after a complete response, Node does not report to the request that the
 * connection has closed.
 */
export function linger(request: IncomingMessage, sweeper: Sweeper, monotonic: () => number): void {
  const { socket } = request;
  if (request.complete || socket.destroyed) return;
  const rest = new Linger(() => socket.bytesRead, monotonic());
  const item: Sweepable = {
    index: undefined,
    sweep: (now) => {
      if (!rest.isOver(now)) return;
      over();
      socket.destroy();
    },
    crashed: () => {
      over();
      socket.destroy();
    },
  };
  const over = (): void => {
    sweeper.delete(item);
    request.off('end', over).off('close', over);
    socket.off('close', over);
  };
  sweeper.add(item);
  request.once('end', over).once('close', over);
  socket.once('close', over);
  request.resume();
}

/**
 * Sets a timeout on the connection of a completely written response: a client that does not read it would otherwise
 * keep it in memory. Node closes a connection without activity after this time.
 */
export function limitUnreadTime(socket: Socket | null, ms = slowClientMs): void {
  if (socket !== null && socket.writableLength > 0) socket.setTimeout(ms);
}
