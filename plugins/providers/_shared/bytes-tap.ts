import type { WireEvent } from '#core/events.ts';
import type { EventKind, Tap } from '#core/tap.ts';

/** Answers that are files: audio, plain text, lines of JSON. Nothing is read of them; where they end is the transport's word. */
export class BytesTap implements Tap {
  readonly form: 'bytes' | 'text' = 'bytes';
  complete = false;
  readonly id = undefined;
  readonly model = undefined;
  readonly fault = undefined;
  readonly usage = undefined;
  readonly finish: readonly string[] = [];
  contentEvents = 0;

  /** Some of these routes stream events when they are asked to; without an end mark every event may be the last. */
  event(_event: WireEvent): EventKind {
    this.contentEvents += 1;
    this.complete = true;
    return 'content';
  }

  whole(_text: string): undefined {
    this.complete = true;
    return undefined;
  }
}

/** The same for a text that is read whole before the next request is made of it. */
export class TextTap extends BytesTap {
  override readonly form = 'text' as const;
}
