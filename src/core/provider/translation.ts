import type { ModelEvent, WireEvent } from '../events.ts';
import type { LineEdit } from '../http/form.ts';
import type { JsonObject } from '../json/merge.ts';
import type { StreamTransform } from '../stream.ts';
import type { Tap } from '../tap.ts';
import type { UpstreamRequest } from './call.ts';

/**
 * One request of one attempt in a provider's format: what is sent, how its response is observed and converted, and
 * which request follows. It keeps the state that later steps need. Without `result`, `reader` and `lines` the provider
 * uses the client's format, and its bytes are forwarded.
 */
export interface Translation {
  readonly request: UpstreamRequest;
  /** Observes the response. A new one for each attempt. */
  readonly tap: Tap;
  /** Creates the converter from the provider's stream events to events of the hub. Called once. */
  reader?(): StreamTransform<WireEvent, ModelEvent>;
  /**
   * Converts the provider's complete response to an object in the endpoint's format. With several requests (`then`),
   * the first one has it if the last one converts: errors of the provider are then written in the gateway's format.
   *
   * @param text of a 2xx response
   * @param answer the same text as parsed by the tap (`Tap.answer`)
   * @throws anything: the attempt fails with 502 `upstream_invalid`, or with the GatewayError that was thrown
   */
  result?(text: string, answer?: unknown): unknown;
  /** Members of the client's request that its format repeats in the response. */
  readonly echo?: JsonObject | undefined;
  /**
   * For forwarded responses: returns the text of a complete 2xx response in the form that clients rely on, with fields
   * that the service omitted; undefined if it passes unchanged. Responses that are too large to be held are forwarded unchanged.
   */
  repair?(text: string): string | undefined;
  /** For forwarded streams: returns the data of an event, rewritten; undefined if the event passes unchanged. */
  repairEvent?(data: string): string | undefined;
  /** For a response that is a file of lines: how each line is rewritten. */
  readonly lines?: LineEdit;
  /**
   * Returns the next request of a call that takes several (at most four in all); undefined if `reply` is the final
   * response. Called after each complete 2xx response; a streamed response is the last one. The attempt, credential and
   * timeouts stay the same.
   *
   * @throws GatewayError if the response permits no next request
   */
  then?(reply: StepReply): Translation | undefined;
  /**
   * Called if this request failed, or no request could follow it, although an earlier one succeeded. Returns the object
   * in the endpoint's format as far as it is known, which is sent with status 200 and a warning; undefined: the failure
   * is sent. Not called for the first request. The status of `failure` is 0 if there was no response.
   */
  recover?(failure: StepReply): unknown;
  /** Responds without network access (the mock). `request`: the request that would have been sent. */
  local?(request: UpstreamRequest): LocalAnswer;
}

/** An attempt whose provider uses the client's format: bytes are forwarded. A class, because most requests create one. */
export class Passing implements Translation {
  readonly request: UpstreamRequest;
  readonly tap: Tap;

  constructor(request: UpstreamRequest, tap: Tap) {
    this.request = request;
    this.tap = tap;
  }
}

/** True if the response is converted; otherwise its bytes are forwarded, at most with small changes. */
export const isConverting = (translation: Translation): boolean => translation.result !== undefined || translation.reader !== undefined;

/** One response of a call that takes several requests. */
export interface StepReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The complete body, UTF-8. */
  readonly text: string;
}

/** A response without an upstream: complete, or as pieces of a stream with pauses. */
export interface LocalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly LocalPiece[];
  /** Delay before the first piece, in milliseconds. */
  readonly delayMs?: number;
  /**
   * A transport fault to simulate: instead of the response (`refused`: no connection; `reset-before-response`), or after
   * the pieces instead of a proper end (`reset`; `hang`: no more data).
   */
  readonly breaks?: 'refused' | 'reset-before-response' | 'reset' | 'hang';
}

export interface LocalPiece {
  /** Text, or bytes as they are. */
  readonly text: string | Uint8Array;
  /** Pause before this piece, in milliseconds. */
  readonly afterMs?: number;
}
