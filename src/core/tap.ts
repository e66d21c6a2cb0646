import type { ProviderFault } from './error.ts';
import type { WireEvent } from './events.ts';
import type { Usage } from './model/usage.ts';

/**
 * What one event of a stream means to the gateway: `meta` carries nothing a person would see (role, ping, filter),
 * `content` commits the attempt, `end` is the format's own end mark, `fault` is an error object in the stream.
 */
export type EventKind = 'meta' | 'content' | 'end' | 'fault';

/**
 * Watches one answer as it passes, in the provider's own format, without changing it. One object gives the commit
 * point, completeness and usage. A tap lives for one attempt and sees either events or one whole body.
 */
export interface Tap {
  event(event: WireEvent): EventKind;
  /**
   * Streams of frames that only carry events of another format: the event in one. The client gets these as server-sent
   * events, and the tap sees them.
   */
  readonly unwrap?: (event: WireEvent) => WireEvent;
  /**
   * WebSockets: whether a text message of the provider that begins like this is an event that the tap reads; `event` gets
   * those, and an empty text for one that was too long. Absent: none is read.
   */
  readonly hears?: (beginning: string) => boolean;
  /**
   * A whole answer with a 2xx status, as UTF-8 text in which `flawOf` found nothing: it is not looked through once more before
   * it is parsed. Returns the error object that some services send under 200.
   */
  whole(text: string): ProviderFault | undefined;
  /** What `whole` parsed, where the conversion of the answer goes on from it. */
  readonly answer?: unknown;
  /**
   * `bytes`: an answer whose content type is not JSON is no fault (audio, plain text, files); it is complete when the
   * transport says so, and flows from its first byte. `text`: the same, held whole, because a next request is made of it.
   * Absent: a whole answer is one JSON value.
   */
  readonly form?: 'json' | 'bytes' | 'text';
  /** An empty body is a complete answer: its result is read by a next request (`Translation.then`). */
  readonly mayBeEmpty?: true;
  /** True once the answer is complete by its own format: finish reasons and end mark, or `[DONE]`. */
  readonly complete: boolean;
  readonly usage: Usage | undefined;
  readonly finish: readonly string[];
  /** The model that the answer names. */
  readonly model: string | undefined;
  /** The provider's id of the answer. */
  readonly id: string | undefined;
  /** Set by an event of kind `fault`. */
  readonly fault: ProviderFault | undefined;
  /** Events of kind `content` so far: the base of an estimate where no usage was reported. */
  readonly contentEvents: number;
}
