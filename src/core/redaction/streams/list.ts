import { endOfValue } from '../json-traversal.ts';

/** A stream that is one JSON list, as Google's `streamGenerateContent` writes it without `alt=sse`. */
export interface ListText {
  /** Start and end of each event, alternating. Other text between events is included as a range of its own. */
  readonly events: readonly number[];
  /** The offset after the last complete event. */
  readonly end: number;
}

/** @param text begins with a list of objects, and may be truncated anywhere */
export function eventsOfList(text: string): ListText {
  const events: number[] = [];
  let end = text.indexOf('[') + 1;
  for (let at = text.indexOf('{', end); at >= 0; at = text.indexOf('{', end)) {
    const stop = endOfValue(text, at, text.length);
    if (text.charCodeAt(stop - 1) !== 0x7d) break;
    addBetween(text, end, at, events);
    events.push(at, stop);
    end = stop;
  }
  addBetween(text, end, text.length, events);
  return { events, end };
}

function addBetween(text: string, from: number, to: number, events: number[]): void {
  let at = from;
  while (at < to && isSeparator(text.charCodeAt(at))) at += 1;
  if (at < to) events.push(at, to);
}

/** A comma, a closing bracket, or white space. */
const isSeparator = (c: number): boolean => c <= 0x20 || c === 0x2c || c === 0x5d;
