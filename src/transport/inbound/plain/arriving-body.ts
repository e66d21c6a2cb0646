import { EventEmitter } from 'node:events';
import type { GatewayError } from '../../../core/error.ts';
import type { BodyStream } from '../body/read-body.ts';
import type { BodyLength } from './head.ts';
import type { KnownHead } from './known-head.ts';

/** Maximum buffered bytes without a reader; beyond them reading pauses. */
const maxBufferedBytes = 64 * 1024;

/** The socket that receives the body. */
interface PausableSource {
  pause(): void;
  resume(): void;
}

/** The part of a body that did not arrive together with its head, as a stream for its reader. */
export class ArrivingBody extends EventEmitter implements BodyStream {
  readonly headers: KnownHead['headers'];
  readonly #source: PausableSource;
  #buffered: Buffer[] = [];
  #bufferedSize = 0;
  #isFlowing = false;
  #isComplete = false;
  #fault: GatewayError | undefined;

  /** @param length of the whole body, as in the request's head */
  constructor(known: KnownHead, length: BodyLength, source: PausableSource) {
    super();
    this.headers = length === known.length ? known.headers : { ...known.headers, 'content-length': length.toString() };
    this.#source = source;
  }

  push(chunk: Buffer): void {
    if (this.#fault !== undefined) return;
    if (this.#isFlowing) {
      this.emit('data', chunk);
      return;
    }
    this.#buffered.push(chunk);
    this.#bufferedSize += chunk.length;
    if (this.#bufferedSize >= maxBufferedBytes) this.#source.pause();
  }

  /** The last byte has arrived. */
  complete(): void {
    this.#isComplete = true;
    if (this.#isFlowing) this.emit('end');
  }

  /** The rest of the body cannot be read: ends the flow with an error. */
  fail(fault: GatewayError): void {
    this.#fault = fault;
    this.#buffered = [];
    if (this.#isFlowing) this.#report(fault);
  }

  #report(fault: GatewayError): void {
    if (this.listenerCount('error') > 0) this.emit('error', fault);
  }

  /** The flow starts in the next tick, so that all listeners can be added first. */
  override on(event: string, listener: (...values: never[]) => void): this {
    super.on(event, listener as (...values: unknown[]) => void);
    if (event === 'data') process.nextTick(() => this.#flow());
    return this;
  }

  pause(): void {
    this.#isFlowing = false;
  }

  /** Discards the body, including bytes that still arrive. */
  discard(): void {
    this.removeAllListeners();
    this.#buffered = [];
    this.#isFlowing = true;
    this.#source.resume();
  }

  #flow(): void {
    if (this.#isFlowing || this.listenerCount('data') === 0) return;
    if (this.#fault !== undefined) {
      this.#report(this.#fault);
      return;
    }
    this.#isFlowing = true;
    const buffered = this.#buffered;
    this.#buffered = [];
    this.#bufferedSize = 0;
    for (const chunk of buffered) {
      if (this.#isFlowing) this.emit('data', chunk);
    }
    if (!this.#isFlowing) return;
    if (this.#isComplete) this.emit('end');
    else this.#source.resume();
  }
}
