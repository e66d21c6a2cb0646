import type { FeedbackInput } from '../../../core/logs/reader.ts';
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
  readonly slice: FrameSlice;
  readonly feedback: FeedbackInput | undefined;

  constructor(row: StoredRow, slice: FrameSlice, feedback?: FeedbackInput) {
    this.row = row;
    this.slice = slice;
    this.feedback = feedback;
  }

  get frame(): Buffer {
    const { bytes, from, to } = this.slice;
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

export function frameEntryOf({ record }: RecordEntry, slice: FrameSlice): FrameEntry {
  return new FrameEntry(rowOf(record), slice, feedbackOf(record));
}
