import type { IncomingMessage } from 'node:http';
import type { MemoryReservation } from '../../../core/memory/budget.ts';
import { fromUnknown, GatewayError } from '../../../core/error.ts';
import { appendBytes } from '../../../core/memory/byte-pieces.ts';
import { bodyTooLarge } from './size-limit.ts';
import { slowBodyFault } from './slow-body.ts';
import type { Sweepable, Sweeper } from '../../wire/sweeper.ts';

/** Memory cost of a body during its request, in multiples of its size: its text, the edited text, and the bytes sent upstream. */
export const bodyCopies = 3;
/** Bodies from this size on are collected in a single buffer, in bytes. */
const large = 1024 * 1024;
/** Fraction of a large body that must have arrived before a buffer for the whole is allocated. */
const leastPart = 1 / 4;

/** A body that is arriving, and the headers that describe it: a `node:http` request, or one parsed on the socket. */
export interface BodyStream {
  readonly headers: IncomingMessage['headers'];
  /** Adding a 'data' listener starts the flow. 'end' follows the last bytes; 'close' and 'error' mean that no more will arrive. A GatewayError is for the client. */
  on(event: 'data', listener: (chunk: Buffer) => void): this;
  on(event: 'end' | 'close' | 'error', listener: (error?: unknown) => void): this;
  off(event: 'data', listener: (chunk: Buffer) => void): this;
  off(event: 'end', listener: () => void): this;
  pause(): unknown;
}

export interface ReadLimits {
  /** Maximum body size in bytes. */
  readonly maxBody: number;
  /** Timeout for the whole body, in milliseconds. */
  readonly bodyTimeout: number;
  readonly sweeper: Sweeper;
  /** Counts the memory used. Its owner closes it when the request has ended. */
  readonly hold: MemoryReservation;
  monotonic(): number;
  /** Called with the number of bytes that were copied out of received chunks. */
  passed(bytes: number): void;
}

/** Reads a whole body within the size limit and the timeout. Calls back once, with the bytes or an error. */
export class BodyReader implements Sweepable {
  index: number | undefined;
  readonly #request: BodyStream;
  readonly #limits: ReadLimits;
  readonly #done: (body: Buffer | GatewayError) => void;
  readonly #declared: number | undefined;
  #chunks: Buffer[] = [];
  /** Buffer for all of a large body. */
  #singleBuffer: Buffer | undefined;
  #size = 0;
  #startedAt = 0;
  #lastAt = 0;
  #isOver = false;

  constructor(request: BodyStream, limits: ReadLimits, done: (body: Buffer | GatewayError) => void) {
    const length = request.headers['content-length'];
    this.#request = request;
    this.#limits = limits;
    this.#done = done;
    this.#declared = length === undefined ? undefined : Number(length);
  }

  get received(): number {
    return this.#size;
  }

  start(): void {
    const { sweeper, monotonic } = this.#limits;
    const fault = sizeFault(this.#declared ?? 0, this.#declared, this.#limits);
    if (fault !== undefined) {
      this.#done(fault);
      return;
    }
    this.#startedAt = monotonic();
    this.#lastAt = this.#startedAt;
    this.#request.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose).on('error', this.#onError);
    sweeper.add(this);
  }

  /** Stops reading: bytes that have not arrived are not received. */
  stop(): void {
    if (this.#isOver) return;
    this.#release();
    this.#request.off('data', this.#onData).off('end', this.#onEnd).pause();
  }

  sweep(now: number): void {
    const silentMs = now - this.#lastAt;
    const late = slowBodyFault({ silentMs, waitedMs: now - this.#startedAt, bytes: this.#size, limitMs: this.#limits.bodyTimeout });
    if (late !== undefined) this.#fail(late);
  }

  crashed(thrown: unknown): void {
    this.#fail(fromUnknown(thrown));
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#lastAt = this.#limits.monotonic();
    const size = this.#size + chunk.length;
    const fault = sizeFault(size, undefined, this.#limits) ?? reserveMemory(chunk.length, this.#limits.hold);
    if (fault !== undefined) {
      this.#fail(fault);
      return;
    }
    this.#append(chunk);
    this.#size = size;
    if (size >= large) this.#moveToSingleBuffer(chunk.length);
  };

  readonly #onEnd = (): void => {
    const [first] = this.#chunks;
    const whole =
      this.#singleBuffer ?? (this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#size));
    this.#release();
    this.#done(whole);
  };

  readonly #onClose = (): void => this.stop();

  readonly #onError = (error: unknown): void => {
    if (error instanceof GatewayError) this.#fail(error);
    else this.stop();
  };

  #append(chunk: Buffer): void {
    if (this.#singleBuffer === undefined) appendBytes(this.#chunks, chunk);
    else chunk.copy(this.#singleBuffer, this.#size);
  }

  /** Uses one buffer instead of chunks that are concatenated later. Allocated pages that are not written yet use no memory. */
  #moveToSingleBuffer(added: number): void {
    const declared = this.#declared;
    if (this.#singleBuffer !== undefined) this.#limits.passed(added);
    else if (declared !== undefined && this.#size >= declared * leastPart) {
      this.#singleBuffer = Buffer.allocUnsafeSlow(declared);
      let at = 0;
      for (const chunk of this.#chunks) at += chunk.copy(this.#singleBuffer, at);
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
    this.#singleBuffer = undefined;
    this.#limits.sweeper.delete(this);
  }
}

/** Checks a body that has already arrived completely; returns an error if it exceeds a limit. */
export function checkReceivedBody(bytes: Buffer, limits: Pick<ReadLimits, 'maxBody' | 'hold'>): Buffer | GatewayError {
  return sizeFault(bytes.length, bytes.length, limits) ?? reserveMemory(bytes.length, limits.hold) ?? bytes;
}

/** Reserves memory for more bytes. Returns the error if there is none. */
function reserveMemory(bytes: number, hold: MemoryReservation): GatewayError | undefined {
  try {
    hold.take(bytes * bodyCopies);
    return undefined;
  } catch (overloaded) {
    return fromUnknown(overloaded);
  }
}

/** @param declared the declared length; undefined for bytes that were counted */
function sizeFault(
  size: number,
  declared: number | undefined,
  { maxBody, hold }: Pick<ReadLimits, 'maxBody' | 'hold'>,
): GatewayError | undefined {
  if (size > maxBody) return bodyTooLarge({ bytes: maxBody, setting: 'server.max_body' }, declared);
  if (size * bodyCopies <= hold.budget.limit) return undefined;
  return bodyTooLarge({ bytes: Math.floor(hold.budget.limit / bodyCopies), setting: 'server.memory' }, declared);
}
