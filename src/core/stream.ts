import type { GatewayError } from './error.ts';

/** A synchronous, incremental transformation with state. No I/O and no timers; the transport handles backpressure. */
export interface StreamTransform<In, Out> {
  /** Processes one input event; yields any number of output events. */
  push(event: In): Iterable<Out>;
  /** The transport ended. Closes open elements; yields an error if the format's own end was not seen. */
  end(): Iterable<Out>;
  /** The upstream failed: closes open elements and reports the error in the stream. */
  fail(error: GatewayError): Iterable<Out>;
}
