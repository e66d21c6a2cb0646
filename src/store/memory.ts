import { createAssembler } from './assemble.ts';
import { decodeFrame } from './decode.ts';
import type { RecordStore, SpoolEntry, SpoolFrame } from './frame.ts';

/** A log that ends with the process, for `server.state_dir: memory`. */
export interface MemoryStore extends RecordStore {
  /** What is held, oldest first. */
  entries(): Iterable<SpoolEntry>;
}

/** Keeps the newest frames within `maxTotal` bytes; the oldest make room and are counted as evicted. */
export function openMemory(options: { readonly maxTotal: number }): MemoryStore {
  const stats = { frames: 0, bytes: 0, dropped: 0, evicted: 0 };
  const assembler = createAssembler();
  const kept = new Map<number, Buffer>();
  let total = 0;
  let oldest = 0;
  let next = 0;

  const add = (frame: SpoolFrame): void => {
    // A copy with memory of its own: the pieces would keep whole read buffers alive, and a small buffer keeps the slab
    // that it was cut from.
    const assembled = assembler.assemble([frame]);
    const bytes = Buffer.allocUnsafeSlow(assembled.length);
    assembled.copy(bytes);
    stats.frames += 1;
    stats.bytes += bytes.length;
    kept.set(next, bytes);
    next += 1;
    total += bytes.length;
    for (; total > options.maxTotal && oldest < next; oldest += 1) {
      total -= kept.get(oldest)?.length ?? 0;
      kept.delete(oldest);
      stats.evicted += 1;
    }
  };

  return {
    stats,
    append(frames) {
      for (const frame of frames) add(frame);
    },
    *entries() {
      for (const bytes of kept.values()) {
        const decoded = decodeFrame(bytes, 0);
        if (decoded.state === 'whole') yield decoded.entry;
      }
    },
    close() {
      kept.clear();
      total = 0;
    },
  };
}
