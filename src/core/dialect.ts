import type { Endpoint } from './endpoint.ts';
import type { ErrorFacts, GatewayError } from './error.ts';
import type { ModelEvent } from './events.ts';
import type { Plain } from './json/merge.ts';
import type { StreamTransform } from './stream.ts';

/** What a dialect must know of an attempt to write its answer. */
export interface DialectCall {
  readonly strict: boolean;
  /** Thoughts are also written as `reasoning_content`. */
  readonly showsReasoning?: boolean | undefined;
  /** The client offers `functions` and reads `function_call`, as in the format's first days. */
  readonly asksForFunctions?: boolean | undefined;
  /** The client asked for the usage chunk. */
  readonly includeUsage: boolean;
  /** Type of the provider: `provider` on converted answers. */
  readonly provider: string;
  readonly model: string;
  /** For ids that the provider's format lacks. */
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** Writes one stream. After an error nothing follows, whatever is pushed. */
export interface DialectWriter extends StreamTransform<ModelEvent, string> {
  /** The error that the text ended with: an event that was pushed, a broken upstream, or an end without a finish. */
  readonly failure: GatewayError | undefined;
}

/** What clients speak: how errors look, and how the hub's answers become text. */
export interface Dialect {
  /** True for an error object that this API's libraries read as it is; any other one is written anew. */
  isError(value: Plain): boolean;
  errorBody(error: GatewayError, facts: ErrorFacts): Buffer;
  errorEvent(error: GatewayError, facts: ErrorFacts): Buffer;
  /** The header in which this API's libraries look for the request id, beside `x-request-id`. */
  readonly idHeader?: string;
  /** Text of a whole answer that was converted; absent where it is the object as it is. */
  answer?(result: unknown, call: DialectCall): string;
  /**
   * The text of a stream that says what a whole answer says, by endpoint: some services ignore that a stream was asked
   * for. Undefined where the object is no answer of the endpoint. Whole answers of other endpoints pass as they are.
   */
  readonly streamed?: { readonly [E in Endpoint]?: (answer: Plain, call: DialectCall) => string | undefined };
  /** Absent for dialects that no stream is converted to. */
  write?(call: DialectCall): DialectWriter;
}
