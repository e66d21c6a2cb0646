import { createAssembler } from '../../assemble.ts';
import type { Drop, RecordStore } from '../../frame.ts';
import type { Asker } from '../asking/asker.ts';

/** Bytes on their way to the thread at most: more are dropped, and counted. */
const mostWaiting = 32 * 1024 * 1024;

/** Hands frames to a writer whose store is its memory: for a gateway that keeps nothing on disk. */
export function createMemorySpool(writer: Asker, onDrop: (drop: Drop) => void): RecordStore {
  const stats = { frames: 0, bytes: 0, dropped: 0, evicted: 0 };
  const assembler = createAssembler();
  let waiting = 0;
  const lose = (frames: number, error: Error): void => {
    stats.dropped += frames;
    onDrop({ why: 'write', frames, error });
  };
  return {
    stats,
    append(frames) {
      const assembled = assembler.assemble(frames);
      if (waiting + assembled.length > mostWaiting) return lose(frames.length, new Error('too many records wait to be stored'));
      // Memory of its own, which is handed over.
      const bytes = Buffer.allocUnsafeSlow(assembled.length);
      assembled.copy(bytes);
      const { length } = bytes;
      waiting += length;
      stats.frames += frames.length;
      stats.bytes += length;
      writer
        .call('append', bytes, { transfer: [bytes.buffer as ArrayBuffer] })
        .catch((error: unknown) => lose(frames.length, error instanceof Error ? error : new Error(String(error))))
        .finally(() => {
          waiting -= length;
        });
    },
    close() {},
  };
}
