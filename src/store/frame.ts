import type { WrittenBytes } from '../core/json/bytes.ts';
import type { Mask } from '../core/secrets/mask.ts';
import type { LogRecord } from '../core/records/record.ts';

/** The messages of a record whose bytes may be behind its line, in this order. */
export const parts = ['request', 'upstream', 'response'] as const;
export type Part = (typeof parts)[number];

/** The kept bytes of a record's messages: pieces by reference, as they came. */
export type PartPieces = { readonly [P in Part]?: readonly Buffer[] | undefined };

/**
 * One unit of the spool: a line of JSON, a line feed, the bytes that the line's `parts` announce, a line feed.
 * Bodies are never escaped: what is JSON already would cost more to escape than the rest of the log.
 */
export interface SpoolFrame {
  /** Without its line feed, and without one inside. */
  readonly line: string;
  /** The same as bytes, where it is there as such: valid until the next frames are made. */
  readonly written: WrittenBytes | undefined;
  readonly pieces: readonly Buffer[];
  /** Bytes of all pieces. */
  readonly size: number;
  /** Applied to the bytes that are written; absent where nothing in the frame can hold a secret. */
  readonly mask: Mask | undefined;
}

/** What became known after a record was written: the client left in the last moment, or the real end. */
export interface EndAmendment {
  readonly end: LogRecord['end'];
  /** Milliseconds from arrival to the very last byte. */
  readonly total: number;
  /** Bytes that went out in all. */
  readonly out: number;
}

/** What a spool gives back. */
export type SpoolEntry =
  | { readonly kind: 'record'; readonly record: LogRecord; readonly bodies: { readonly [P in Part]?: Buffer } }
  | { readonly kind: 'amendment'; readonly id: string; readonly end: EndAmendment };

/** Where finished requests go. `append` never throws: what cannot be kept is counted and reported. */
export interface RecordStore {
  append(frames: readonly SpoolFrame[]): void;
  readonly stats: StoreStats;
  /** True: nothing is kept, and no frame needs to be made. */
  readonly isOff?: boolean;
  /** Frames of segments, by name, that were stored before the segment made room: they are not lost. All of them so far. */
  wereStored?(frames: Readonly<Record<string, number>>): void;
  /** Waits for frames that are on their way here from other processes. */
  settle?(): Promise<void>;
  close(): void;
}

/** Counts since the store was opened. */
export interface StoreStats {
  readonly frames: number;
  readonly bytes: number;
  /** Frames that could not be written: the failing disk of promise 2. */
  readonly dropped: number;
  /** Segments (or, in memory, frames) that made room for newer ones. */
  readonly evicted: number;
}

/** Why something was lost: a write failed, or the oldest had to make room. */
export type Drop =
  | { readonly why: 'write'; readonly frames: number; readonly error: Error }
  | { readonly why: 'room'; readonly segment: string; readonly bytes: number };
