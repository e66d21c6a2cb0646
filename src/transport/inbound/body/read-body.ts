import type { IncomingMessage } from 'node:http';
import type { Hold } from '../../../core/memory/budget.ts';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import { appendBytes } from '../../../core/memory/byte-pieces.ts';
import { formatSize } from '../../../core/text/units.ts';
import { lateness } from './lateness.ts';
import type { Swept, Sweeper } from '../../wire/sweeper.ts';

/** What a body costs while its request runs: its text, the text of an edited one, and the bytes that are sent. */
export const bodyCopies = 3;
/** Bytes: bodies from this size on are collected in one piece of memory. */
const large = 1024 * 1024;
/** Part of a large body that has to be there before memory for all of it is taken. */
const leastPart = 1 / 4;

/** A body on its way, and the head that says what it is: a request of `node:http`, or one that was read on the socket. */
export interface BodySource {
  readonly headers: IncomingMessage['headers'];
  /** It flows from then on; 'end' comes behind the last bytes, 'close' and 'error' where there is none any more. */
  on(event: 'data', listener: (chunk: Buffer) => void): this;
  on(event: 'end' | 'close' | 'error', listener: () => void): this;
  off(event: 'data', listener: (chunk: Buffer) => void): this;
  off(event: 'end', listener: () => void): this;
  pause(): unknown;
}

export interface ReadLimits {
  /** Bytes. */
  readonly maxBody: number;
  /** Milliseconds for the whole body. */
  readonly bodyTimeout: number;
  readonly sweeper: Sweeper;
  /** Counts what is held; its owner closes it when the request is over. */
  readonly hold: Hold;
  monotonic(): number;
  /** Told of bytes that were copied out of the chunks that brought them. */
  passed(bytes: number): void;
}

/** Reads a whole body up to a limit and within its time. Calls back once, with the bytes or why they could not be read. */
export class BodyReader implements Swept {
  place: number | undefined;
  readonly #request: BodySource;
  readonly #limits: ReadLimits;
  readonly #done: (body: Buffer | GatewayError) => void;
  readonly #declared: number | undefined;
  #chunks: Buffer[] = [];
  /** Of a large body: memory for all of it. */
  #whole: Buffer | undefined;
  #size = 0;
  #startedAt = 0;
  #lastAt = 0;
  #isOver = false;

  constructor(request: BodySource, limits: ReadLimits, done: (body: Buffer | GatewayError) => void) {
    const length = request.headers['content-length'];
    this.#request = request;
    this.#limits = limits;
    this.#done = done;
    this.#declared = length === undefined ? undefined : Number(length);
  }

  start(): void {
    const { sweeper, monotonic } = this.#limits;
    const large = tooLarge(this.#declared ?? 0, this.#declared, this.#limits);
    if (large !== undefined) {
      this.#done(large);
      return;
    }
    this.#startedAt = monotonic();
    this.#lastAt = this.#startedAt;
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
    const silentMs = now - this.#lastAt;
    const late = lateness({ silentMs, waitedMs: now - this.#startedAt, bytes: this.#size, limitMs: this.#limits.bodyTimeout });
    if (late !== undefined) this.#fail(late);
  }

  crashed(thrown: unknown): void {
    this.#fail(fromUnknown(thrown));
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#lastAt = this.#limits.monotonic();
    const size = this.#size + chunk.length;
    const fault = tooLarge(size, undefined, this.#limits) ?? refused(chunk.length, this.#limits.hold);
    if (fault !== undefined) {
      this.#fail(fault);
      return;
    }
    this.#keep(chunk);
    this.#size = size;
    if (size >= large) this.#keepLarge(chunk.length);
  };

  readonly #onEnd = (): void => {
    const [first] = this.#chunks;
    const whole = this.#whole ?? (this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#size));
    this.#release();
    this.#done(whole);
  };

  readonly #onClose = (): void => this.stop();

  #keep(chunk: Buffer): void {
    if (this.#whole === undefined) appendBytes(this.#chunks, chunk);
    else chunk.copy(this.#whole, this.#size);
  }

  /** One copy instead of chunks and their sum. Memory that is not written to yet costs nothing. */
  #keepLarge(added: number): void {
    const declared = this.#declared;
    if (this.#whole !== undefined) this.#limits.passed(added);
    else if (declared !== undefined && this.#size >= declared * leastPart) {
      this.#whole = Buffer.allocUnsafeSlow(declared);
      let at = 0;
      for (const chunk of this.#chunks) at += chunk.copy(this.#whole, at);
      this.#chunks = [];
    }
  }

  #fail(error: GatewayError): void {
    if (this.#isOver) return;
    this.stop();
    this.#done(error);
  }

  #release(): void {
    this.#isOver = true;
    this.#chunks = [];
    this.#whole = undefined;
    this.#limits.sweeper.delete(this);
  }
}

/** A body that is there already; an error where it may not be held. */
export function takeWhole(bytes: Buffer, limits: Pick<ReadLimits, 'maxBody' | 'hold'>): Buffer | GatewayError {
  return tooLarge(bytes.length, bytes.length, limits) ?? refused(bytes.length, limits.hold) ?? bytes;
}

/** Why memory for more bytes is not to be had; undefined where it was taken. */
function refused(bytes: number, hold: Hold): GatewayError | undefined {
  try {
    hold.take(bytes * bodyCopies);
    return undefined;
  } catch (overloaded) {
    return fromUnknown(overloaded);
  }
}

/** @param declared undefined for bytes that were counted */
function tooLarge(
  size: number,
  declared: number | undefined,
  { maxBody, hold }: Pick<ReadLimits, 'maxBody' | 'hold'>,
): GatewayError | undefined {
  if (size <= maxBody && size * bodyCopies <= hold.budget.limit) return undefined;
  const what = declared === undefined ? 'The body' : `The body of ${declared} bytes`;
  const [limit, setting] = size > maxBody ? [maxBody, 'server.max_body'] : [Math.floor(hold.budget.limit / bodyCopies), 'server.memory'];
  return new GatewayError('body_too_large', {
    message: `${what} is larger than the limit of ${formatSize(limit)}.`,
    hint: `Setting: ${setting}`,
  });
}
