import { appendBytes } from '../../../core/memory/byte-pieces.ts';
import { emptyScan, type Scanned, type ScannedEvent } from './scanned.ts';

const lf = 0x0a;
const cr = 0x0d;
const colon = 0x3a;
const space = 0x20;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
/** Size in bytes from which an event is parsed without a string per line. It may have millions of lines. */
const large = 16 * 1024;

/**
 * Finds the ends of server-sent events in bytes split at any position, and buffers an incomplete event. Lines end with
 * LF, CRLF or CR (the event stream grammar of the HTML standard, 9.2.5). Nothing is re-encoded: the output bytes equal
 * the input bytes.
 */
export class SseScanner {
  readonly #parts: Buffer[] = [];
  #buffered = 0;
  #atLineStart = true;
  #afterCr = false;
  /** True if a line of the buffered bytes may end with a CR. */
  #hasCr = false;

  /** Bytes of the incomplete event. */
  get buffered(): number {
    return this.#buffered;
  }

  push(chunk: Buffer): Scanned {
    const ends = this.#eventEnds(chunk);
    const last = ends.at(-1);
    if (last === undefined) {
      this.#bufferBytes(chunk);
      return emptyScan;
    }
    const before = this.#buffered;
    const whole = chunk.subarray(0, last);
    const bytes = before === 0 ? whole : Buffer.concat([...this.#parts, whole], before + last);
    this.#parts.length = 0;
    this.#buffered = 0;
    const events = readEvents(bytes, ends, before, this.#hasCr);
    if (last < chunk.length) this.#bufferBytes(chunk.subarray(last));
    else this.#hasCr = false;
    return { bytes, events };
  }

  /** The transport ended. The rest is a last event if it has a data line, even without its blank line. */
  end(): Scanned {
    if (this.#buffered === 0) return emptyScan;
    const bytes = this.#parts.length === 1 && this.#parts[0] !== undefined ? this.#parts[0] : Buffer.concat(this.#parts, this.#buffered);
    this.#parts.length = 0;
    this.#buffered = 0;
    return { bytes, events: readEvents(bytes, [bytes.length], 0, this.#hasCr) };
  }

  #bufferBytes(bytes: Buffer): void {
    appendBytes(this.#parts, bytes);
    this.#buffered += bytes.length;
  }

  /** Offsets in `chunk` after each blank line. Uses one native search per line, and never repeats a search for the same mark. */
  #eventEnds(chunk: Buffer): number[] {
    const ends: number[] = [];
    const lines = new LineEnds(chunk);
    let at = 0;
    if (this.#afterCr && chunk.length > 0) {
      this.#afterCr = false;
      if (chunk[0] === lf) at = 1;
    }
    while (at < chunk.length) {
      const byte = chunk[at];
      if (this.#atLineStart && (byte === lf || byte === cr)) {
        at = byte === cr ? this.#endOfLineBreak(chunk, at) : at + 1;
        ends.push(at);
        continue;
      }
      const end = lines.from(at);
      if (end < 0) {
        this.#atLineStart = false;
        break;
      }
      this.#atLineStart = true;
      at = chunk[end] === cr ? this.#endOfLineBreak(chunk, end) : end + 1;
    }
    this.#hasCr ||= lines.hasCr;
    return ends;
  }

  #endOfLineBreak(chunk: Buffer, at: number): number {
    if (at + 1 >= chunk.length) {
      this.#afterCr = true;
      return at + 1;
    }
    return chunk[at + 1] === lf ? at + 2 : at + 1;
  }
}

/** Finds line ends in order. A mark that was found, or does not occur, is not searched for again. */
class LineEnds {
  readonly #chunk: Buffer;
  #lf = -1;
  #cr = -1;
  /** True if a CR was found. */
  hasCr = false;

  constructor(chunk: Buffer) {
    this.#chunk = chunk;
  }

  /** The first line end at or after `at`, or -1. */
  from(at: number): number {
    if (this.#lf < at) this.#lf = this.#next(lf, at);
    if (this.#cr < at) {
      this.#cr = this.#next(cr, at);
      this.hasCr ||= this.#cr !== notFound;
    }
    const end = Math.min(this.#lf, this.#cr);
    return end === notFound ? -1 : end;
  }

  #next(mark: number, at: number): number {
    const found = this.#chunk.indexOf(mark, at);
    return found < 0 ? notFound : found;
  }
}

const notFound = Number.MAX_SAFE_INTEGER;

/** @param hasCr false if no line of the events ends with a CR, as in most streams: then an event of one line ends with two LF */
function readEvents(bytes: Buffer, ends: readonly number[], offset: number, hasCr: boolean): ScannedEvent[] {
  const events: ScannedEvent[] = [];
  let start = 0;
  for (const relative of ends) {
    const end = relative + offset;
    // An event of one line, as most are, has its only line end before the empty line.
    const isLong = end - start >= large && (hasCr || bytes.indexOf(lf, start) < end - 2);
    const event = isLong ? readLargeEvent(bytes, start, end) : readEvent(bytes.toString('utf8', start, end), hasCr, start, end);
    if (event !== undefined) events.push(event);
    start = end;
  }
  return events;
}

/**
 * Parses the lines of one event. Undefined if none of them has data (comments, blank lines).
 *
 * @param mayHaveCr false if the text contains no CR, so that only LF ends a line
 */
function readEvent(text: string, mayHaveCr: boolean, start: number, end: number): ScannedEvent | undefined {
  if (!mayHaveCr && text.startsWith('data: ')) {
    const lineEnd = text.indexOf('\n');
    if (lineEnd === text.length - 2) return { name: '', data: text.slice(6, lineEnd), start, end };
  }
  let name = '';
  let data: string | undefined;
  for (const line of (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text).split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== 'data' && field !== 'event') continue;
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
    if (field === 'event') name = value;
    else data = data === undefined ? value : `${data}\n${value}`;
  }
  return data === undefined ? undefined : { name, data, start, end };
}

/** Parses an event from its bytes. Memory use is proportional to its size, however many lines it has. */
function readLargeEvent(bytes: Buffer, start: number, end: number): ScannedEvent | undefined {
  const data = Buffer.allocUnsafe(end - start);
  let size = -1;
  let name = '';
  let at = bytes.indexOf(byteOrderMark, start) === start ? start + byteOrderMark.length : start;
  while (at < end) {
    const stop = lineEnd(bytes, at, end);
    if (isField(bytes, at, stop, 'data')) {
      if (size >= 0) data[size] = lf;
      size += 1;
      size += bytes.copy(data, size, valueStart(bytes, at + 4, stop), stop);
    } else if (isField(bytes, at, stop, 'event')) name = bytes.toString('utf8', valueStart(bytes, at + 5, stop), stop);
    at = stop + 1;
  }
  return size < 0 ? undefined : { name, data: data.toString('utf8', 0, size), start, end };
}

/** Treats CRLF as two line ends. The empty line between them has no meaning inside an event. */
function lineEnd(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== lf && bytes[at] !== cr) at += 1;
  return at;
}

function isField(bytes: Buffer, from: number, stop: number, field: 'data' | 'event'): boolean {
  const end = from + field.length;
  if (end > stop || (end < stop && bytes[end] !== colon)) return false;
  for (let i = 0; i < field.length; i += 1) if (bytes[from + i] !== field.charCodeAt(i)) return false;
  return true;
}

/** @param at offset after the field name */
function valueStart(bytes: Buffer, at: number, stop: number): number {
  if (at >= stop) return stop;
  return Math.min(bytes[at + 1] === space ? at + 2 : at + 1, stop);
}
