import { createAssembler } from '../../assemble.ts';
import type { LossReport, RecordStore } from '../../frame.ts';
import type { RpcClient } from '../rpc/client.ts';

/** Maximum bytes being sent to the thread. Frames beyond it are dropped and counted. */
const maxWaitingBytes = 32 * 1024 * 1024;

export interface MemorySpool extends RecordStore {
  /** Accepts frames as `Assembler` makes them. Ownership of the bytes is transferred. */
  take(bytes: Uint8Array<ArrayBuffer>, frames: number): void;
}

/** Passes frames to a writer that stores them in memory, for a gateway that keeps nothing on disk. */
export function createMemorySpool(writer: RpcClient, onDrop: (drop: LossReport) => void): MemorySpool {
  const stats = { frames: 0, bytes: 0, dropped: 0, evicted: 0 };
  const assembler = createAssembler();
  let waiting = 0;
  const lose = (frames: number, error: Error): void => {
    stats.dropped += frames;
    onDrop({ why: 'write', frames, error });
  };
  const appendAssembled: MemorySpool['take'] = (bytes, frames) => {
    const { length } = bytes;
    if (waiting + length > maxWaitingBytes) return lose(frames, new Error('too many records wait to be stored'));
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
    take: appendAssembled,
    append(frames) {
      const assembled = assembler.assemble(frames);
      // Copied to a buffer of its own, whose ownership is transferred.
      const bytes = Buffer.allocUnsafeSlow(assembled.length);
      assembled.copy(bytes);
      appendAssembled(bytes as Uint8Array<ArrayBuffer>, frames.length);
    },
    close() {},
  };
}
