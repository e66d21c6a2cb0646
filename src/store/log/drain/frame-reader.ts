import { type BodyPart, bodyParts } from '../../../core/logs/reader.ts';
import { decodeHead, sizesMark } from '../../decode.ts';
import type { EndAmendment } from '../../frame.ts';
import type { StoredEntry } from '../log-store.ts';
import type { StoredRow } from '../stored-row.ts';
import { DamagedEntry, FrameEntry, frameEntryOf } from './entry.ts';
import { RowScanner } from './row-scanner.ts';

/** A decoded frame of the spool, for a store. */
export type SpooledItem =
  | { readonly kind: 'record'; readonly entry: StoredEntry }
  | { readonly kind: 'amendment'; readonly id: string; readonly end: EndAmendment };

/** The result of decoding at an offset, with the same states as `Decoded`. */
export type FrameReadResult =
  | { readonly state: 'whole'; readonly item: SpooledItem; readonly next: number }
  | { readonly state: 'short' }
  | { readonly state: 'broken' };

const lineFeed = 0x0a;
const openingBrace = 0x7b;
const short: FrameReadResult = Object.freeze({ state: 'short' });
const broken: FrameReadResult = Object.freeze({ state: 'broken' });

/** Decodes frames for a store, only as far as a row needs. */
export class FrameReader {
  readonly #rows = new RowScanner();

  /** The result is a view into `bytes`. */
  read(bytes: Buffer, from: number): FrameReadResult {
    // Zero bytes left by a power failure contain no line feed, so it is useless to wait for one.
    if (bytes[from] !== openingBrace) return broken;
    const lineEnd = bytes.indexOf(lineFeed, from);
    if (lineEnd < 0) return short;
    const line = bytes.toString('latin1', from, lineEnd);
    const size = bodiesSizeIn(line);
    let row: StoredRow | undefined;
    try {
      row = size === undefined ? undefined : this.#rows.scan(line);
      if (size === undefined || row === undefined) return parseFrame(bytes, from);
    } catch {
      // The line is JSON, but members have other types. This record must not prevent the following ones from being stored.
      if (size === undefined) return broken;
    }
    const end = lineEnd + 1 + size;
    if (end >= bytes.length) return short;
    if (bytes[end] !== lineFeed) return broken;
    const slice = { bytes, from, to: end + 1 };
    const entry = row === undefined ? new DamagedEntry(slice) : new FrameEntry(row, slice);
    return { state: 'whole', item: { kind: 'record', entry }, next: end + 1 };
  }
}

/** Decodes by parsing the part before the messages. */
function parseFrame(bytes: Buffer, from: number): FrameReadResult {
  const found = decodeHead(bytes, from);
  if (found.state !== 'whole') return found;
  const { entry, next } = found;
  const read = entry.kind === 'record' ? { kind: entry.kind, entry: frameEntryOf(entry, { bytes, from, to: next }) } : entry;
  return { state: 'whole', item: read, next };
}

/** Bytes of the bodies, as declared at the end of a record's line; undefined if the line does not end in the usual form. */
function bodiesSizeIn(line: string): number | undefined {
  if (line.endsWith(',"parts":[]}')) return 0;
  let at = line.lastIndexOf(sizesMark) + sizesMark.length;
  if (at < sizesMark.length) return undefined;
  let sum = 0;
  for (; at < line.length; at += 1) {
    const comma = line.indexOf(',', at);
    const end = line.indexOf(']', comma);
    const size = Number(line.slice(comma + 1, end));
    if (comma < 0 || end < 0 || !bodyParts.includes(line.slice(at + 2, comma - 1) as BodyPart) || !Number.isSafeInteger(size))
      return undefined;
    if (line.charCodeAt(at) !== 0x5b || size < 0) return undefined;
    sum += size;
    at = end + 1;
    if (line.startsWith(']}', at)) return at + 2 === line.length ? sum : undefined;
    if (line.charCodeAt(at) !== 0x2c) return undefined;
  }
  return undefined;
}
