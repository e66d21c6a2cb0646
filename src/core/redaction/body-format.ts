import { anyBelow, fourTimes } from '../text/four-bytes.ts';

export type BodyFormat = 'json' | 'events' | 'lines' | 'list' | 'frames' | 'text' | 'file';

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
  return type.includes('json') || /^[[{"]/.test(start) ? 'json' : 'text';
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
