import type { WireEvent } from '../../../core/events.ts';

/** An event and its offsets in the bytes that were scanned with it. `end` is after its blank line. */
export interface ScannedEvent extends WireEvent {
  readonly start: number;
  readonly end: number;
}

/** What one read completed: the bytes of whole events (and comments between them), in order, and those events. */
export interface Scanned {
  readonly bytes: Buffer;
  readonly events: readonly ScannedEvent[];
}

/** Splits the bytes of a stream into events. The bytes may be cut at any position. */
export interface EventScanner {
  /** Bytes of the incomplete event. */
  readonly buffered: number;
  /** The error in the stream, if its framing can detect one. */
  readonly flaw?: string | undefined;
  push(chunk: Buffer): Scanned;
  end(): Scanned;
}

/** The result of a read without data. */
export const emptyScan: Scanned = Object.freeze({ bytes: Buffer.alloc(0), events: Object.freeze([]) });

/** Splits the result of a read at the start of one of its events. */
export function splitScan(scanned: Scanned, at: number): [before: Scanned, tail: Scanned] {
  const events = scanned.events;
  const first = events.findIndex((event) => event.start >= at);
  const cut = first < 0 ? events.length : first;
  return [
    { bytes: scanned.bytes.subarray(0, at), events: events.slice(0, cut) },
    { bytes: scanned.bytes.subarray(at), events: events.slice(cut) },
  ];
}

/** Joins two results. The offsets of the events of `b` are not adjusted, because no later code uses them. */
export function joinScans(a: Scanned, b: Scanned): Scanned {
  if (a.bytes.length === 0) return b;
  if (b.bytes.length === 0) return a;
  return { bytes: Buffer.concat([a.bytes, b.bytes]), events: [...a.events, ...b.events] };
}

/** The rest of a stream of server-sent events, with the line ends added that its last event lacks. */
export function withTerminator({ bytes, events }: Scanned): Scanned {
  const ends = bytes.at(-1) === lf || bytes.at(-1) === cr ? '\n' : '\n\n';
  return { bytes: Buffer.concat([bytes, Buffer.from(ends)]), events };
}

const lf = 0x0a;
const cr = 0x0d;
