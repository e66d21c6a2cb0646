import type { GatewayError } from './error.ts';

/** A synchronous, incremental function with memory. No I/O, no timers: back-pressure is the transport's. */
export interface StreamTransform<In, Out> {
  /** One event in; none, one or many out. */
  push(event: In): Iterable<Out>;
  /** The transport ended. Closes what is open; yields an error if the format's own end was not seen. */
  end(): Iterable<Out>;
  /** The upstream broke: close what is open and say so in the stream. */
  fail(error: GatewayError): Iterable<Out>;
}
