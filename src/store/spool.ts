import { closeSync, fstatSync, ftruncateSync, openSync, readdirSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createAssembler } from './assemble.ts';
import { countFrames } from './decode.ts';
import { makeFolder } from '../core/files/folder.ts';
import { errorCode } from '../core/text/error-code.ts';
import type { LossReport, RecordStore, SpoolFrame } from './frame.ts';

export interface SpoolOptions {
  /** Created if it does not exist, accessible to the owner only. */
  readonly dir: string;
  /** Size of a segment in bytes after which the next one is begun. */
  readonly maxSegment?: number;
  /** Maximum bytes of all segments in `dir`, including those of earlier processes. */
  readonly maxTotal: number;
  /** Called for every loss. The caller limits how often it reports them. Must not throw. */
  onDrop?(drop: LossReport): void;
  /** Called when a write succeeds after a failed one. Must not throw. */
  onRecovered?(): void;
  /** Number of processes that write into the folder, including this one; default 1. */
  readonly writers?: number;
  /** Start of the process in Unix milliseconds. It is the first part of the segments' names. */
  readonly startedAt?: number;
  readonly pid?: number;
  /** Writes, and returns the number of bytes written. Tests replace it to simulate a full disk. */
  write?(fd: number, bytes: Buffer, offset: number, length: number): number;
}

/** Maximum number of deleted segments whose stored frames are still tracked. */
const maxTrackedEvictions = 1000;

/** Milliseconds for which a deleted or moved folder may stay unnoticed. */
const checkEvery = 1000;

/**
 * Opens the durable log. When `append` returns, the frames are in the page cache: killing the process loses none, a power
 * failure may. There is no timer and no fsync; one call is one write.
 *
 * @throws Error if `dir` cannot be created or written to
 */
export function openSpool(options: SpoolOptions): RecordStore {
  makeFolder(options.dir);
  return new DiskSpool(options);
}

class DiskSpool implements RecordStore {
  readonly stats = { frames: 0, bytes: 0, dropped: 0, evicted: 0 };
  readonly #options: SpoolOptions;
  readonly #maxSegment: number;
  readonly #prefix: string;
  readonly #write: NonNullable<SpoolOptions['write']>;
  readonly #assembler = createAssembler();
  #fd: number | undefined;
  #name = '';
  #count = 0;
  /** Frames of this process's segments, by name. They are lost if a segment is deleted before it was stored. */
  readonly #framesBySegment = new Map<string, number>();
  /** Deleted segments: their frames, and how many of them are known to be stored. */
  readonly #evicted = new Map<string, { readonly frames: number; stored: number }>();
  /** Bytes of complete frames in the current segment. */
  #completeBytes = 0;
  /** Bytes written by a write that is not complete. */
  #tornBytes = 0;
  #checkedAt = 0;
  #closed = false;
  #isFailing = false;

  constructor(options: SpoolOptions) {
    this.#options = options;
    // At most a quarter of the limit, shared by all writers, so that making room never deletes the whole log.
    const share = Math.ceil(options.maxTotal / 4 / (options.writers ?? 1));
    this.#maxSegment = Math.min(options.maxSegment ?? 16 * 1024 * 1024, share);
    this.#prefix = `${startTimeFor(options)}-${options.pid ?? process.pid}`;
    this.#write = options.write ?? writeSync;
  }

  append(frames: readonly SpoolFrame[]): void {
    if (frames.length === 0) return;
    try {
      if (this.#closed) throw new Error('the spool is closed');
      const fd = this.#openSegment();
      const bytes = this.#assembler.assemble(frames);
      this.#writeAll(fd, bytes);
      this.#completeBytes += bytes.length;
      this.stats.frames += frames.length;
      this.#framesBySegment.set(this.#name, (this.#framesBySegment.get(this.#name) ?? 0) + frames.length);
      this.stats.bytes += bytes.length;
      if (this.#isFailing) this.#recovered();
    } catch (error) {
      this.stats.dropped += frames.length;
      this.#isFailing = true;
      this.#removeTornFrame(frames[0]);
      // This file may be what fails, such as by a limit on its size. A new one that fails too is kept.
      if (this.#completeBytes > 0 && !isFullDisk(error)) this.#closeSegment();
      this.#options.onDrop?.({ why: 'write', frames: frames.length, error: error as Error });
    }
  }

  reportStored(frames: Readonly<Record<string, number>>): void {
    for (const [name, count] of Object.entries(frames)) {
      const evicted = this.#evicted.get(name);
      if (evicted === undefined) continue;
      const stored = Math.min(evicted.frames, count);
      this.stats.dropped -= stored - evicted.stored;
      evicted.stored = stored;
    }
  }

  close(): void {
    this.#closed = true;
    this.#closeSegment();
  }

  #recovered(): void {
    this.#isFailing = false;
    this.#options.onRecovered?.();
  }

  #writeAll(fd: number, bytes: Buffer): void {
    while (this.#tornBytes < bytes.length) {
      const taken = this.#write(fd, bytes, this.#tornBytes, bytes.length - this.#tornBytes);
      if (taken === 0) throw new Error('the disk is full');
      this.#tornBytes += taken;
    }
    this.#tornBytes = 0;
  }

  /** The descriptor to write to. Opens a new segment if there is none, it is full, or the folder was deleted or moved. */
  #openSegment(): number {
    if (this.#fd !== undefined && (this.#completeBytes >= this.#maxSegment || this.#isSegmentMissing(this.#fd))) this.#closeSegment();
    if (this.#fd !== undefined) return this.#fd;
    makeFolder(this.#options.dir);
    this.#count += 1;
    this.#name = `${this.#prefix}-${String(this.#count).padStart(6, '0')}.log`;
    this.#evictOldest();
    this.#fd = openSync(join(this.#options.dir, this.#name), 'ax', 0o600);
    this.#completeBytes = 0;
    return this.#fd;
  }

  #isSegmentMissing(fd: number): boolean {
    const now = performance.now();
    if (now - this.#checkedAt < checkEvery) return false;
    this.#checkedAt = now;
    try {
      const found = statSync(join(this.#options.dir, this.#name), { throwIfNoEntry: false });
      return found === undefined || found.ino !== fstatSync(fd).ino;
    } catch {
      // The folder may no longer be accessed. The open segment still can be written.
      return false;
    }
  }

  /**
   * A write that failed halfway leaves a torn frame: truncate it, or leave it as the end of this segment. If there may be a
   * whole frame before it, the next write begins a new segment: the thread that stores records may have read that frame
   * before it was truncated, and continues after it.
   */
  #removeTornFrame(first: SpoolFrame | undefined): void {
    if (this.#fd === undefined || this.#tornBytes === 0) return;
    const hasFrame = first !== undefined && this.#tornBytes >= minFrameBytes(first);
    this.#tornBytes = 0;
    try {
      ftruncateSync(this.#fd, this.#completeBytes);
      if (hasFrame) this.#closeSegment();
    } catch {
      this.#closeSegment();
    }
  }

  #closeSegment(): void {
    if (this.#fd === undefined) return;
    try {
      closeSync(this.#fd);
    } catch {
      // The data is already written; a failed close does not change that.
    }
    this.#fd = undefined;
  }

  /** Deletes the oldest segments until one more fits. */
  #evictOldest(): void {
    const segments = listSegments(this.#options.dir).map((name) => ({ name, bytes: sizeOf(join(this.#options.dir, name)) }));
    const names = new Set(segments.map(({ name }) => originalNameOf(name)));
    for (const name of this.#framesBySegment.keys()) if (!names.has(name)) this.#framesBySegment.delete(name);
    const ownPid = this.#options.pid ?? process.pid;
    // The open segment of another writer may grow to the size of a full segment.
    const open = (this.#options.writers ?? 1) === 1 ? noNames : activeSegments([...names], ownPid);
    const sizes = segments.map(({ name, bytes }) => (open.has(name) ? Math.max(bytes, this.#maxSegment) : bytes));
    let total = sizes.reduce((sum, bytes) => sum + bytes, this.#maxSegment);
    for (const { name, bytes } of segments) {
      if (total <= this.#options.maxTotal) return;
      if (open.has(name)) continue;
      total -= bytes;
      const whole = originalNameOf(name);
      const frames = this.#framesBySegment.get(whole) ?? this.#framesOfOther(name);
      if (!this.#remove(name)) continue;
      this.stats.evicted += 1;
      // Only the storing thread knows how many of these frames were already stored. It reports them later.
      this.stats.dropped += frames;
      this.#evicted.set(whole, { frames, stored: 0 });
      if (this.#evicted.size > maxTrackedEvictions) this.#evicted.delete(this.#evicted.keys().next().value ?? '');
      this.#options.onDrop?.({ why: 'room', segment: name, bytes });
    }
  }

  /** Frames of a segment that another living process wrote. Those of earlier processes are not counted. */
  #framesOfOther(name: string): number {
    if ((this.#options.writers ?? 1) === 1 || !isAlive(pidIn(name))) return 0;
    try {
      return countFrames(readFileSync(join(this.#options.dir, name)));
    } catch {
      return 0;
    }
  }

  /** False if the file no longer exists: it was stored, or another writer deleted it. */
  #remove(name: string): boolean {
    try {
      unlinkSync(join(this.#options.dir, name));
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }
}

const isFullDisk = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '');

/** A character of a line takes at least one byte. */
function minFrameBytes({ line, written, size }: SpoolFrame): number {
  return (written === undefined ? line.length : written.to - written.from) + size + 2;
}

/** After every existing segment. If the system time was set back, new segments would otherwise be the oldest and be deleted first. */
function startTimeFor({ dir, startedAt }: SpoolOptions): number {
  const newest = segmentPattern.exec(listSegments(dir).at(-1) ?? '')?.[1] ?? 0;
  return Math.max(startedAt ?? Math.round(performance.timeOrigin), Number(newest) + 1);
}

/** `bare`: its bodies were removed to make room for newer records (`log/drain/eviction.ts`). */
const segmentPattern = /^(\d+)-(\d+)-(\d+)(?:\.bare)?\.log$/;

/** The name of a segment before its bodies were removed. */
export const originalNameOf = (name: string): string => name.replace('.bare.', '.');

const noNames: ReadonlySet<string> = new Set();

/**
 * The segments that living processes write to: the newest one of each.
 *
 * @param names oldest first
 * @param excludedPid the process whose segments are excluded
 */
export function activeSegments(names: readonly string[], excludedPid?: number): ReadonlySet<string> {
  const newest = new Map<number, string>();
  for (const name of names) newest.set(pidIn(name), name);
  return new Set([...newest].flatMap(([pid, name]) => (pid !== excludedPid && isAlive(pid) ? [name] : [])));
}

const pidIn = (segment: string): number => Number(segmentPattern.exec(segment)?.[2]);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Names of the segments in a folder, oldest first. Empty if there is no folder. */
export function listSegments(dir: string): string[] {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  const found = names.flatMap((name) => {
    const [, time, pid, n] = segmentPattern.exec(name) ?? [];
    return time === undefined ? [] : [{ name, age: [Number(time), Number(pid), Number(n)] }];
  });
  return found.toSorted((one, other) => byAge(one.age, other.age)).map(({ name }) => name);
}

function byAge(one: readonly number[], other: readonly number[]): number {
  for (const [i, value] of one.entries()) {
    const difference = value - (other[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
