import { anyBelow, fourTimes } from '../text/four-bytes.ts';

export type BodyFormat = 'json' | 'events' | 'lines' | 'json-lines' | 'list' | 'frames' | 'text' | 'file';

/** The form of a body, by its content type, else by its beginning. */
export function formatOf(bytes: Buffer, type: string): BodyFormat {
  if (type.startsWith('application/vnd.amazon.eventstream')) return 'frames';
  if (isBinary(bytes)) return 'file';
  if (type.startsWith('text/event-stream')) return 'events';
  if (/^application\/(?:(?:x-)?ndjson|stream\+json)/.test(type)) return 'lines';
  const start = bytes.toString('latin1', 0, 512).trimStart();
  // Streams are also sent with other content types.
  if (/^(?:data|event|id|retry)?:/.test(start)) return 'events';
  if (/^\[\s*\{\s*"candidates"/.test(start)) return 'list';
  if (start.startsWith('{') && areLines(bytes)) return 'json-lines';
  return type.includes('json') || /^[[{"]/.test(start) ? 'json' : 'text';
}

/** True if a line that ends with an object is followed by another one: in one JSON text, a comma separates them. */
function areLines(bytes: Buffer): boolean {
  const end = bytes.indexOf(0x0a);
  if (end < 0) return false;
  const isObject = bytes
    .toString('latin1', Math.max(0, end - 16), end)
    .trimEnd()
    .endsWith('}');
  return (
    isObject &&
    bytes
      .toString('latin1', end + 1, end + 16)
      .trimStart()
      .startsWith('{')
  );
}

const leastVisible = fourTimes(0x20);

/** True if there are control characters that text does not contain. */
function isBinary(bytes: Buffer): boolean {
  const maxLength = Math.min(bytes.length, 512);
  const view = new DataView(bytes.buffer, bytes.byteOffset, maxLength);
  for (let at = 0; at < maxLength; at += 1) {
    // Skip printable characters four at a time, because most lines are long.
    while (at + 4 <= maxLength && anyBelow(view.getInt32(at, true), leastVisible) === 0) at += 4;
    if (at === maxLength) break;
    const byte = bytes[at] as number;
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09 && byte !== 0x1b) return true;
  }
  return false;
}
