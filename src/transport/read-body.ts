import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../core/error.ts';
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

/** What became of a body: its bytes, or why it could not be read. `undefined`: the client left. */
export type BodyRead = (body: Buffer | GatewayError | undefined) => void;

/** Reads a whole body up to a limit and with a clock; calls back once. */
export function readBody(request: IncomingMessage, limits: ReadLimits, done: BodyRead): void {
  const declared = Number(request.headers['content-length']);
  if (declared > limits.maxBody) done(tooLarge(limits.maxBody, declared));
  else new Reader(request, limits, done);
}

class Reader implements Swept {
  place: number | undefined;
  readonly #request: IncomingMessage;
  readonly #limits: ReadLimits;
  #done: BodyRead | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #lastAt: number;

  constructor(request: IncomingMessage, limits: ReadLimits, done: BodyRead) {
    this.#request = request;
    this.#limits = limits;
    this.#done = done;
    this.#lastAt = limits.monotonic();
    request.on('data', this.#onData);
    request.on('end', this.#onEnd);
    request.on('close', this.#onClose);
    request.on('error', this.#onClose);
    limits.sweeper.add(this);
  }

  sweep(now: number): void {
    if (now - this.#lastAt > idleMs) {
      this.#finish(new GatewayError('timeout', { message: `The request's body did not arrive: nothing for ${idleMs / 1000} s.` }));
    }
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#done === undefined) return;
    this.#lastAt = this.#limits.monotonic();
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBody) this.#finish(tooLarge(this.#limits.maxBody, undefined));
    else gather(this.#chunks, chunk);
  };

  readonly #onEnd = (): void => {
    const [first] = this.#chunks;
    this.#finish(this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#size));
  };

  readonly #onClose = (): void => this.#finish(undefined);

  #finish(result: Buffer | GatewayError | undefined): void {
    const done = this.#done;
    if (done === undefined) return;
    this.#done = undefined;
    this.#chunks = [];
    this.#limits.sweeper.delete(this);
    if (result instanceof GatewayError) this.#request.resume();
    done(result);
  }
}

function tooLarge(limit: number, size: number | undefined): GatewayError {
  const what = size === undefined ? 'The body' : `The body of ${size} bytes`;
  return new GatewayError('body_too_large', {
    message: `${what} is larger than the limit of ${formatSize(limit)}.`,
    hint: 'Setting: server.max_body',
  });
}
