import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeFrame } from './decode.ts';
import type { SpoolEntry } from './frame.ts';
import { listSegments } from './spool.ts';

/** An entry and where it ended, so that a reader can go on from there later. */
export interface SpoolPosition {
  readonly entry: SpoolEntry;
  readonly segment: string;
  /** Offset of the first byte behind the entry. */
  readonly end: number;
}

/** The end of a segment that is no whole frame: a process was killed while it wrote, or is writing right now. */
export interface TornTail {
  readonly segment: string;
  /** Offset of the first byte that was not read, and how many follow. */
  readonly at: number;
  readonly bytes: number;
}

export interface ReadOptions {
  /** Offset to begin at; must be the end of an entry. */
  readonly from?: number;
  onTorn?(tail: TornTail): void;
}

const chunk = 256 * 1024;

/** All entries of a folder, oldest segment first. */
export async function* readSpool(dir: string, options: Pick<ReadOptions, 'onTorn'> = {}): AsyncGenerator<SpoolPosition> {
  for (const name of listSegments(dir)) yield* readSegment(join(dir, name), options);
}

/** The entries of one segment, in the order in which they were written. Memory is bounded by the largest frame. */
export async function* readSegment(path: string, options: ReadOptions = {}): AsyncGenerator<SpoolPosition> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const window = new Window(file, options.from ?? 0);
    for (;;) {
      const decoded = await window.next();
      if (decoded === undefined) break;
      yield { entry: decoded, segment: path, end: window.position };
    }
    const left = await window.left();
    if (left > 0) options.onTorn?.({ segment: path, at: window.position, bytes: left });
  } finally {
    await file.close();
  }
}

/** The part of a file that is being read, grown until it holds one whole frame. */
class Window {
  readonly #file: FileHandle;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  /** File offset of the window's first byte. */
  #base: number;

  constructor(file: FileHandle, from: number) {
    this.#file = file;
    this.#base = from;
  }

  get position(): number {
    return this.#base + this.#at;
  }

  async left(): Promise<number> {
    return (await this.#file.stat()).size - this.position;
  }

  async next(): Promise<SpoolEntry | undefined> {
    for (;;) {
      const decoded = decodeFrame(this.#bytes, this.#at);
      if (decoded.state === 'whole') {
        this.#at = decoded.next;
        return decoded.entry;
      }
      if (decoded.state === 'broken' || !(await this.#grow(decoded.needs))) return undefined;
    }
  }

  /** Reads on; false at the end of the file. What was handed out stays valid: the window is never written again. */
  async #grow(needs: number): Promise<boolean> {
    const kept = this.#bytes.subarray(this.#at);
    const size = Math.max(chunk, needs - kept.length, kept.length);
    const more = Buffer.allocUnsafe(size);
    const { bytesRead } = await this.#file.read(more, 0, size, this.position + kept.length);
    if (bytesRead === 0) return false;
    this.#base = this.position;
    this.#at = 0;
    this.#bytes = Buffer.concat([kept, more.subarray(0, bytesRead)]);
    return true;
  }
}
