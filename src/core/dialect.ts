import type { ErrorFacts, GatewayError } from './error.ts';
import type { ModelEvent } from './events.ts';
import type { StreamTransform } from './stream.ts';

/** What a dialect must know of an attempt to write its stream. */
export interface DialectCall {
  readonly strict: boolean;
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

/** What clients speak: how errors look, and how the hub's events become text of a stream. */
export interface Dialect {
  errorBody(error: GatewayError, facts: ErrorFacts): Buffer;
  errorEvent(error: GatewayError, facts: ErrorFacts): Buffer;
  /** Absent for dialects that no answer is converted to. */
  write?(call: DialectCall): StreamTransform<ModelEvent, string>;
}
