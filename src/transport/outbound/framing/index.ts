import type { WireEvent } from '../../../core/events.ts';
import { AwsFrameScanner } from './aws-frames.ts';
import { type Scanned, SseScanner } from './sse.ts';

/** Takes the bytes of a stream apart into events, wherever they are cut. */
export interface EventScanner {
  /** Bytes of the event that has begun and not ended. */
  readonly buffered: number;
  /** What is wrong with the stream, where its framing tells. */
  readonly flaw?: string | undefined;
  push(chunk: Buffer): Scanned;
  end(): Scanned;
}

/** How a stream of events is framed, by its content type in lower case; undefined where it is none. */
export function framingOf(contentType: string): 'sse' | 'aws-frames' | undefined {
  if (contentType.startsWith('text/event-stream')) return 'sse';
  return contentType.startsWith('application/vnd.amazon.eventstream') ? 'aws-frames' : undefined;
}

/** @param unwrap what stands in frames that only carry events of another format */
export const scannerOf = (framing: 'sse' | 'aws-frames', unwrap: ((event: WireEvent) => WireEvent) | undefined): EventScanner =>
  framing === 'sse' ? new SseScanner() : new AwsFrameScanner(unwrap);
