import { EventEmitter } from 'node:events';
import type { GatewayError } from '../../../core/error.ts';
import type { BodySource } from '../body/read-body.ts';
import type { BodyLength } from './head.ts';
import type { KnownHead } from './known-head.ts';

/** Maximum buffered bytes without a reader; beyond them reading pauses. */
const room = 64 * 1024;

/** The socket that receives the body. */
interface Tap {
  pause(): void;
  resume(): void;
}

/** The part of a body that did not arrive together with its head, as a stream for its reader. */
export class ArrivingBody extends EventEmitter implements BodySource {
  readonly headers: KnownHead['headers'];
  readonly #tap: Tap;
  #held: Buffer[] = [];
  #heldSize = 0;
  #isFlowing = false;
  #isComplete = false;
  #fault: GatewayError | undefined;

  /** @param length of the whole body, as in the request's head */
  constructor(known: KnownHead, length: BodyLength, tap: Tap) {
    super();
    this.headers = length === known.length ? known.headers : { ...known.headers, 'content-length': length.toString() };
    this.#tap = tap;
  }

  /** True once the last byte has arrived, whether it was read or not. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  push(chunk: Buffer): void {
    if (this.#fault !== undefined) return;
    if (this.#isFlowing) {
      this.emit('data', chunk);
      return;
    }
    this.#held.push(chunk);
    this.#heldSize += chunk.length;
    if (this.#heldSize >= room) this.#tap.pause();
  }

  /** The last byte has arrived. */
  complete(): void {
    this.#isComplete = true;
    if (this.#isFlowing) this.emit('end');
  }

  /** The rest of the body cannot be read: ends the flow with an error. */
  fail(fault: GatewayError): void {
    this.#fault = fault;
    this.#held = [];
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
    this.#held = [];
    this.#isFlowing = true;
    this.#tap.resume();
  }

  #flow(): void {
    if (this.#isFlowing || this.listenerCount('data') === 0) return;
    if (this.#fault !== undefined) {
      this.#report(this.#fault);
      return;
    }
    this.#isFlowing = true;
    const held = this.#held;
    this.#held = [];
    this.#heldSize = 0;
    for (const chunk of held) {
      if (this.#isFlowing) this.emit('data', chunk);
    }
    if (!this.#isFlowing) return;
    if (this.#isComplete) this.emit('end');
    else this.#tap.resume();
  }
}
