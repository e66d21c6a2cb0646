import { crc32 } from 'node:zlib';
import type { WireEvent } from '../../../core/events.ts';
import { appendBytes } from '../../../core/memory/byte-pieces.ts';
import { emptyScan, type Scanned, type ScannedEvent } from './scanned.ts';

/** Bytes of the two lengths and their checksum; and bytes of all parts besides headers and payload. */
const preludeSize = 12;
const overhead = 16;

/** Limits of one frame, in bytes (Smithy, `application/vnd.amazon.eventstream`). */
const maxHeaders = 128 * 1024;
const maxPayload = 24 * 1024 * 1024;

/** The frame is invalid. */
class FrameError extends Error {}

/**
 * Parses frames of AWS event streams (`application/vnd.amazon.eventstream`) from bytes split at any position. It verifies
 * both checksums of each frame, and uses the lengths only after their checksum was verified, so that a corrupt length
 * cannot make the stream wait. Written here instead of using `@smithy/eventstream-codec`, which depends on eight megabytes of
 * packages.
 *
 * The name of an event is its `:event-type`, or the exception's name if the frame contains an exception.
 */
export class AwsFrameScanner {
  /** The error in the stream. Nothing after it is parsed. */
  flaw: string | undefined;
  readonly #parts: Buffer[] = [];
  readonly #unwrap: ((event: WireEvent) => WireEvent) | undefined;
  #buffered = 0;
  /** Bytes needed before parsing can continue. */
  #needed = preludeSize;

  /** @param unwrap extracts the event of another format from a frame; that event is then forwarded as a server-sent event */
  constructor(unwrap?: (event: WireEvent) => WireEvent) {
    this.#unwrap = unwrap;
  }

  /** Bytes of the incomplete frame. */
  get buffered(): number {
    return this.#buffered;
  }

  push(chunk: Buffer): Scanned {
    if (this.flaw !== undefined) return emptyScan;
    appendBytes(this.#parts, chunk);
    this.#buffered += chunk.length;
    if (this.#buffered < this.#needed) return emptyScan;
    const bytes = this.#parts.length === 1 && this.#parts[0] !== undefined ? this.#parts[0] : Buffer.concat(this.#parts, this.#buffered);
    this.#parts.length = 0;
    const out = this.#unwrap === undefined ? new RawFrameCollector(bytes) : new UnwrappedFrameCollector(this.#unwrap);
    const at = this.#read(bytes, out);
    this.#buffered = bytes.length - at;
    if (this.#buffered > 0) this.#parts.push(bytes.subarray(at));
    return out.scanned(at);
  }

  /** The transport ended. An incomplete frame is discarded. */
  end(): Scanned {
    this.#parts.length = 0;
    this.#buffered = 0;
    return emptyScan;
  }

  /** Adds every complete frame to `out`. Returns the offset after the last one. */
  #read(bytes: Buffer, out: FrameCollector): number {
    let at = 0;
    try {
      while (bytes.length - at >= preludeSize) {
        const size = frameSize(bytes, at);
        this.#needed = size;
        if (bytes.length - at < size) return at;
        out.add(readFrame(bytes, at, size), at, at + size);
        at += size;
      }
      this.#needed = preludeSize;
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.flaw = error.message;
    }
    return at;
  }
}

/** Collects the frames of one read. */
interface FrameCollector {
  add(event: WireEvent, start: number, end: number): void;
  /** @param end offset after the last complete frame */
  scanned(end: number): Scanned;
}

/** Forwards the frames unchanged. */
class RawFrameCollector implements FrameCollector {
  readonly #bytes: Buffer;
  readonly #events: ScannedEvent[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  add({ name, data }: WireEvent, start: number, end: number): void {
    this.#events.push({ name, data, start, end });
  }

  scanned(end: number): Scanned {
    return end === 0 ? emptyScan : { bytes: this.#bytes.subarray(0, end), events: this.#events };
  }
}

/** Converts the events inside the frames to server-sent events. */
class UnwrappedFrameCollector implements FrameCollector {
  readonly #unwrap: (event: WireEvent) => WireEvent;
  readonly #events: ScannedEvent[] = [];
  #text = '';
  #size = 0;

  constructor(unwrap: (event: WireEvent) => WireEvent) {
    this.#unwrap = unwrap;
  }

  add(event: WireEvent): void {
    const { name, data } = this.#unwrap(event);
    const text = `event: ${name.replaceAll(/[\r\n]+/g, ' ')}\ndata: ${data.replaceAll(/\r\n|\n|\r/g, '\ndata: ')}\n\n`;
    const start = this.#size;
    this.#text += text;
    this.#size += Buffer.byteLength(text, 'utf8');
    this.#events.push({ name, data, start, end: this.#size });
  }

  scanned(): Scanned {
    return this.#size === 0 ? emptyScan : { bytes: Buffer.from(this.#text, 'utf8'), events: this.#events };
  }
}

/** @throws FrameError */
function frameSize(bytes: Buffer, at: number): number {
  if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) throw new FrameError('the checksum of its lengths is wrong');
  const size = bytes.readUInt32BE(at);
  const headers = bytes.readUInt32BE(at + 4);
  if (headers > maxHeaders) throw new FrameError(`its headers are larger than ${maxHeaders} bytes`);
  if (size < headers + overhead) throw new FrameError('its lengths contradict each other');
  if (size - headers - overhead > maxPayload) throw new FrameError(`its payload is larger than ${maxPayload} bytes`);
  return size;
}

/** @throws FrameError */
function readFrame(bytes: Buffer, at: number, size: number): WireEvent {
  const end = at + size - 4;
  if (crc32(bytes.subarray(at, end)) !== bytes.readUInt32BE(end)) throw new FrameError('its checksum is wrong');
  const payloadStart = at + preludeSize + bytes.readUInt32BE(at + 4);
  const headers = readHeaders(bytes.subarray(at + preludeSize, payloadStart));
  const data = bytes.toString('utf8', payloadStart, end);
  switch (headers.get(':message-type')) {
    case 'exception':
      return { name: headers.get(':exception-type') ?? 'unknownException', data };
    case 'error': {
      const code = headers.get(':error-code') ?? 'unknown';
      const message = headers.get(':error-message') ?? '';
      return { name: /(?:Exception|Error)$/.test(code) ? code : `${code}Exception`, data: JSON.stringify({ message }) };
    }
    default:
      return { name: headers.get(':event-type') ?? '', data };
  }
}

/** Sizes of header values by type: true, false, byte, short, int, long; bytes and string (both with their own length); timestamp, UUID. */
const sizes = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16] as const;
const text = 7;

/** Reads the headers with string values; no other type is needed here. @throws FrameError */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd];
    if (type === undefined || type >= sizes.length) throw new FrameError('one of its headers has an unknown type');
    const fixed = sizes[type];
    const start = nameEnd + (fixed === undefined ? 3 : 1);
    if (start > bytes.length) throw new FrameError('its headers are cut off');
    const end = start + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
    if (end > bytes.length) throw new FrameError('its headers are cut off');
    if (type === text) found.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', start, end));
    at = end;
  }
  return found;
}
