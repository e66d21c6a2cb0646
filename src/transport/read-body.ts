import type { IncomingMessage } from 'node:http';
import { fromUnknown, GatewayError } from '../core/error.ts';
import { gather } from '../core/gather.ts';
import { formatSize } from '../core/units.ts';
import type { Swept, Sweeper } from './sweeper.ts';

/** The longest silence of a client in the middle of its body. */
const idleMs = 60_000;

export interface ReadLimits {
  /** Bytes. */
  readonly maxBody: number;
  readonly sweeper: Sweeper;
  monotonic(): number;
}

/** Reads a whole body up to a limit and with a clock. Calls back once, with the bytes or why they could not be read. */
export class BodyReader implements Swept {
  place: number | undefined;
  readonly #request: IncomingMessage;
  readonly #limits: ReadLimits;
  readonly #done: (body: Buffer | GatewayError) => void;
  #chunks: Buffer[] = [];
  #size = 0;
  #lastAt = 0;
  #isOver = false;

  constructor(request: IncomingMessage, limits: ReadLimits, done: (body: Buffer | GatewayError) => void) {
    this.#request = request;
    this.#limits = limits;
    this.#done = done;
  }

  start(): void {
    const { sweeper, maxBody, monotonic } = this.#limits;
    const declared = Number(this.#request.headers['content-length']);
    if (declared > maxBody) {
      this.#done(tooLarge(maxBody, declared));
      return;
    }
    this.#lastAt = monotonic();
    this.#request.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose).on('error', this.#onClose);
    sweeper.add(this);
  }

  /** Nobody wants the body any more: what has not come stays with its client. */
  stop(): void {
    if (this.#isOver) return;
    this.#release();
    this.#request.off('data', this.#onData).off('end', this.#onEnd).pause();
  }

  sweep(now: number): void {
    if (now - this.#lastAt > idleMs) {
      this.#fail(new GatewayError('timeout', { message: `The request's body did not arrive: nothing for ${idleMs / 1000} s.` }));
    }
  }

  crashed(thrown: unknown): void {
    this.#fail(fromUnknown(thrown));
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#lastAt = this.#limits.monotonic();
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBody) this.#fail(tooLarge(this.#limits.maxBody, undefined));
    else gather(this.#chunks, chunk);
  };

  readonly #onEnd = (): void => {
    const [first] = this.#chunks;
    const whole = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#size);
    this.#release();
    this.#done(whole);
  };

  readonly #onClose = (): void => this.stop();

  #fail(error: GatewayError): void {
    if (this.#isOver) return;
    this.stop();
    this.#done(error);
  }

  #release(): void {
    this.#isOver = true;
    this.#chunks = [];
    this.#limits.sweeper.delete(this);
  }
}

function tooLarge(limit: number, size: number | undefined): GatewayError {
  const what = size === undefined ? 'The body' : `The body of ${size} bytes`;
  return new GatewayError('body_too_large', {
    message: `${what} is larger than the limit of ${formatSize(limit)}.`,
    hint: 'Setting: server.max_body',
  });
}
