import type { Mask } from '../core/mask.ts';
import type { LogRecord } from '../core/record.ts';
import { type EndAmendment, type Part, type PartPieces, parts, type SpoolFrame } from './frame.ts';

/** A record and its kept bytes as one frame. Nothing is copied: the pieces stay the caller's. */
export function encodeRecord(record: LogRecord, bodies: PartPieces, mask?: Mask): SpoolFrame {
  const sizes: (readonly [Part, number])[] = [];
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
    sizes.push([part, length]);
    size += length;
  }
  const json = JSON.stringify(record);
  return { line: `${json.slice(0, -1)},"parts":${JSON.stringify(sizes)}}`, pieces, size, mask };
}

/** The short line that corrects the end of a record that is written already. */
export function encodeAmendment(id: string, end: EndAmendment): SpoolFrame {
  return { line: JSON.stringify({ id, end }), pieces: [], size: 0, mask: undefined };
}
