import type { Socket } from 'node:net';
import type { ResponseHeadParser } from './response-head.ts';
import { ResponseParser } from './response-parser.ts';
import { WireFault } from '../../wire/fault.ts';
import { releaseBuffer } from '../../../core/memory/release-buffer.ts';
import type { Outgoing, OutgoingRequest } from './outgoing.ts';
import { ReadingTurns } from '../../wire/reading-turns.ts';
import { unsentBytes, type WritingSocket } from '../unsent.ts';

/**
 * Milliseconds, in addition to a round trip, within which a kept-alive connection that was already closed reports its error.
 * A provider that has begun to process a request may also drop the connection, but not so soon.
 */
const staleMs = 100;
/** Longer times to connect are not those of a round trip alone, in milliseconds. */
const maxRoundTripMs = 500;

/** Milliseconds that an idle connection is kept if the provider gives no timeout. Many load balancers close theirs after 60 s. */
export const idleMs = 55_000;
/** Milliseconds subtracted from the provider's keep-alive timeout: a request sent that late could meet a closed connection. */
const idleMarginMs = 2000;
const idleLimitMs = 600_000;
/**
 * Milliseconds after which a connection serves no further request. Connections in constant use would never reach a new
 * address of the name, nor a new server behind a load balancer that distributes connections.
 */
const maxAgeMs = 600_000;

/** Codes of a closed connection, of this client and of undici, as opposed to a response that cannot be parsed. */
const closedCodes: ReadonlySet<unknown> = new Set(['UPSTREAM_CLOSED', 'UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** True if the connection was already closed when the request was written to it. @param writtenAt monotonic milliseconds */
export const wasClosedBefore = (writtenAt: number, error: NodeJS.ErrnoException, roundTripMs = 0): boolean =>
  closedCodes.has(error.code) && performance.now() - writtenAt <= staleMs + Math.min(roundTripMs, maxRoundTripMs);

/** What a connection needs from its origin. */
interface ConnectionOrigin {
  readonly responseHeads: ResponseHeadParser;
  readonly owner: { requestEnded(): void };
  addIdle(connection: UpstreamConnection, ms: number): void;
  closed(connection: UpstreamConnection): void;
}

/** One connection to an origin. It serves one request at a time, and is idle in the origin's pool between them. */
export class UpstreamConnection {
  readonly #socket: Socket;
  readonly #origin: ConnectionOrigin;
  readonly #reader: ResponseParser;
  readonly #roundTripMs: number;
  readonly turns: ReadingTurns;
  #outgoing: Outgoing | undefined;
  /** Bytes of the response were received. */
  #hasData = false;
  /** When a request was written to a connection that was idle before and may have been closed in the meantime. */
  #reusedAt = Number.NEGATIVE_INFINITY;
  isClosed = false;
  /** Epoch of the origin when this connection was started. */
  readonly epoch: number;
  /** True while the connection is one of the origin's idle ones. */
  isIdle = false;
  /** Monotonic time in milliseconds at which the connection became idle. */
  idleSince = 0;
  /** Monotonic time in milliseconds until which the connection may stay idle. */
  idleUntil = 0;
  /** Monotonic time in milliseconds from which on the connection is not used again. */
  readonly retiresAt = performance.now() + maxAgeMs;

  /** @param socket connected; its owner calls `read` and the methods below on socket events */
  constructor(socket: Socket, origin: ConnectionOrigin, epoch: number, roundTripMs: number) {
    this.#socket = socket;
    this.#origin = origin;
    this.epoch = epoch;
    this.#roundTripMs = roundTripMs;
    this.#reader = new ResponseParser(origin.responseHeads);
    this.turns = new ReadingTurns(socket);
  }

  /** Sends a request. @param isReused the connection was idle in the pool before */
  send(outgoing: Outgoing, isReused: boolean): void {
    this.#outgoing = outgoing;
    this.#hasData = false;
    try {
      outgoing.receiver.connected(outgoing);
      if (outgoing.isOver) {
        // The request was cancelled before it was sent: the next request can use the connection.
        this.#detach(outgoing);
        this.#origin.addIdle(this, isReused ? this.idleUntil - performance.now() : idleMs);
        return;
      }
      outgoing.connection = this;
      this.#reader.begin(outgoing.request.method);
      this.#reusedAt = isReused ? performance.now() : Number.NEGATIVE_INFINITY;
      this.#write(outgoing.request);
      outgoing.receiver.sent();
    } catch (thrown) {
      this.failed(thrown as Error);
    }
  }

  #write({ head, body, ownsBodyBuffer }: OutgoingRequest): void {
    const socket = this.#socket;
    if (typeof body === 'string') {
      socket.write(head + body, 'latin1');
      return;
    }
    socket.cork();
    socket.write(head, 'latin1');
    if (ownsBodyBuffer) socket.write(body, releaseBody(body));
    else socket.write(body);
    socket.uncork();
  }

  /** Bytes of the request that the system has not taken yet. */
  get unsent(): number {
    return unsentBytes(this.#socket as WritingSocket);
  }

  /** Cancels the response. Its remaining bytes would block the next one, so the connection is closed. */
  abort(outgoing: Outgoing): void {
    if (this.#outgoing !== outgoing) return;
    this.#detach(outgoing);
    this.close();
  }

  /** Called with bytes read from the socket. The callee owns the buffer. */
  read(bytes: Buffer): void {
    const outgoing = this.#outgoing;
    // Bytes without a pending request: close the connection, so that the next request cannot mistake them for its response.
    if (outgoing === undefined) {
      this.close();
      return;
    }
    this.#hasData = true;
    this.turns.count(bytes.length);
    let rest: number | undefined;
    try {
      rest = this.#reader.push(bytes, outgoing.receiver);
    } catch (thrown) {
      this.failed(thrown as Error);
      return;
    }
    if (rest !== undefined && !outgoing.isOver) this.#complete(outgoing, rest === 0);
  }

  /** The upstream closed its sending side. */
  ended(): void {
    const outgoing = this.#outgoing;
    if (outgoing !== undefined && this.#reader.endsAtClose()) this.#complete(outgoing, false);
    else this.failed(new WireFault('UPSTREAM_CLOSED', 'the other side closed'));
  }

  /** The socket failed, or the received bytes are not a valid response. */
  failed(error: Error): void {
    const outgoing = this.#outgoing;
    if (outgoing !== undefined) this.#detach(outgoing);
    this.close();
    if (outgoing === undefined || outgoing.isOver) return;
    outgoing.isOver = true;
    outgoing.receiver.failed(error, !this.#hasData && wasClosedBefore(this.#reusedAt, error, this.#roundTripMs));
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#origin.closed(this);
    this.#socket.destroy();
  }

  #complete(outgoing: Outgoing, isClean: boolean): void {
    this.#detach(outgoing);
    outgoing.isOver = true;
    const idleTimeoutMs = this.#idleTimeoutMs(isClean && !outgoing.request.isOnce);
    if (idleTimeoutMs <= 0) this.close();
    else if (this.#socket.writableLength === 0) this.#origin.addIdle(this, idleTimeoutMs);
    else setImmediate(() => this.#addIdleIfWritten(idleTimeoutMs));
    outgoing.receiver.finished();
  }

  /**
   * TLS reports a write at the end of the turn of the event loop, after the response was read if the provider is fast. If
   * it is not written by then, the provider has responded before it read the whole request, which is still being sent.
   */
  #addIdleIfWritten(ms: number): void {
    if (this.#socket.writableLength > 0) this.close();
    else if (!this.isClosed) this.#origin.addIdle(this, ms);
  }

  #detach(outgoing: Outgoing): void {
    this.#outgoing = undefined;
    outgoing.connection = undefined;
    this.#origin.owner.requestEnded();
  }

  /** Milliseconds that the connection may wait for the next request. 0: close it. */
  #idleTimeoutMs(isClean: boolean): number {
    if (!isClean || !this.#reader.isReusable) return 0;
    this.turns.resume();
    const { keepAliveSeconds } = this.#reader;
    return keepAliveSeconds === undefined ? idleMs : Math.min(keepAliveSeconds * 1000 - idleMarginMs, idleLimitMs);
  }
}

/** Returns the buffer only after a successful write: on an error the system may still be using it. */
const releaseBody =
  (body: Buffer) =>
  (error?: Error | null): void => {
    if (!error) releaseBuffer(body);
  };
