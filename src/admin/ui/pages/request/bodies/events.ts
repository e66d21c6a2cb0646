/** One stored event of a stream. */
export interface StreamEvent {
  readonly name: string | null;
  readonly data: string;
  /** Milliseconds from the request's arrival; null: not measured. */
  readonly at: number | null;
  /** Size in bytes, including the blank line. */
  readonly size: number;
}

/** Maximum number of events that are parsed. */
export const maxEvents = 20_000;

const newline = 10;
const carriage = 13;

/**
 * Splits a stream into its events.
 *
 * @param chunks pairs of offset and time: the byte at this offset arrived at this time
 */
export function eventsIn(bytes: Uint8Array, chunks: readonly number[] | null): readonly StreamEvent[] {
  const decoder = new TextDecoder();
  const timeAt = timesOf(chunks);
  const events: StreamEvent[] = [];
  let from = 0;
  while (from < bytes.length && events.length < maxEvents) {
    const to = endOfEvent(bytes, from);
    const event = eventOf(decoder.decode(bytes.subarray(from, to)));
    if (event !== undefined) events.push({ ...event, at: timeAt(from), size: to - from });
    from = to;
  }
  return events;
}

/** The offset after the blank line that ends the event. */
function endOfEvent(bytes: Uint8Array, from: number): number {
  let isBlank = false;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === newline || byte === carriage) {
      // CR LF counts as one line end.
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

/** The arrival time of the piece that contains an offset. Offsets must ascend. */
function timesOf(chunks: readonly number[] | null): (offset: number) => number | null {
  if (chunks === null || chunks.length < 2) return () => null;
  let i = 0;
  return (offset) => {
    while (i + 2 < chunks.length && (chunks[i + 2] ?? 0) <= offset) i += 2;
    return chunks[i + 1] ?? null;
  };
}
