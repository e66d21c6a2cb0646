import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { FrameReader, type SpooledItem } from './frame-reader.ts';

/** The result of one read of a segment. */
export interface SegmentRead {
  readonly entries: readonly SpooledItem[];
  /** Offset after the last entry. */
  readonly next: number;
  /** What follows: `more` frames, the `end` of the file, a `torn` frame that may still be completed, or `broken` bytes. */
  readonly following: 'more' | 'end' | 'torn' | 'broken';
}

const defaultWindowSize = 1152 * 1024;
/** Maximum size of a frame: a record and three bodies. No gateway writes a larger one. */
const maxFrameSize = 256 * 1024 * 1024;
const maxEntriesPerRead = 1024;

/** Reads segments piece by piece into one block of memory. A result is valid until the next call. */
export class SegmentWindow {
  readonly #frames = new FrameReader();
  #bytes = Buffer.allocUnsafeSlow(defaultWindowSize);

  /** @throws file system errors, `ENOENT` if the segment no longer exists */
  read(path: string, from: number): SegmentRead {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const size = fstatSync(fd).size;
      if (from >= size) return { entries: [], next: from, following: 'end' };
      return this.#decode(fd, from, size);
    } finally {
      closeSync(fd);
    }
  }

  /** Every entry from `from` to the end of the file, or to bytes that are not a complete frame. */
  *entries(path: string, from: number): Generator<SpooledItem> {
    for (let found = this.read(path, from); found.entries.length > 0; found = this.read(path, found.next)) yield* found.entries;
  }

  #decode(fd: number, from: number, size: number): SegmentRead {
    if (this.#bytes.length > defaultWindowSize) this.#bytes = Buffer.allocUnsafeSlow(defaultWindowSize);
    for (;;) {
      const length = fill(fd, this.#bytes, from, size);
      const found = this.#decodeFrames(this.#bytes.subarray(0, length), from, from + length < size);
      if (found !== undefined) return found;
      const wanted = Math.min(this.#bytes.length * 2, maxFrameSize);
      if (wanted <= this.#bytes.length) return { entries: [], next: from, following: 'broken' };
      this.#bytes = Buffer.allocUnsafeSlow(wanted);
    }
  }

  /** Undefined if not even one frame fits into the bytes read. */
  #decodeFrames(bytes: Buffer, from: number, hasMoreBytes: boolean): SegmentRead | undefined {
    const entries: SpooledItem[] = [];
    let at = 0;
    while (at < bytes.length && entries.length < maxEntriesPerRead) {
      const found = this.#frames.read(bytes, at);
      if (found.state === 'broken') return { entries, next: from + at, following: entries.length > 0 ? 'more' : 'broken' };
      if (found.state === 'short') {
        if (hasMoreBytes && entries.length === 0) return undefined;
        return { entries, next: from + at, following: hasMoreBytes ? 'more' : 'torn' };
      }
      entries.push(found.item);
      at = found.next;
    }
    return { entries, next: from + at, following: hasMoreBytes || at < bytes.length ? 'more' : 'end' };
  }
}

function fill(fd: number, into: Buffer, from: number, size: number): number {
  let length = 0;
  const wanted = Math.min(into.length, size - from);
  while (length < wanted) {
    const taken = readSync(fd, into, length, wanted - length, from + length);
    if (taken === 0) break;
    length += taken;
  }
  return length;
}
