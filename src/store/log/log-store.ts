import type { BodyPart, FeedbackInput, LogReader, SuggestRequest, Suggestion } from '../../core/logs/reader.ts';
import type { LogRow } from '../../core/logs/row.ts';
import type { LogRecord } from '../../core/records/record.ts';
import type { EndAmendment } from '../frame.ts';
import type { StoredRow } from './stored-row.ts';

/** A record read from a spool. */
export interface StoredEntry {
  readonly row: StoredRow;
  /** The feedback that a request of the feedback routes contains. */
  readonly feedback?: FeedbackInput | undefined;
  /** The whole record, parsed on access. */
  readonly record: LogRecord;
  /** Record and bodies as they are in the spool, including the final line feed. `decodeFrame` reads them again. */
  readonly slice: FrameSlice;
  readonly bodies: { readonly [P in BodyPart]?: Uint8Array };
}

/** Bytes of a larger block of memory. Adjacent slices are stored together without a copy. */
export interface FrameSlice {
  readonly bytes: Buffer;
  readonly from: number;
  /** Offset after the last byte. */
  readonly to: number;
}

/** How far a segment of a spool is stored. */
export interface Position {
  readonly segment: string;
  /** Bytes from the beginning of the segment; always the end of a frame. */
  readonly offset: number;
}

/** What is written in one transaction: all of it or nothing. */
export interface Batch {
  readonly records: readonly StoredEntry[];
  /** Amendments to records of this batch or an earlier one. */
  readonly amendments: readonly { readonly id: string; readonly end: EndAmendment }[];
  /** The new positions, and segments that were read completely and deleted, whose positions are removed. */
  readonly positions: readonly Position[];
  readonly deletedSegments: readonly string[];
}

/** Limits of what is kept. */
export interface Retention {
  /** Milliseconds. */
  readonly age: number;
  /** Bytes of the whole database. */
  readonly size: number;
  /** Maximum records. Only a store in memory has this limit. */
  readonly rows?: number | undefined;
}

/** The current size of a store. */
export interface StoreSize {
  readonly records: number;
  readonly bytes: number;
  /** Unix milliseconds; null if empty. */
  readonly oldest: number | null;
}

/**
 * A database into which a spool is drained. It has one writer. Every method rejects with the database's error, and then
 * nothing of the call is stored.
 */
export interface LogStore {
  /** As `StoreState` shows it: `sqlite /path`, `postgres host/database`. Never contains a credential. */
  readonly kind: string;
  /** True while the database is being migrated to this version. Until then every method fails with `log_unavailable`. */
  readonly isMigrating?: boolean;
  /** What was lost before it was opened, or will be lost. Known after the first call at the latest. */
  readonly warning?: string | undefined;
  /** The offset up to which each segment of this gateway's spool is stored. */
  positions(): Promise<ReadonlyMap<string, number>>;
  /** Writes a batch. A record whose id already exists is left out, so a repeated batch stores nothing twice. */
  write(batch: Batch): Promise<void>;
  feedback(feedback: FeedbackInput): Promise<void>;
  /** Deletes a small slice of what is too old or exceeds the limits, or else sums up an hour. True if there is more to do. */
  retain(retention: Retention, now: number): Promise<boolean>;
  /** Adds a slice of rows to the full-text index if many or, with `all`, any are waiting. True if there is more to index. */
  index(which: 'all' | 'many'): Promise<boolean>;
  size(): Promise<StoreSize>;
  close(): Promise<void>;
}

/** The queries of a reader, which never blocks the writer. Results contain only what JSON can represent. */
export interface LogQueries extends Pick<LogReader, 'search' | 'get' | 'body' | 'stats' | 'keysUsed' | 'spent'> {
  /** Returns all records of a trace, oldest first, at most 1,000. */
  trace(traceId: string): Promise<readonly LogRow[]>;
  suggest(request: SuggestRequest): Promise<readonly Suggestion[]>;
  /** Names of known metadata keys and labels, for table columns. */
  names(): Promise<{ readonly meta: readonly string[]; readonly label: readonly string[] }>;
  close(): Promise<void>;
}

export type SqlValue = string | number | bigint | null | Uint8Array;

/** The interface that the queries use, for both databases. Parameters are `?1`, `?2`, … in SQLite and `$1`, `$2`, … in Postgres. */
export interface SqlSource {
  readonly dialect: 'sqlite' | 'postgres';
  all(sql: string, parameters: readonly SqlValue[]): Promise<readonly Readonly<Record<string, SqlValue>>[]>;
  /**
   * Called between the parts of a query that reads many rows. Rejects when the query's time is over. Undefined if the
   * database itself ends long statements; a query is then one statement.
   */
  checkTimeLimit?(): Promise<void>;
  /** Called when a query finds a damaged record. */
  reportDamage?(): void;
  close(): Promise<void>;
}
