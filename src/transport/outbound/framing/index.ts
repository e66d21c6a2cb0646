import type { Tap } from '../../../core/tap.ts';
import { AwsFrameScanner } from './aws-frames.ts';
import type { Scanned } from './scanned.ts';
import { SseScanner } from './sse.ts';
import { WithholdingScanner } from './withholding.ts';

/** Splits the bytes of a stream into events. The bytes may be cut at any position. */
export interface EventScanner {
  /** Bytes of the incomplete event. */
  readonly buffered: number;
  /** The error in the stream, if its framing can detect one. */
  readonly flaw?: string | undefined;
  push(chunk: Buffer): Scanned;
  end(): Scanned;
}

/** The framing of an event stream, by its lower-case content type; undefined if it is not an event stream. */
export function framingOf(contentType: string): 'sse' | 'aws-frames' | undefined {
  if (contentType.startsWith('text/event-stream')) return 'sse';
  return contentType.startsWith('application/vnd.amazon.eventstream') ? 'aws-frames' : undefined;
}

/** @param tap reads the events of the stream */
export function scannerOf(framing: 'sse' | 'aws-frames', { unwrap, withholds }: Pick<Tap, 'unwrap' | 'withholds'>): EventScanner {
  const scanner = framing === 'sse' ? new SseScanner() : new AwsFrameScanner(unwrap);
  return withholds === undefined ? scanner : new WithholdingScanner(scanner, withholds);
}
