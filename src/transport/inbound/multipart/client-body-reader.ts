import type { IncomingMessage } from 'node:http';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import { bodyTooLarge, type SizeLimit } from '../body/size-limit.ts';
import { slowBodyFault } from '../body/slow-body.ts';
import type { Sweepable, Sweeper } from '../../wire/sweeper.ts';

/** Maximum bytes buffered here, so that the next chunk arrives while the current one is sent. */
const waitingLimit = 64 * 1024;

export interface ClientBytesDeps {
  readonly sweeper: Sweeper;
  monotonic(): number;
  /** Called with the number of forwarded bytes. */
  passed(bytes: number): void;
}

/**
 * The body of a request, read chunk by chunk with backpressure to the client. The timeout for silence runs only while a
 * read is waiting.
 */
export class ClientBodyReader implements Sweepable {
  index: number | undefined;
  limit: SizeLimit;
  /** Bytes received so far. */
  count = 0;
  /** Milliseconds that a client may take for the whole body; infinite for forwarded bodies. */
  limitMs = Number.POSITIVE_INFINITY;
  readonly #request: IncomingMessage;
  readonly #deps: ClientBytesDeps;
  readonly #queue: Buffer[] = [];
  #queued = 0;
  #hasEnded = false;
  #failure: Error | undefined;
  #pendingRead: PendingRead | undefined;
  #waitingSince = 0;
  /** Total milliseconds of waiting reads, up to `waitingSince`. */
  #waitedMs = 0;

  constructor(request: IncomingMessage, limit: SizeLimit, deps: ClientBytesDeps) {
    this.#request = request;
    this.limit = limit;
    this.#deps = deps;
    request.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError);
  }

  /** Returns the next chunk; undefined at the end. Only one call at a time. @throws GatewayError `body_too_large`, `timeout` */
  next(): Promise<Buffer | undefined> {
    if (this.#queued > 0) return Promise.resolve(this.#takeQueued());
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#hasEnded) return Promise.resolve(undefined);
    this.#waitingSince = this.#deps.monotonic();
    this.#deps.sweeper.add(this);
    return new Promise((resolve, reject) => {
      this.#pendingRead = { resolve, reject };
    });
  }

  /** Stops reading: a waiting read is rejected, and bytes that still arrive are discarded. */
  stop(error: Error): void {
    this.#failure ??= error;
    this.#queue.length = 0;
    this.#queued = 0;
    this.#settle()?.reject(this.#failure);
  }

  sweep(now: number): void {
    const silentMs = now - this.#waitingSince;
    const late = slowBodyFault({ silentMs, waitedMs: this.#waitedMs + silentMs, bytes: this.count, limitMs: this.limitMs });
    if (late !== undefined) this.stop(late);
  }

  crashed(thrown: unknown): void {
    this.stop(fromUnknown(thrown));
  }

  /** Returns all buffered bytes as one chunk: a client may send single bytes, and the reader keeps every chunk it gets. */
  #takeQueued(): Buffer {
    const [first] = this.#queue;
    const whole = this.#queue.length === 1 && first !== undefined ? first : Buffer.concat(this.#queue, this.#queued);
    this.#queue.length = 0;
    this.#queued = 0;
    this.#request.resume();
    return whole;
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#failure !== undefined) return;
    this.count += chunk.length;
    this.#deps.passed(chunk.length);
    if (this.count > this.limit.bytes) {
      this.stop(bodyTooLarge(this.limit, undefined));
      return;
    }
    const waiting = this.#settle();
    if (waiting !== undefined) {
      waiting.resolve(chunk);
      return;
    }
    this.#queue.push(chunk);
    this.#queued += chunk.length;
    if (this.#queued >= waitingLimit) this.#request.pause();
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    this.#settle()?.resolve(undefined);
  };

  /** The response reports a disconnected client; a waiting read is then rejected by `stop`. */
  readonly #onError = (error: unknown): void => {
    if (error instanceof GatewayError) this.stop(error);
  };

  #settle(): PendingRead | undefined {
    const waiting = this.#pendingRead;
    if (waiting === undefined) return undefined;
    this.#pendingRead = undefined;
    this.#waitedMs += this.#deps.monotonic() - this.#waitingSince;
    this.#deps.sweeper.delete(this);
    return waiting;
  }
}

interface PendingRead {
  resolve(chunk: Buffer | undefined): void;
  reject(error: Error): void;
}
