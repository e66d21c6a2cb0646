import { createAssembler } from '../../../store/assemble.ts';
import type { LossReport, RecordStore } from '../../../store/frame.ts';

/** Maximum bytes in transit from all workers to the supervisor. Frames beyond it are dropped and counted. */
const maxWaitingBytes = 32 * 1024 * 1024;

/**
 * Spool of a worker when nothing is kept on disk: frames are sent to the supervisor.
 *
 * @param send resolves when the operating system has accepted the bytes
 */
export function createForwardingSpool(
  send: (bytes: Buffer, frames: number) => Promise<void>,
  workers: number,
  onDrop: (drop: LossReport) => void,
): RecordStore {
  const stats = { frames: 0, bytes: 0, dropped: 0, evicted: 0 };
  const assembler = createAssembler();
  let waiting = 0;
  return {
    stats,
    append(frames) {
      const assembled = assembler.assemble(frames);
      const { length } = assembled;
      if (waiting + length > maxWaitingBytes / workers) {
        stats.dropped += frames.length;
        onDrop({ why: 'write', frames: frames.length, error: new Error('too many records wait to be stored') });
        return;
      }
      waiting += length;
      stats.frames += frames.length;
      stats.bytes += length;
      void send(Buffer.from(assembled), frames.length).finally(() => {
        waiting -= length;
      });
    },
    close() {},
  };
}
