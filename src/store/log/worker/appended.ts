import { countFrames } from '../../decode.ts';
import { FrameReader } from '../drain/frame-reader.ts';
import type { Batch, StoredEntry } from '../log-store.ts';

/** Maximum bytes stored in one transaction, except for a message that is larger. */
const bytesOfBatch = 1024 * 1024;
/** Maximum bytes of waiting frames. Beyond it, the oldest are dropped. */
const maxWaitingBytes = 32 * 1024 * 1024;

/**
 * Frames that were sent as messages and wait to be stored. They are stored together: a transaction for each message would
 * fill a page of the database with each record, and compress nothing.
 */
export class AppendedFrames {
  readonly #reader = new FrameReader();
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  /** Frames that were dropped because too many waited. */
  dropped = 0;

  get hasFullBatch(): boolean {
    return this.#bytes >= bytesOfBatch;
  }

  add(bytes: Uint8Array): void {
    this.#pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#bytes += bytes.byteLength;
    while (this.#bytes > maxWaitingBytes && this.#pieces.length > 1) this.dropped += countFrames(this.#shift());
  }

  /** Passes the waiting frames to `store`, oldest first. Frames that it rejects still wait. None may be added meanwhile. */
  async store(store: (batch: Batch) => Promise<void>): Promise<void> {
    while (this.#pieces.length > 0) {
      const { batch, pieces } = this.#nextBatch();
      await store(batch);
      for (let i = 0; i < pieces; i += 1) this.#shift();
    }
  }

  /** The oldest frames, and the number of their messages. */
  #nextBatch(): { readonly batch: Batch; readonly pieces: number } {
    const records: StoredEntry[] = [];
    const amendments: Batch['amendments'][number][] = [];
    let [pieces, bytes] = [0, 0];
    for (const piece of this.#pieces) {
      if (pieces > 0 && bytes + piece.length > bytesOfBatch) break;
      pieces += 1;
      bytes += piece.length;
      for (let at = 0; at < piece.length; ) {
        const found = this.#reader.read(piece, at);
        if (found.state !== 'whole') break;
        const { item, next } = found;
        if (item.kind === 'record') records.push(item.entry);
        else amendments.push({ id: item.id, end: item.end });
        at = next;
      }
    }
    return { batch: { records, amendments, positions: [], deletedSegments: [] }, pieces };
  }

  #shift(): Buffer {
    const piece = this.#pieces.shift() ?? Buffer.alloc(0);
    this.#bytes -= piece.length;
    return piece;
  }
}
