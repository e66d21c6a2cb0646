import type { BodyPart, GivenFeedback, LogReader } from '../../core/logs/reader.ts';
import type { LogRecord } from '../../core/records/record.ts';
import type { EndAmendment } from '../frame.ts';
import type { StoredRow } from './stored-row.ts';

/** What rows are made of. */
export type RecordHead = Omit<LogRecord, Behind>;

/** What a line has from the messages on: it is not parsed for a row. */
type Behind =
  | 'request'
  | 'upstream'
  | 'response'
  | 'plugins'
  | 'strict'
  | 'dropped'
  | 'warnings'
  | 'overruled'
  | 'random'
  | 'route'
  | 'bodies'
  | 'redactions';

/** A record as it comes out of a spool. */
export interface StoredEntry {
  readonly row: StoredRow;
  /** What a request of the feedback routes contains. */
  readonly feedback?: GivenFeedback | undefined;
  /** All of it: parsed when it is asked for. */
  readonly record: LogRecord;
  /** Record and bodies as they lie in the spool, the line feed at the end included: `decodeFrame` reads them again. */
  readonly place: FrameSlice;
  readonly bodies: { readonly [P in BodyPart]?: Uint8Array };
}

/** Bytes of a larger piece of memory: what lies together there is stored together without a copy. */
export interface FrameSlice {
  readonly bytes: Buffer;
  readonly from: number;
  /** Behind the last byte. */
  readonly to: number;
}

/** How much of a segment of a spool is stored. */
export interface Position {
  readonly segment: string;
  /** Bytes from its beginning: the end of a frame. */
  readonly offset: number;
}

/** What is written in one transaction: all of it, or nothing. */
export interface Batch {
  readonly records: readonly StoredEntry[];
  /** Of records in this batch or in an earlier one. */
  readonly amendments: readonly { readonly id: string; readonly end: EndAmendment }[];
  /** Where it was read to, and segments that are read to their end and deleted: they are forgotten. */
  readonly positions: readonly Position[];
  readonly gone: readonly string[];
}

/** What is kept at most. */
export interface Retention {
  /** Milliseconds. */
  readonly age: number;
  /** Bytes of the whole database. */
  readonly size: number;
  /** Records; only a store in memory has such a bound. */
  readonly rows?: number | undefined;
}

/** What is held now. */
export interface StoreSize {
  readonly records: number;
  readonly bytes: number;
  /** Unix milliseconds; null when empty. */
  readonly oldest: number | null;
}

/**
 * A database that a spool is drained into. One writer each; all methods reject with what the database says, and then
 * nothing of the call is stored.
 */
export interface LogStore {
  /** As `StoreState` shows it: `sqlite /path`, `postgres host/database`. Never with a credential. */
  readonly kind: string;
  /** It is brought to the version of this gateway: until then all that is asked of it fails with `log_unavailable`. */
  readonly isMigrating?: boolean;
  /** How far each segment of this gateway's spool is stored. */
  positions(): Promise<ReadonlyMap<string, number>>;
  /** A record whose id is there already is left out: a replay stores nothing twice. */
  write(batch: Batch): Promise<void>;
  feedback(feedback: GivenFeedback): Promise<void>;
  /** Deletes a small slice of what is too old or too much; true: there is more of it. */
  retain(retention: Retention, now: number): Promise<boolean>;
  /** Makes a slice of rows searchable by their words; true: there is more of it. */
  index(): Promise<boolean>;
  size(): Promise<StoreSize>;
  close(): Promise<void>;
}

/** What may be asked, by a reader that never blocks the writer. Results hold nothing that JSON has not. */
export interface LogQueries extends Pick<LogReader, 'search' | 'get' | 'body' | 'trace' | 'stats' | 'suggest' | 'names' | 'keysUsed'> {
  close(): Promise<void>;
}

export type SqlValue = string | number | bigint | null | Uint8Array;

/** What the queries are written against, once for both databases: parameters are `?1`, `?2`, … in SQLite and `$1`, `$2`, … in Postgres. */
export interface SqlSource {
  readonly dialect: 'sqlite' | 'postgres';
  all(sql: string, parameters: readonly SqlValue[]): Promise<readonly Readonly<Record<string, SqlValue>>[]>;
  /**
   * Called between the parts of a question that looks at many rows. Rejects when its time is over. Absent where the database
   * itself ends a statement that takes too long: then rows are looked at in one.
   */
  between?(): Promise<void>;
  close(): Promise<void>;
}
