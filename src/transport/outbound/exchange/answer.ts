import type { GatewayError } from '../../../core/error.ts';
import type { Attempt, Flow, FlowConsumer, KeptBody } from '../../../core/plan.ts';
import type { Tap } from '../../../core/tap.ts';
import type { Scanned } from '../framing/sse.ts';
import { join, noScan } from '../framing/scanned.ts';

/** Where an attempt stands. */
export type State =
  | 'waiting' // no head yet
  | 'whole' // collecting a body
  | 'holding' // a stream before its commit point
  | 'flowing' // committed
  | 'closing' // end mark seen, transport not closed yet
  | 'over';

/** How a flow ended: complete by its own format, or broken off. */
export type FlowEnd = { readonly kind: 'whole' } | { readonly kind: 'fault'; readonly error: GatewayError };

/** The attempt that an answer belongs to: what it knows of itself, and what the answer tells it. */
export interface AnswerOwner {
  /** Written by both sides; `over` only by `release`. */
  state: State;
  readonly attempt: Attempt;
  readonly tap: Tap;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly kept: KeptBody;
  /** Bytes of the largest answer that is no stream and no file. */
  readonly maxAnswer: number;
  now(): number;
  /** Hides the credential in a body that was decompressed. */
  redacted(body: Buffer): Buffer;
  /** The commit point: the outcome is an answer, from now on it flows. */
  committed(flow: Flow): void;
  /** The whole answer is there, and good. */
  complete(body: Buffer): void;
  /** The answer is none, and nothing of it was committed. */
  faulty(fault: GatewayError): void;
  /** The answer holds more than before without having read more. False when it is over, for whatever reason. */
  recounted(): boolean;
  /** Nothing more is wanted of the wire. */
  release(): void;
  /** Stops and starts the reading of the wire. */
  halt(): void;
  proceed(): void;
  abort(): void;
}

/**
 * What comes behind the head of an answer. The two kinds read it; this part is the flow of a committed one: it keeps
 * what nobody has taken yet, and the end until its consumer is there.
 */
export abstract class Answer implements Flow {
  protected readonly owner: AnswerOwner;
  /** What came after the commit and before somebody took it, and what is held back at the end. */
  protected pending: Scanned[] = [];
  protected tail: Scanned = noScan;
  /** The last piece waits until the end is known to be good: a body without framing can't be told from a cut one before. */
  protected abstract readonly holdsLast: boolean;
  /** When the provider was last heard, or somebody began to listen again. */
  lastAt: number;
  /** When the end mark came. */
  closingAt = 0;
  #consumer: FlowConsumer | undefined;
  #paused = false;
  #end: FlowEnd | undefined;

  constructor(owner: AnswerOwner, now: number) {
    this.owner = owner;
    this.lastAt = now;
  }

  abstract data(chunk: Buffer, now: number): void;
  /** The transport ended as it should. */
  abstract finished(): void;

  /** Bytes that are held back here, as far as they are worth counting. */
  get waiting(): number {
    return 0;
  }

  get kept(): KeptBody {
    return this.owner.kept;
  }

  /** Somebody takes what comes, and isn't slow: only then the provider's silence counts. */
  get isDrawn(): boolean {
    return this.#consumer !== undefined && !this.#paused;
  }

  into(consumer: FlowConsumer): void {
    this.#consumer = consumer;
    this.lastAt = this.owner.now();
    const pending = this.pending;
    this.pending = this.holdsLast && this.#end === undefined ? pending.splice(-1) : [];
    for (const scanned of pending) consumer.data(scanned.bytes, scanned.events);
    if (this.#end !== undefined) this.#deliverEnd(consumer, this.#end);
  }

  pause(): void {
    this.#paused = true;
    this.owner.halt();
  }

  resume(): void {
    this.#paused = false;
    this.lastAt = this.owner.now();
    this.owner.proceed();
  }

  abort(): void {
    this.owner.abort();
  }

  /** The flow is at its end: tells the consumer, or keeps it for the one who comes. */
  close(end: FlowEnd): void {
    this.#end = end;
    this.owner.release();
    if (this.#consumer !== undefined) this.#deliverEnd(this.#consumer, end);
  }

  /** Hands a piece to the consumer, or keeps it until there is one. */
  protected give(scanned: Scanned): void {
    if (this.#consumer === undefined) this.pending.push(scanned);
    else this.#consumer.data(scanned.bytes, scanned.events);
  }

  #deliverEnd(consumer: FlowConsumer, end: FlowEnd): void {
    for (const scanned of this.pending.splice(0)) {
      if (this.holdsLast && end.kind === 'whole') this.tail = join(this.tail, scanned);
      else consumer.data(scanned.bytes, scanned.events);
    }
    if (end.kind === 'fault') consumer.fault(end.error);
    else consumer.end(this.tail.bytes, this.tail.events);
  }
}
