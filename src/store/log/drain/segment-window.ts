import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { FrameReader, type Read } from './frame-reader.ts';

/** What one look at a segment gave. */
export interface Look {
  readonly entries: readonly Read[];
  /** Offset behind the last of them. */
  readonly next: number;
  /** What is there: `end` of the file, a frame that is not `whole` yet, or `broken` bytes that never will be one. */
  readonly then: 'more' | 'end' | 'torn' | 'broken';
}

const usual = 1152 * 1024;
/** The largest frame: three bodies and a record. A length beyond it was not written by a gateway. */
const largest = 256 * 1024 * 1024;
const records = 1024;

/** Reads segments piece by piece into one block of memory: what it gave is valid until the next call. */
export class SegmentWindow {
  readonly #frames = new FrameReader();
  #bytes = Buffer.allocUnsafeSlow(usual);

  /** @throws what the file system says, `ENOENT` where the segment is gone */
  read(path: string, from: number): Look {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const size = fstatSync(fd).size;
      if (from >= size) return { entries: [], next: from, then: 'end' };
      return this.#decode(fd, from, size);
    } finally {
      closeSync(fd);
    }
  }

  /** Everything from there to the end of the file, or to what is no whole frame. */
  *entries(path: string, from: number): Generator<Read> {
    for (let look = this.read(path, from); look.entries.length > 0; look = this.read(path, look.next)) yield* look.entries;
  }

  #decode(fd: number, from: number, size: number): Look {
    if (this.#bytes.length > usual) this.#bytes = Buffer.allocUnsafeSlow(usual);
    for (;;) {
      const length = fill(fd, this.#bytes, from, size);
      const look = this.#look(this.#bytes.subarray(0, length), from, from + length < size);
      if (look !== undefined) return look;
      const wanted = Math.min(this.#bytes.length * 2, largest);
      if (wanted <= this.#bytes.length) return { entries: [], next: from, then: 'broken' };
      this.#bytes = Buffer.allocUnsafeSlow(wanted);
    }
  }

  /** Undefined when not one frame fits into what was read. */
  #look(bytes: Buffer, from: number, isMore: boolean): Look | undefined {
    const entries: Read[] = [];
    let at = 0;
    while (at < bytes.length && entries.length < records) {
      const found = this.#frames.read(bytes, at);
      if (found.state === 'broken') return { entries, next: from + at, then: entries.length > 0 ? 'more' : 'broken' };
      if (found.state === 'short') {
        if (isMore && entries.length === 0) return undefined;
        return { entries, next: from + at, then: isMore ? 'more' : 'torn' };
      }
      entries.push(found.read);
      at = found.next;
    }
    return { entries, next: from + at, then: isMore || at < bytes.length ? 'more' : 'end' };
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
