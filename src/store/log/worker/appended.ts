import { FrameReader } from '../drain/frame-reader.ts';
import type { Batch, StoredEntry } from '../log-store.ts';

/** Bytes at which waiting frames are stored without waiting for the next turn. */
const mostBytes = 1024 * 1024;

/**
 * Frames that were sent as messages and wait to be stored. They are stored together: a transaction for each message would
 * fill a page of the database with each record, and compress nothing.
 */
export class AppendedFrames {
  readonly #reader = new FrameReader();
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** @returns whether the frames should be stored now */
  add(bytes: Uint8Array): boolean {
    this.#pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#bytes += bytes.byteLength;
    return this.#bytes >= mostBytes;
  }

  /** Removes the waiting frames and returns them; undefined if there are none. */
  take(): Batch | undefined {
    if (this.#pieces.length === 0) return undefined;
    const records: StoredEntry[] = [];
    const amendments: Batch['amendments'][number][] = [];
    for (const piece of this.#pieces) {
      for (let at = 0; at < piece.length; ) {
        const found = this.#reader.read(piece, at);
        if (found.state !== 'whole') break;
        const { read, next } = found;
        if (read.kind === 'record') records.push(read.entry);
        else amendments.push({ id: read.id, end: read.end });
        at = next;
      }
    }
    [this.#pieces, this.#bytes] = [[], 0];
    return { records, amendments, positions: [], gone: [] };
  }
}
