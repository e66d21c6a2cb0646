import type { Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import { WireFault } from '../../wire/fault.ts';
import { giveBack } from '../../../core/memory/give-back.ts';
import type { Outgoing } from './outgoing.ts';
import type { Origin } from './origin.ts';

/**
 * Milliseconds within which a kept connection that was closed before reports it. A provider that has begun to work on a
 * request may drop it as well, but not so soon.
 */
export const staleMs = 100;

/** Milliseconds that an idle connection is kept where the provider says nothing. */
const idleMs = 15_000;
/** Milliseconds before the end of the provider's own time: a request that leaves then would meet a closed connection. */
const idleMarginMs = 2000;
const idleLimitMs = 600_000;

/** Codes of a connection that is gone, as against an answer that can't be read. */
const gone: ReadonlySet<string> = new Set(['UPSTREAM_CLOSED', 'ECONNRESET', 'EPIPE']);

/** One connection to an origin: serves one request at a time, and waits with the origin in between. */
export class Connection {
  readonly #socket: Socket;
  readonly #origin: Origin;
  readonly #reader: AnswerReader;
  #outgoing: Outgoing | undefined;
  /** Bytes of the answer have come. */
  #isHeard = false;
  /** When a request was written to a connection that had waited for it, and may have been closed meanwhile. */
  #keptAt = Number.NEGATIVE_INFINITY;
  #isPaused = false;
  isClosed = false;
  /** Monotonic milliseconds until which it may wait. */
  idleUntil = 0;

  /** @param socket connected; `read` and the events below are told of what it does */
  constructor(socket: Socket, origin: Origin) {
    this.#socket = socket;
    this.#origin = origin;
    this.#reader = new AnswerReader(origin.answers);
  }

  /** Sends a request. @param isKept the connection has waited for it */
  send(outgoing: Outgoing, isKept: boolean): void {
    this.#outgoing = outgoing;
    this.#isHeard = false;
    try {
      outgoing.receiver.connected(outgoing);
      if (outgoing.isOver) {
        // Nobody waits any more, and nothing was sent: the next request may have the connection.
        this.#leave(outgoing);
        this.#origin.keep(this, idleMs);
        return;
      }
      outgoing.connection = this;
      this.#reader.begin(outgoing.method);
      this.#keptAt = isKept ? performance.now() : Number.NEGATIVE_INFINITY;
      this.#write(outgoing);
      outgoing.receiver.sent();
    } catch (thrown) {
      this.failed(thrown as Error);
    }
  }

  #write({ head, body, ownsBody }: Outgoing): void {
    const socket = this.#socket;
    if (typeof body === 'string') {
      socket.write(head + body, 'latin1');
      return;
    }
    socket.cork();
    socket.write(head, 'latin1');
    if (ownsBody) socket.write(body, givesBack(body));
    else socket.write(body);
    socket.uncork();
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Nobody wants the answer: what is left of it would stand in the way of the next one. */
  abort(outgoing: Outgoing): void {
    if (this.#outgoing !== outgoing) return;
    this.#leave(outgoing);
    this.close();
  }

  /** The socket brought bytes, which are nobody else's. */
  read(bytes: Buffer): void {
    const outgoing = this.#outgoing;
    // Nobody asked: whatever it is, the next request must not take it for its answer.
    if (outgoing === undefined) {
      this.close();
      return;
    }
    this.#isHeard = true;
    let rest: number | undefined;
    try {
      rest = this.#reader.push(bytes, outgoing.receiver);
    } catch (thrown) {
      this.failed(thrown as Error);
      return;
    }
    if (rest !== undefined && !outgoing.isOver) this.#complete(outgoing, rest === 0);
  }

  /** The other side sends nothing more. */
  ended(): void {
    const outgoing = this.#outgoing;
    if (outgoing !== undefined && this.#reader.ends()) this.#complete(outgoing, false);
    else this.failed(new WireFault('UPSTREAM_CLOSED', 'the other side closed'));
  }

  /** The socket broke, or what it brought is not an answer. */
  failed(error: Error): void {
    const outgoing = this.#outgoing;
    if (outgoing !== undefined) this.#leave(outgoing);
    this.close();
    if (outgoing === undefined || outgoing.isOver) return;
    outgoing.isOver = true;
    outgoing.receiver.failed(error, this.#isUnread(error));
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#origin.closed(this);
    this.#socket.destroy();
  }

  #complete(outgoing: Outgoing, isClean: boolean): void {
    this.#leave(outgoing);
    outgoing.isOver = true;
    const keptMs = this.#keptMs(isClean && !outgoing.isOnce);
    if (keptMs > 0) this.#origin.keep(this, keptMs);
    else this.close();
    outgoing.receiver.finished();
  }

  #leave(outgoing: Outgoing): void {
    this.#outgoing = undefined;
    outgoing.connection = undefined;
    this.#origin.left();
  }

  /** How long it may wait for the next request; 0: not at all. */
  #keptMs(isClean: boolean): number {
    // A request that was answered before it was read whole is still on its way.
    if (!isClean || !this.#reader.isKept || this.#socket.writableLength > 0) return 0;
    this.resume();
    const { keepSeconds } = this.#reader;
    return keepSeconds === undefined ? idleMs : Math.min(keepSeconds * 1000 - idleMarginMs, idleLimitMs);
  }

  #isUnread(error: Error): boolean {
    if (this.#isHeard || !('code' in error)) return false;
    return gone.has(String(error.code)) && performance.now() - this.#keptAt <= staleMs;
  }
}

/** Only of what was written: where the socket broke, the system may still be at it. */
const givesBack =
  (body: Buffer) =>
  (error?: Error | null): void => {
    if (!error) giveBack(body);
  };
