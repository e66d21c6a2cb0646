import type { GivenFeedback } from '../../../core/logs/reader.ts';
import type { LogRecord } from '../../../core/records/record.ts';
import { decodeFrame } from '../../decode.ts';
import type { SpoolEntry } from '../../frame.ts';
import { feedbackOf } from '../feedback.ts';
import type { FrameSlice, StoredEntry } from '../log-store.ts';
import { rowOf, type StoredRow } from '../stored-row.ts';

type RecordEntry = SpoolEntry & { readonly kind: 'record' };

/** The part of a record after its row cannot be read, as after a power failure. */
export class DamagedFrame extends Error {
  override readonly name = 'DamagedFrame';
}

/** A record of which only the row was decoded. The frame must not change until the entry is stored. */
export class FrameEntry implements StoredEntry {
  readonly row: StoredRow;
  readonly place: FrameSlice;
  readonly feedback: GivenFeedback | undefined;

  constructor(row: StoredRow, place: FrameSlice, feedback?: GivenFeedback) {
    this.row = row;
    this.place = place;
    this.feedback = feedback;
  }

  get frame(): Buffer {
    const { bytes, from, to } = this.place;
    return bytes.subarray(from, to);
  }

  get record(): LogRecord {
    return this.#decoded().record;
  }

  get bodies(): RecordEntry['bodies'] {
    return this.#decoded().bodies;
  }

  #decoded(): RecordEntry {
    const decoded = decodeFrame(this.frame, 0);
    if (decoded.state === 'whole' && decoded.entry.kind === 'record') return decoded.entry;
    throw new DamagedFrame('a frame of the spool is damaged');
  }
}

export function headEntry({ record }: RecordEntry, place: FrameSlice): FrameEntry {
  return new FrameEntry(rowOf(record), place, feedbackOf(record));
}
