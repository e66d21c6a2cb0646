import type { Endpoint } from './endpoint.ts';
import type { ErrorFacts, GatewayError } from './error.ts';
import type { ModelEvent } from './events.ts';
import type { JsonObject } from './json/merge.ts';
import type { StreamTransform } from './stream.ts';

/** What a dialect needs to know of an attempt to write its response. */
export interface DialectCall {
  readonly strict: boolean;
  /** Reasoning is also written as `reasoning_content`. */
  readonly showsReasoning?: boolean | undefined;
  /** The client uses the legacy `functions` and `function_call`. */
  readonly asksForFunctions?: boolean | undefined;
  /** True if the client requested the usage chunk. */
  readonly includeUsage: boolean;
  /** Type of the provider: the field `provider` of converted responses. */
  readonly provider: string;
  readonly model: string;
  /** Request ID, for formats of providers without an ID. */
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Members of the request that its response repeats, for formats that do so (`Translation.echo`). */
  readonly echo?: JsonObject | undefined;
  /** Reports what the response loses. Of a stream, only the record has it: the headers are sent before. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** Serializes one stream. After an error, further events are ignored. */
export interface DialectWriter extends StreamTransform<ModelEvent, string> {
  /** The error that ended the text: an error event, a broken upstream connection, or an end without a finish event. */
  readonly failure: GatewayError | undefined;
}

/** An API that clients use: its error format, and how responses of the hub are serialized. */
export interface Dialect {
  /** True for an error object that this API's client libraries can read; any other one is rewritten. */
  isError(value: JsonObject): boolean;
  /** The same for the error object of a stream; absent if it is that of a response. */
  isErrorEvent?(value: JsonObject): boolean;
  errorBody(error: GatewayError, facts: ErrorFacts): Buffer;
  errorEvent(error: GatewayError, facts: ErrorFacts): Buffer;
  /** The header in which this API's libraries look for the request ID, besides `x-request-id`. */
  readonly idHeader?: string;
  /** Serializes a complete converted response; absent if it is the object itself. */
  answer?(result: unknown, call: DialectCall): string;
  /**
   * Serializers by endpoint that turn a complete response into a stream, because some services ignore `stream`. Each
   * returns undefined if the object is not a response of the endpoint. Complete responses of other endpoints are
   * forwarded unchanged.
   */
  readonly streamed?: { readonly [E in Endpoint]?: (answer: JsonObject, call: DialectCall) => string | undefined };
  /** Absent for dialects to which no stream is converted. */
  write?(call: DialectCall): DialectWriter;
}
