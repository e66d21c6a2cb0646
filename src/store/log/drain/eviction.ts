import { readdirSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync, appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogRecord, MessageRecord } from '../../../core/records/record.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import { encodeAmendment, encodeRecord } from '../../encode.ts';
import { listSegments, activeSegments } from '../../spool.ts';
import { DamagedFrame } from './entry.ts';
import { SegmentWindow } from './segment-window.ts';

/** Shares of the spool's size limit at which eviction starts. At three quarters the spool itself deletes whole segments. */
const shares = { bodies: 0.5, records: 0.7 } as const;

/** The reason for a missing body, as records show it. */
const whyAbsent = 'deleted: the spool was full';

/** Suffix of a segment without bodies while it is being written. */
const temporarySuffix = '.half';

const bareName = (segment: string): string => segment.replace(/(?:\.bare)?\.log$/, '.bare.log');

/** Evicts data from a spool that currently cannot be stored: first the bodies of the oldest records, then the records. */
export class SpoolEviction {
  readonly #dir: string;
  readonly #limit: number;
  readonly #window = new SegmentWindow();
  /** Segments without bodies. */
  readonly #segmentsWithoutBodies = new Set<string>();
  droppedBodies = 0;
  droppedRecords = 0;

  /** @param limit maximum bytes of the whole spool */
  constructor(dir: string, limit: number) {
    this.#dir = dir;
    this.#limit = limit;
    this.#deleteTemporaryFiles();
  }

  /** Deletes files that a crash left incomplete. The segments they were made from still exist. */
  #deleteTemporaryFiles(): void {
    unlessDeleted(() => {
      for (const name of readdirSync(this.#dir)) if (name.endsWith(temporarySuffix)) unlinkSync(join(this.#dir, name));
    });
  }

  /** @param offsetOf stored bytes of a segment, which are neither written again nor counted; undefined if unknown */
  evict(offsetOf: (segment: string) => number | undefined): void {
    let total = this.#total();
    const evictFrom = (segment: string, evictData: (from: number) => number): void => {
      const freed = unlessDeleted(() => evictData(offsetOf(segment) ?? 0));
      total = freed === undefined ? this.#total() : total - freed;
    };
    for (const segment of this.#closed()) {
      if (total <= this.#limit * shares.bodies) return;
      if (!this.#isBare(segment)) evictFrom(segment, (from) => this.#removeBodies(segment, from));
    }
    for (const segment of this.#closed()) {
      if (total <= this.#limit * shares.records) return;
      evictFrom(segment, (from) => this.#delete(segment, from));
    }
  }

  /** The segments that no process writes to: not the last one, nor the newest one of each running process. */
  #closed(): string[] {
    const segments = listSegments(this.#dir);
    const open = activeSegments(segments);
    return segments.slice(0, -1).filter((segment) => !open.has(segment));
  }

  #total(): number {
    return listSegments(this.#dir).reduce((sum, segment) => sum + this.#sizeOf(segment), 0);
  }

  #isBare(segment: string): boolean {
    return this.#segmentsWithoutBodies.has(segment) || segment === bareName(segment);
  }

  /** Rewrites a segment without bodies, under another name because positions belong to the old file. @returns bytes freed */
  #removeBodies(segment: string, from: number): number {
    const path = join(this.#dir, segment);
    const barePath = join(this.#dir, bareName(segment));
    const temporaryPath = `${barePath}${temporarySuffix}`;
    const { bodies, damaged } = this.#copyWithoutBodies(path, from, temporaryPath);
    if (bodies === 0) {
      unlinkSync(temporaryPath);
      this.#segmentsWithoutBodies.add(segment);
      return 0;
    }
    const before = this.#sizeOf(segment);
    renameSync(temporaryPath, barePath);
    try {
      unlinkSync(path);
    } catch (error) {
      // If the spool deleted the segment meanwhile, it has counted these records as dropped.
      rmSync(barePath, { force: true });
      throw error;
    }
    this.droppedBodies += bodies;
    this.droppedRecords += damaged;
    return before - this.#sizeOf(bareName(segment));
  }

  /** Writes the entries of a segment without their bodies. @returns the number of bodies they had, and of unreadable records */
  #copyWithoutBodies(path: string, from: number, temporaryPath: string): { readonly bodies: number; readonly damaged: number } {
    let [bodies, damaged] = [0, 0];
    try {
      writeFileSync(temporaryPath, '', { mode: 0o600 });
      for (const read of this.#window.entries(path, from)) {
        try {
          const { line } =
            read.kind === 'amendment' ? encodeAmendment(read.id, read.end) : encodeRecord(withoutBodies(read.entry.record), {});
          if (read.kind === 'record') bodies += Object.keys(read.entry.bodies).length;
          appendFileSync(temporaryPath, `${line}\n\n`);
        } catch (error) {
          if (!(error instanceof DamagedFrame)) throw error;
          damaged += 1;
        }
      }
    } catch (error) {
      // On a full disk, do not leave an incomplete file.
      rmSync(temporaryPath, { force: true });
      throw error;
    }
    return { bodies, damaged };
  }

  /** @returns bytes freed */
  #delete(segment: string, from: number): number {
    const path = join(this.#dir, segment);
    let records = 0;
    for (const entry of this.#window.entries(path, from)) if (entry.kind === 'record') records += 1;
    const bytes = this.#sizeOf(segment);
    unlinkSync(path);
    this.droppedRecords += records;
    return bytes;
  }

  #sizeOf(segment: string): number {
    return unlessDeleted(() => statSync(join(this.#dir, segment)).size) ?? 0;
  }
}

/** Undefined if the file no longer exists: the spool, in another thread, deletes segments too. */
function unlessDeleted<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function withoutBodies(record: LogRecord): LogRecord {
  return {
    ...record,
    request: withoutBody(record.request),
    upstream: withoutBody(record.upstream),
    response: withoutBody(record.response),
  };
}

function withoutBody(message: MessageRecord): MessageRecord {
  const { body } = message;
  return body === null || body.kept === 0
    ? message
    : { ...message, body: { ...body, kept: 0, patch: null, chunks: null, same_as: null }, why_absent: whyAbsent };
}
