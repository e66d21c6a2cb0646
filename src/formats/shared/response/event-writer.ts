import type { DialectWriter } from '../../../core/dialect.ts';
import type { GatewayError } from '../../../core/error.ts';
import type { ModelEvent } from '../../../core/events.ts';
import { streamInterrupted } from './stream-errors.ts';

/** Converts hub events to events of a client's format. */
export interface ClientEvents<E> {
  /** False until the provider has sent a finish reason. */
  readonly isFinished: boolean;
  push(event: ModelEvent): readonly E[];
  /** Returns the end of the response. Called only if `isFinished`. */
  end(): readonly E[];
}

const nothing: readonly string[] = Object.freeze([]);

/** Writes a stream of an API whose streams consist of named events. */
export class EventWriter<E> implements DialectWriter {
  failure: GatewayError | undefined;
  readonly #events: ClientEvents<E>;
  readonly #text: (event: E, number: number) => string;
  readonly #errorText: (error: GatewayError, number: number) => string;
  /** Number of the next event. */
  #next = 0;

  /**
   * @param text serializes an event
   * @param errorText serializes the error that ends the stream
   */
  constructor(
    events: ClientEvents<E>,
    text: (event: E, number: number) => string,
    errorText: (error: GatewayError, number: number) => string,
  ) {
    this.#events = events;
    this.#text = text;
    this.#errorText = errorText;
  }

  push(event: ModelEvent): readonly string[] {
    if (this.failure !== undefined) return nothing;
    return event.type === 'error' ? this.fail(event.error) : this.#written(this.#events.push(event));
  }

  end(): readonly string[] {
    if (this.failure !== undefined) return nothing;
    return this.#events.isFinished ? this.#written(this.#events.end()) : this.fail(streamInterrupted());
  }

  /** Writes no end of the response, so that the stream does not look complete. Client libraries raise on the error. */
  fail(error: GatewayError): readonly string[] {
    if (this.failure !== undefined) return nothing;
    this.failure = error;
    return [this.#errorText(error, this.#next)];
  }

  #written(events: readonly E[]): readonly string[] {
    return events.map((event) => this.#text(event, this.#next++));
  }
}
