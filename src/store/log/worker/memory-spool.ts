import { createAssembler } from '../../assemble.ts';
import type { Drop, RecordStore } from '../../frame.ts';
import type { RpcClient } from '../rpc/client.ts';

/** Bytes on their way to the thread at most: more are dropped, and counted. */
const mostWaiting = 32 * 1024 * 1024;

export interface MemorySpool extends RecordStore {
  /** Takes so many frames as `Assembler` makes them. The memory of the bytes is handed over. */
  take(bytes: Uint8Array<ArrayBuffer>, frames: number): void;
}

/** Hands frames to a writer whose store is its memory: for a gateway that keeps nothing on disk. */
export function createMemorySpool(writer: RpcClient, onDrop: (drop: Drop) => void): MemorySpool {
  const stats = { frames: 0, bytes: 0, dropped: 0, evicted: 0 };
  const assembler = createAssembler();
  let waiting = 0;
  const lose = (frames: number, error: Error): void => {
    stats.dropped += frames;
    onDrop({ why: 'write', frames, error });
  };
  const take: MemorySpool['take'] = (bytes, frames) => {
    const { length } = bytes;
    if (waiting + length > mostWaiting) return lose(frames, new Error('too many records wait to be stored'));
    waiting += length;
    stats.frames += frames;
    stats.bytes += length;
    writer
      .call('append', bytes, { transfer: [bytes.buffer] })
      .catch((error: unknown) => lose(frames, error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        waiting -= length;
      });
  };
  return {
    stats,
    take,
    append(frames) {
      const assembled = assembler.assemble(frames);
      // Memory of its own, which is handed over.
      const bytes = Buffer.allocUnsafeSlow(assembled.length);
      assembled.copy(bytes);
      take(bytes as Uint8Array<ArrayBuffer>, frames.length);
    },
    close() {},
  };
}
