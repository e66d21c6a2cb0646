import type { WrittenBytes } from '../core/json/bytes.ts';
import type { BodyPart } from '../core/logs/reader.ts';
import type { Mask } from '../core/secrets/mask.ts';
import type { LogRecord } from '../core/records/record.ts';

/** The kept bytes of a record's messages, as references to the received pieces. */
export type PartPieces = { readonly [P in BodyPart]?: readonly Buffer[] | undefined };

/**
 * One unit of the spool: a line of JSON, a line feed, the bytes that the line's `parts` declare, a line feed. Bodies are
 * not escaped: escaping a body that is JSON already would cost more than the rest of the log.
 */
export interface SpoolFrame {
  /** Without its line feed. It contains no other line feed. */
  readonly line: string;
  /** The line as bytes, if available. Valid until the next frames are made. */
  readonly written: WrittenBytes | undefined;
  readonly pieces: readonly Buffer[];
  /** Total bytes of all pieces. */
  readonly size: number;
  /** Applied to the bytes when they are written; undefined if the frame cannot contain a secret. */
  readonly mask: Mask | undefined;
}

/** A correction after a record was written: the client disconnected at the last moment, or the actual end of the response. */
export interface EndAmendment {
  readonly end: LogRecord['end'];
  /** Milliseconds from the arrival to the last byte. */
  readonly total: number;
  /** Total bytes sent. */
  readonly out: number;
}

/** An entry read from a spool. */
export type SpoolEntry =
  | { readonly kind: 'record'; readonly record: LogRecord; readonly bodies: { readonly [P in BodyPart]?: Buffer } }
  | { readonly kind: 'amendment'; readonly id: string; readonly end: EndAmendment };

/** Stores finished requests. `append` never throws: records that cannot be kept are counted and reported. */
export interface RecordStore {
  append(frames: readonly SpoolFrame[]): void;
  readonly stats: StoreStats;
  /** True if nothing is kept, so that no frames need to be made. */
  readonly isOff?: boolean;
  /** Reports how many frames of each evicted segment had already been stored, in total so far. They do not count as lost. */
  reportStored?(frames: Readonly<Record<string, number>>): void;
  /** Current problems that are only known here, one sentence each. */
  readonly problems?: readonly string[];
  /** Waits for frames that other processes are still sending here. */
  settle?(): Promise<void>;
  close(): void;
}

/** Counts since the store was opened. */
export interface StoreStats {
  readonly frames: number;
  readonly bytes: number;
  /** Frames lost: not written because the disk failed, or evicted before they were stored. */
  readonly dropped: number;
  /** Segments (or, in memory, frames) that were deleted to make room for newer ones. */
  readonly evicted: number;
}

/** The reason for a loss: a write failed, or the oldest segment was deleted to make room. */
export type LossReport =
  | { readonly why: 'write'; readonly frames: number; readonly error: Error }
  | { readonly why: 'room'; readonly segment: string; readonly bytes: number };
