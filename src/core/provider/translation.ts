import type { ModelEvent, WireEvent } from '../events.ts';
import type { LineEdit } from '../http/form.ts';
import type { StreamTransform } from '../stream.ts';
import type { Tap } from '../tap.ts';
import type { UpstreamRequest } from './call.ts';

/**
 * One request of one attempt in a provider's format: what is sent, how its answer is watched and read, and what follows
 * it. It keeps whatever it needs to know later. Without `result`, `reader` and `lines` the provider speaks the client's
 * format, and its bytes pass.
 */
export interface Translation {
  readonly request: UpstreamRequest;
  /** Watches the answer. A new one for each attempt. */
  readonly tap: Tap;
  /** Makes what turns the provider's events of a stream into events of the hub. Called once. */
  reader?(): StreamTransform<WireEvent, ModelEvent>;
  /**
   * The whole answer of the provider as an object in the endpoint's format. Of several requests (`then`), the first has it
   * where the last one converts: errors of the provider are then written in the gateway's format.
   *
   * @param text of a 2xx answer
   * @param answer the same text as the tap has parsed it (`Tap.answer`)
   * @throws anything: the attempt fails with 502 `upstream_invalid`, or with the GatewayError that was thrown
   */
  result?(text: string, answer?: unknown): unknown;
  /**
   * Where the bytes pass: the text of a whole 2xx answer with what the service left out, undefined where nothing is
   * missing. Answers that are too large to be held pass as they are.
   */
  mend?(text: string): string | undefined;
  /** Of an answer that is a file of lines: what each line becomes on its way. */
  readonly lines?: LineEdit;
  /**
   * The next request of a call that takes several (at most four in all); undefined when `reply` is the answer. Asked
   * after each 2xx answer that was read whole: one that flows is the last. Same attempt, credential and clocks.
   *
   * @throws GatewayError when what came makes no next request possible
   */
  then?(reply: StepReply): Translation | undefined;
  /**
   * This request failed, or none could be made after it, although one before it did its work: the object in the
   * endpoint's format as far as it is known, answered with 200 and a warning. Undefined: the failure is the answer. Never
   * asked of the first request. The status of `failure` is 0 where there was no answer.
   */
  recover?(failure: StepReply): unknown;
  /** Answers without a network (the mock). `request`: as it would have been sent. */
  local?(request: UpstreamRequest): LocalAnswer;
}

/** An attempt whose provider speaks the client's format: bytes pass. A class, since most requests make one. */
export class Passing implements Translation {
  readonly request: UpstreamRequest;
  readonly tap: Tap;

  constructor(request: UpstreamRequest, tap: Tap) {
    this.request = request;
    this.tap = tap;
  }
}

/** Is the answer converted? Otherwise its bytes pass, with small changes at most. */
export const isConverting = (translation: Translation): boolean => translation.result !== undefined || translation.reader !== undefined;

/** One answer of a call that takes several requests. */
export interface StepReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body, UTF-8. */
  readonly text: string;
}

/** An answer that needs no upstream: whole, or pieces of a stream with pauses. */
export interface LocalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly LocalPiece[];
  /** Before the first piece, in milliseconds. */
  readonly delayMs?: number;
  /** The transport fault to play after the pieces instead of a proper end. */
  readonly breaks?: 'refused' | 'reset' | 'hang';
}

export interface LocalPiece {
  /** Text, or bytes as they are. */
  readonly text: string | Uint8Array;
  /** Pause before this piece, in milliseconds. */
  readonly afterMs?: number;
}
