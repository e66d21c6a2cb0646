import type { GatewayError } from '../../../core/error.ts';
import type { Attempt, Flow, FlowConsumer, KeptBody } from '../../../core/plan.ts';
import type { Tap } from '../../../core/tap.ts';
import { emptyScan, joinScans, type Scanned } from '../framing/scanned.ts';

/** Phase of an attempt. */
export type AttemptState =
  | 'waiting' // no head yet
  | 'whole' // collecting a body
  | 'holding' // a stream before its commit point
  | 'flowing' // committed
  | 'closing' // end mark seen, transport not closed yet
  | 'over';

/** Maximum bytes buffered until there is a consumer. Plugins may inspect the head first. */
const waitingLimit = 256 * 1024;

/** How a flow ended: complete by the rules of its format, or broken off. */
export type FlowEnd = { readonly kind: 'whole' } | { readonly kind: 'fault'; readonly error: GatewayError };

/** The attempt that a response belongs to: its state, and the callbacks for the progress of the response. */
export interface UpstreamBodyOwner {
  /** Written by both sides; only `release` sets `over`. */
  state: AttemptState;
  readonly attempt: Attempt;
  readonly tap: Tap;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly recorder: KeptBody;
  /** Maximum bytes of a response that is neither a stream nor a file. */
  readonly maxResponse: number;
  now(): number;
  /** Masks the credential in a decompressed body. */
  redacted(body: Buffer): Buffer;
  /** The commit point: the attempt has a response, which flows from now on. */
  committed(flow: Flow): void;
  /** The whole response was received and is valid. */
  complete(body: Buffer): void;
  /** The response is invalid, and none of it was committed. */
  rejectResponse(fault: GatewayError): void;
  /** Recounts the bytes held, which can grow without further reads. Returns false if the attempt is over for any reason. */
  recountMemory(): boolean;
  /** Ends the attempt: no further bytes of the connection are needed. */
  release(): void;
  /** Pauses reading from the connection; `resumeSource` resumes it. */
  pauseSource(): void;
  resumeSource(): void;
  abort(): void;
}

/**
 * The body of a response. Subclasses parse it; this class is the flow of a committed response. It buffers data, and the
 * end of the flow, until there is a consumer.
 */
export abstract class UpstreamBody implements Flow {
  protected readonly owner: UpstreamBodyOwner;
  /** Data received after the commit and before there was a consumer. `tail` is held back until the end. */
  protected pending: Scanned[] = [];
  protected tail: Scanned = emptyScan;
  /** True if the last piece waits until the end is known to be good: without framing, a complete body cannot be told from a cut one. */
  protected abstract readonly withholdsLast: boolean;
  /** When the provider last sent data, or the consumer last started or resumed. */
  lastAt: number;
  /** When the end mark was received. */
  closingAt = 0;
  #consumer: FlowConsumer | undefined;
  /** Bytes received after the commit and before there was a consumer. */
  #undelivered = 0;
  #hadConsumer = false;
  #paused = false;
  #end: FlowEnd | undefined;

  constructor(owner: UpstreamBodyOwner, now: number) {
    this.owner = owner;
    this.lastAt = now;
  }

  abstract data(chunk: Buffer, now: number): void;
  /** The transport ended normally. */
  abstract finished(): void;

  /** Bytes held back here that count against the memory budget. */
  get bufferedBytes(): number {
    return 0;
  }

  get kept(): KeptBody {
    return this.owner.recorder;
  }

  /** True while a consumer reads and is not paused. Only then does the idle timeout of the provider apply. */
  get isBeingRead(): boolean {
    return this.#consumer !== undefined && !this.#paused;
  }

  into(consumer: FlowConsumer): void {
    this.#hadConsumer = true;
    this.#consumer = consumer;
    this.lastAt = this.owner.now();
    const pending = this.pending;
    this.pending = this.withholdsLast && this.#end === undefined ? pending.splice(-1) : [];
    for (const scanned of pending) consumer.data(scanned.bytes, scanned.events);
    if (this.#end !== undefined) this.#deliverEnd(consumer, this.#end);
    // A source without a network may continue at once, so the consumer must be there, and must not have paused it.
    else if (this.#undelivered > waitingLimit && !this.#paused) this.owner.resumeSource();
  }

  pause(): void {
    this.#paused = true;
    this.owner.pauseSource();
  }

  resume(): void {
    this.#paused = false;
    this.lastAt = this.owner.now();
    this.owner.resumeSource();
  }

  abort(): void {
    this.owner.abort();
  }

  /** Ends the flow: reports the end to the consumer, or keeps it until there is one. */
  close(end: FlowEnd): void {
    this.#end = end;
    this.owner.release();
    if (this.#consumer !== undefined) this.#deliverEnd(this.#consumer, end);
  }

  /** Passes a piece to the consumer, or buffers it until there is one. */
  protected deliver(scanned: Scanned): void {
    if (this.#consumer === undefined) this.#bufferPiece(scanned);
    else this.#consumer.data(scanned.bytes, scanned.events);
  }

  #bufferPiece(scanned: Scanned): void {
    this.pending.push(scanned);
    if (this.#hadConsumer) return;
    this.#undelivered += scanned.bytes.length;
    if (this.#undelivered > waitingLimit) this.owner.pauseSource();
  }

  #deliverEnd(consumer: FlowConsumer, end: FlowEnd): void {
    for (const scanned of this.pending.splice(0)) {
      if (this.withholdsLast && end.kind === 'whole') this.tail = joinScans(this.tail, scanned);
      else consumer.data(scanned.bytes, scanned.events);
    }
    if (end.kind === 'fault') consumer.fault(end.error);
    else consumer.end(this.tail.bytes, this.tail.events);
  }
}
