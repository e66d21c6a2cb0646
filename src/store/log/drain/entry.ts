import type { FeedbackInput } from '../../../core/logs/reader.ts';
import type { LogRecord } from '../../../core/records/record.ts';
import { decodeFrame } from '../../decode.ts';
import type { SpoolEntry } from '../../frame.ts';
import { feedbackOf } from '../feedback.ts';
import type { FrameSlice, StoredEntry } from '../log-store.ts';
import { rowOf, type StoredRow } from '../stored-row.ts';

type RecordEntry = SpoolEntry & { readonly kind: 'record' };

/** A record, or its part after the row, that cannot be read, as after a power failure. */
export class DamagedFrame extends Error {
  override readonly name = 'DamagedFrame';

  constructor() {
    super('a frame of the spool is damaged');
  }
}

/** A frame of a record that has members of other types than records have. */
export class DamagedEntry implements StoredEntry {
  readonly slice: FrameSlice;

  constructor(slice: FrameSlice) {
    this.slice = slice;
  }

  get row(): never {
    throw new DamagedFrame();
  }

  get record(): never {
    throw new DamagedFrame();
  }

  get bodies(): never {
    throw new DamagedFrame();
  }
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
    throw new DamagedFrame();
  }
}

/** @throws for members of other types than records have */
export function frameEntryOf({ record }: RecordEntry, slice: FrameSlice): FrameEntry {
  // Not part of the row, but of lists and of the index of words.
  if (record.preview !== null && typeof record.preview !== 'string') throw new DamagedFrame();
  return new FrameEntry(rowOf(record), slice, feedbackOf(record));
}
