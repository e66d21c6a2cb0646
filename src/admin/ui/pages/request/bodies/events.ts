/** One event of a stream as it was kept. */
export interface StreamEvent {
  readonly name: string | null;
  readonly data: string;
  /** Milliseconds from the request's arrival; null: not measured. */
  readonly at: number | null;
  /** Bytes, the blank line included. */
  readonly size: number;
}

/** Events that are read at most: more cannot be looked at. */
export const mostEvents = 20_000;

const newline = 10;
const carriage = 13;

/**
 * The events of a stream.
 *
 * @param chunks pairs of offset and time: the byte at an offset came at that time
 */
export function eventsIn(bytes: Uint8Array, chunks: readonly number[] | null): readonly StreamEvent[] {
  const decoder = new TextDecoder();
  const timeAt = timesOf(chunks);
  const events: StreamEvent[] = [];
  let from = 0;
  while (from < bytes.length && events.length < mostEvents) {
    const to = endOfEvent(bytes, from);
    const event = eventOf(decoder.decode(bytes.subarray(from, to)));
    if (event !== undefined) events.push({ ...event, at: timeAt(from), size: to - from });
    from = to;
  }
  return events;
}

/** Behind the blank line that ends the event. */
function endOfEvent(bytes: Uint8Array, from: number): number {
  let isBlank = false;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === newline || byte === carriage) {
      // CR LF is one end of a line.
      if (byte === carriage && bytes[at + 1] === newline) at++;
      if (isBlank) return at + 1;
      isBlank = true;
    } else isBlank = false;
  }
  return bytes.length;
}

function eventOf(text: string): { readonly name: string | null; readonly data: string } | undefined {
  let name: string | null = null;
  const data: string[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    else if (line.startsWith('event:')) name = line.slice(6).trim();
  }
  return data.length === 0 && name === null ? undefined : { name, data: data.join('\n') };
}

/** The time of the piece in which an offset lies. Offsets come in their order. */
function timesOf(chunks: readonly number[] | null): (offset: number) => number | null {
  if (chunks === null || chunks.length < 2) return () => null;
  let i = 0;
  return (offset) => {
    while (i + 2 < chunks.length && (chunks[i + 2] ?? 0) <= offset) i += 2;
    return chunks[i + 1] ?? null;
  };
}
