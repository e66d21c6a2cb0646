import type { Tap } from '../../../core/tap.ts';
import { AwsFrameScanner } from './aws-frames.ts';
import type { EventScanner } from './scanned.ts';
import { SseScanner } from './sse.ts';
import { WithholdingScanner } from './withholding.ts';

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
