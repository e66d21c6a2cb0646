import type { Mask } from '../core/secrets/mask.ts';
import { withoutEmpty } from '../core/records/empty.ts';
import type { LogRecord, MessageRecord } from '../core/records/record.ts';
import { compactLine, Kinds } from './compact.ts';
import { type EndAmendment, type PartPieces, parts, type SpoolFrame } from './frame.ts';

/**
 * A record and its kept bytes as one frame. Nothing is copied: the pieces stay the caller's.
 *
 * @param kinds what is remembered from record to record; whoever writes one alone has none
 */
export function encodeRecord(record: LogRecord, bodies: PartPieces, mask?: Mask, kinds = new Kinds()): SpoolFrame {
  let sizes = '';
  const pieces: Buffer[] = [];
  let size = 0;
  for (const part of parts) {
    const kept = bodies[part];
    if (kept === undefined || kept.length === 0) continue;
    let length = 0;
    for (const piece of kept) {
      pieces.push(piece);
      length += piece.length;
    }
    sizes += `${sizes === '' ? '' : ','}["${part}",${length}]`;
    size += length;
  }
  return { line: `${lineOf(record, kinds)},"parts":[${sizes}]}`, pieces, size, mask };
}

/** Bytes of a record without its bodies. */
export const recordLimit = 64 * 1024;

/** Without its closing brace. Each member is bounded where the record is made; all of them together are here. */
function lineOf(record: LogRecord, kinds: Kinds): string {
  if (!record.admitted) return JSON.stringify(withoutEmpty(record)).slice(0, -1);
  const line = compactLine(record, kinds);
  // A character takes three bytes at most.
  if (line.length * 3 <= recordLimit || Buffer.byteLength(line) <= recordLimit) return line;
  return compactLine(shortened(record), kinds);
}

/** Without what can be large: the rest is a few kilobytes. */
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
    request: bare(record.request),
    upstream: bare(record.upstream),
    response: bare(record.response),
  };
}

function bare({ body, why_absent }: MessageRecord): MessageRecord {
  return { headers: {}, body: body === null ? null : { ...body, patch: null, chunks: null }, why_absent };
}

/** The short line that corrects the end of a record that is written already. */
export function encodeAmendment(id: string, end: EndAmendment): SpoolFrame {
  return { line: JSON.stringify({ id, end }), pieces: [], size: 0, mask: undefined };
}
