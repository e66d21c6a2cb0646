import { bodyParts } from '../core/logs/reader.ts';
import type { Mask } from '../core/secrets/mask.ts';
import { withoutEmpty } from '../core/records/empty.ts';
import type { LogRecord, MessageRecord } from '../core/records/record.ts';
import type { WrittenBytes } from '../core/json/bytes.ts';
import { LineWriter, writeCompact } from './compact.ts';
import { type EndAmendment, type PartPieces, type SpoolFrame } from './frame.ts';

/** Bytes of the block for a record that is written alone. */
const singleRecordBlockSize = 8 * 1024;

/**
 * Encodes a record and its kept bytes as one frame. Nothing is copied: the caller still owns the pieces, and the line is
 * in the block of `lines`.
 *
 * @param lines writes the line and caches data between records; omitted by callers that write a single record
 */
export function encodeRecord(
  record: LogRecord,
  bodies: PartPieces,
  mask?: Mask,
  lines = new LineWriter(singleRecordBlockSize),
): SpoolFrame {
  const { out } = lines;
  const pieces: Buffer[] = [];
  out.begin();
  writeLine(record, lines);
  out.ascii(',"parts":[');
  let size = 0;
  for (const part of bodyParts) {
    const bodyPieces = bodies[part];
    if (bodyPieces === undefined || bodyPieces.length === 0) continue;
    let length = 0;
    for (const piece of bodyPieces) {
      pieces.push(piece);
      length += piece.length;
    }
    out.ascii(pieces.length === bodyPieces.length ? '["' : ',["');
    out.ascii(part);
    out.ascii('",');
    out.number(length);
    out.ascii(']');
    size += length;
  }
  out.ascii(']}');
  return new RecordFrame(out.end(), pieces, size, mask);
}

class RecordFrame implements SpoolFrame {
  readonly written: WrittenBytes;
  readonly pieces: readonly Buffer[];
  readonly size: number;
  readonly mask: Mask | undefined;

  constructor(written: WrittenBytes, pieces: readonly Buffer[], size: number, mask: Mask | undefined) {
    this.written = written;
    this.pieces = pieces;
    this.size = size;
    this.mask = mask;
  }

  get line(): string {
    const { bytes, from, to } = this.written;
    return bytes.toString('utf8', from, to);
  }
}

/** Maximum bytes of a record without its bodies. */
export const recordLimit = 64 * 1024;

/** Writes the line without its closing brace. Each member is limited where the record is made; this limits all of them together. */
function writeLine(record: LogRecord, lines: LineWriter): void {
  const { out } = lines;
  if (!record.admitted) {
    out.json(JSON.stringify(withoutEmpty(record)).slice(0, -1));
    return;
  }
  writeCompact(record, lines);
  if (out.length <= recordLimit) return;
  out.cut(0);
  writeCompact(shortened(record), lines);
}

/** The record without the members that can be large. The rest takes a few kilobytes. */
function shortened(record: LogRecord): LogRecord {
  return {
    ...record,
    attempts: record.attempts.slice(0, 8).map((attempt) => ({ ...attempt, reason: null })),
    plugins: [],
    dropped: [],
    overruled: [],
    warnings: [`The record was larger than ${recordLimit / 1024} KB: headers, metadata, labels, warnings and more are left out.`],
    metadata: {},
    labels: {},
    notes: {},
    request: withoutHeaders(record.request),
    upstream: withoutHeaders(record.upstream),
    response: withoutHeaders(record.response),
  };
}

function withoutHeaders({ body, why_absent }: MessageRecord): MessageRecord {
  return { headers: {}, body: body === null ? null : { ...body, patch: null, chunks: null }, why_absent };
}

/** Encodes the short line that corrects the end of a record written earlier. */
export function encodeAmendment(id: string, end: EndAmendment): SpoolFrame {
  return { line: JSON.stringify({ id, end }), written: undefined, pieces: [], size: 0, mask: undefined };
}
