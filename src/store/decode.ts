import { emptyRecord } from '../core/records/empty.ts';
import type { LogRecord } from '../core/records/record.ts';
import { type EndAmendment, type Part, parts, type SpoolEntry } from './frame.ts';
import { objectIn } from '../core/json/scan.ts';

const lineFeed = 0x0a;

/** What stands at an offset of a segment. */
export type Decoded =
  | { readonly state: 'whole'; readonly entry: SpoolEntry; readonly next: number }
  /** More bytes are needed: this many in all from the offset, as far as can be told. */
  | { readonly state: 'short'; readonly needs: number }
  /** Not a frame, and more bytes won't make it one. */
  | { readonly state: 'broken' };

const broken: Decoded = Object.freeze({ state: 'broken' });

/** Reads the frame that begins at `from`. Bodies are views into `bytes`. */
export function decodeFrame(bytes: Buffer, from: number): Decoded {
  const lineEnd = bytes.indexOf(lineFeed, from);
  if (lineEnd < 0) return { state: 'short', needs: bytes.length - from + 1 };
  const line = objectIn(bytes.toString('utf8', from, lineEnd));
  const sizes = line === undefined ? undefined : readSizes(line.parts);
  if (line === undefined || sizes === undefined) return broken;
  const bodies: { [P in Part]?: Buffer } = {};
  let at = lineEnd + 1;
  for (const [part, size] of sizes) {
    bodies[part] = bytes.subarray(at, at + size);
    at += size;
  }
  if (at >= bytes.length) return { state: 'short', needs: at + 1 - from };
  const entry = bytes[at] === lineFeed ? toEntry(line, bodies) : undefined;
  return entry === undefined ? broken : { state: 'whole', entry, next: at + 1 };
}

function toEntry(line: Readonly<Record<string, unknown>>, bodies: { readonly [P in Part]?: Buffer }): SpoolEntry | undefined {
  if (typeof line.id !== 'string') return undefined;
  const { parts: _sizes, ...record } = line;
  if (line.v !== undefined) return { kind: 'record', record: recordOf(record), bodies };
  return typeof line.end === 'object' && line.end !== null ? { kind: 'amendment', id: line.id, end: line.end as EndAmendment } : undefined;
}

/** All members are there: what the line of a request that was not let in leaves out, and what older lines had not. */
function recordOf(line: Readonly<Record<string, unknown>>): LogRecord {
  const known = line['admitted'] === false ? { ...emptyRecord, ...line } : { notes: {}, socket: null, ...line, admitted: true };
  return known as unknown as LogRecord;
}

/** Undefined when it is not a list of known parts with sizes; an amendment has none. */
function readSizes(value: unknown): readonly (readonly [Part, number])[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return undefined;
  const known: readonly unknown[] = parts;
  const good = value.every(
    (pair: unknown) => Array.isArray(pair) && known.includes(pair[0]) && Number.isSafeInteger(pair[1]) && pair[1] >= 0,
  );
  return good ? (value as [Part, number][]) : undefined;
}
