import { endOfValue } from '../walk.ts';

/** A stream as one list of JSON, as `streamGenerateContent` of Google writes it without `alt=sse`. */
export interface ListText {
  /** Where each event starts and ends, in turn. */
  readonly events: readonly number[];
  /** Behind the last event that is there as a whole. */
  readonly end: number;
}

/** @param text begins with a list of objects, and may be cut anywhere */
export function eventsOfList(text: string): ListText {
  const events: number[] = [];
  let end = text.indexOf('[') + 1;
  for (let at = text.indexOf('{', end); at >= 0; at = text.indexOf('{', end)) {
    const stop = endOfValue(text, at, text.length);
    if (text.charCodeAt(stop - 1) !== 0x7d) break;
    events.push(at, stop);
    end = stop;
  }
  return { events, end };
}
