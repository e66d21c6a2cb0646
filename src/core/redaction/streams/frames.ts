/** AWS frames (application/vnd.amazon.eventstream). They are converted to text, because masking would invalidate their checksums. */

/** Headers of a frame consist of a name, type 7 (string) and a text. */
const textType = 7;
const overhead = 16;

/** The frames as text events, and the start of each event: pairs of its offset in the frames and its offset in the text. */
export interface FrameText {
  readonly text: string;
  readonly starts: readonly number[];
}

/** Rewrites frames as server-sent events: `event:` is the frame's type, `data:` its JSON, decoded from base64 if necessary. */
export function framesAsEvents(bytes: Buffer): FrameText {
  let text = '';
  const starts: number[] = [];
  for (let at = 0; at + overhead <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const headers = bytes.readUInt32BE(at + 4);
    if (size < overhead + headers || at + size > bytes.length) break;
    starts.push(at, text.length);
    const name = nameOf(bytes.subarray(at + 12, at + 12 + headers));
    const payload = bytes.toString('latin1', at + 12 + headers, at + size - 4);
    text += `event: ${name}\ndata: ${unwrapped(payload).replaceAll(/[\r\n]+/g, ' ')}\n\n`;
    at += size;
  }
  return { text, starts };
}

/** `{"bytes":"<base64>","p":"…"}`: the form for models that are invoked with their own format. */
function unwrapped(payload: string): string {
  const match = /^\{\s*(?:"p"\s*:\s*"[^"]*"\s*,\s*)?"bytes"\s*:\s*"((?:[A-Za-z0-9+/=]|\\\/)*)"/.exec(payload);
  return match?.[1] === undefined ? payload : Buffer.from(match[1].replaceAll('\\', ''), 'base64').toString('latin1');
}

function nameOf(headers: Buffer): string {
  for (let at = 0; at + 1 < headers.length; ) {
    const nameEnd = at + 1 + (headers[at] ?? 0);
    const name = headers.toString('latin1', at + 1, nameEnd);
    if (headers[nameEnd] !== textType || nameEnd + 3 > headers.length) return 'event';
    const valueEnd = nameEnd + 3 + headers.readUInt16BE(nameEnd + 1);
    if (name === ':event-type' || name === ':exception-type')
      return headers
        .toString('latin1', nameEnd + 3, valueEnd)
        .replaceAll(/[^\w-]/g, '')
        .slice(0, 64);
    at = valueEnd;
  }
  return 'event';
}
