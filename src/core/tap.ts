import type { ProviderFault } from './error.ts';
import type { WireEvent } from './events.ts';
import type { Usage } from './model/usage.ts';

/**
 * Meaning of a stream event for the gateway: `meta` has no content visible to a person (role, ping, filter), `content`
 * commits the attempt, `end` is the format's own end mark, `fault` is an error object in the stream.
 */
export type EventKind = 'meta' | 'content' | 'end' | 'fault';

/**
 * Observes one response in the provider's own format, without changing it. One object provides the commit point,
 * completeness and usage. A tap is used for one attempt and sees either events or one complete body.
 */
export interface Tap {
  event(event: WireEvent): EventKind;
  /**
   * For streams whose frames contain events of another format: returns the event in a frame. The client gets these as
   * server-sent events, and the tap sees them.
   */
  readonly unwrap?: (event: WireEvent) => WireEvent;
  /** For events that the gateway requested for itself: reads such an event and returns true. The client does not get it. */
  readonly withholds?: (event: WireEvent) => boolean;
  /**
   * WebSockets: returns whether a text message of the provider with this beginning is an event that the tap reads.
   * `event` gets those, and an empty text for one that was too long. Absent: none are read.
   */
  readonly reads?: (beginning: string) => boolean;
  /**
   * Reads a complete 2xx response, as UTF-8 text in which `flawOf` found nothing, so that it is not checked again
   * before parsing. Returns the error object that some services send with status 200.
   */
  whole(text: string): ProviderFault | undefined;
  /** The value that `whole` parsed, if the conversion of the response uses it. */
  readonly answer?: unknown;
  /**
   * `bytes`: a response whose content type is not JSON is valid (audio, plain text, files); it is complete when the
   * transport ends it, and is forwarded from its first byte. `text`: the same, but buffered, because the next request
   * is built from it. Absent: a complete response is one JSON value.
   */
  readonly form?: 'json' | 'bytes' | 'text';
  /** An empty body is a complete response: a next request reads its result (`Translation.then`). */
  readonly mayBeEmpty?: true;
  /** True once the response is complete by its own format: finish reasons and end mark, or `[DONE]`. */
  readonly complete: boolean;
  readonly usage: Usage | undefined;
  readonly finish: readonly string[];
  /** The model named in the response. */
  readonly model: string | undefined;
  /** The provider's ID of the response. */
  readonly id: string | undefined;
  /** Set by an event of kind `fault`. */
  readonly fault: ProviderFault | undefined;
  /** Number of `content` events so far: the basis of an estimate if no usage was reported. */
  readonly contentEvents: number;
  /** Number of events so far, except an event of kind `fault`. Only for formats that number the events of a stream. */
  readonly eventCount?: number;
}
