import type { Scanned } from './sse.ts';

const none: Buffer = Buffer.alloc(0);

/** Nothing, as a read of the wire. */
export const noScan: Scanned = Object.freeze({ bytes: none, events: Object.freeze([]) });

/** Parts a read in two at the start of one of its events. */
export function split(scanned: Scanned, at: number): [before: Scanned, tail: Scanned] {
  const events = scanned.events;
  const first = events.findIndex((event) => event.start >= at);
  const cut = first < 0 ? events.length : first;
  return [
    { bytes: scanned.bytes.subarray(0, at), events: events.slice(0, cut) },
    { bytes: scanned.bytes.subarray(at), events: events.slice(cut) },
  ];
}

/** Two reads as one. The events of `b` keep their places in `b`: whoever gets them has no more use for places. */
export function join(a: Scanned, b: Scanned): Scanned {
  if (a.bytes.length === 0) return b;
  if (b.bytes.length === 0) return a;
  return { bytes: Buffer.concat([a.bytes, b.bytes]), events: [...a.events, ...b.events] };
}
