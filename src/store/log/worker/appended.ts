import { countFrames } from '../../decode.ts';
import { FrameReader } from '../drain/frame-reader.ts';
import type { Batch, StoredEntry } from '../log-store.ts';

/** Maximum bytes stored in one transaction, except for a message that is larger. */
const bytesOfBatch = 1024 * 1024;
/** Maximum bytes of waiting frames. Beyond it, the oldest are dropped. */
const mostBytes = 32 * 1024 * 1024;

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

  get isBatch(): boolean {
    return this.#bytes >= bytesOfBatch;
  }

  add(bytes: Uint8Array): void {
    this.#pieces.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#bytes += bytes.byteLength;
    while (this.#bytes > mostBytes && this.#pieces.length > 1) this.dropped += countFrames(this.#shift());
  }

  /** Passes the waiting frames to `store`, oldest first. Frames that it rejects still wait. None may be added meanwhile. */
  async store(store: (batch: Batch) => Promise<void>): Promise<void> {
    while (this.#pieces.length > 0) {
      const { batch, pieces } = this.#first();
      await store(batch);
      for (let i = 0; i < pieces; i += 1) this.#shift();
    }
  }

  /** The oldest frames, and the number of their messages. */
  #first(): { readonly batch: Batch; readonly pieces: number } {
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
        const { read, next } = found;
        if (read.kind === 'record') records.push(read.entry);
        else amendments.push({ id: read.id, end: read.end });
        at = next;
      }
    }
    return { batch: { records, amendments, positions: [], gone: [] }, pieces };
  }

  #shift(): Buffer {
    const piece = this.#pieces.shift() ?? Buffer.alloc(0);
    this.#bytes -= piece.length;
    return piece;
  }
}
