import type { SpoolFrame } from './frame.ts';

/**
 * A block of memory into which frames are copied, so that many of them are one write. It uses a larger block for large
 * frames, and the usual one afterwards.
 */
export interface Assembler {
  /** The frames as they are to be written, masked. Valid until the next call. */
  assemble(frames: readonly SpoolFrame[]): Buffer;
}

const defaultBlockSize = 1024 * 1024;

export function createAssembler(): Assembler {
  const block = Buffer.allocUnsafeSlow(defaultBlockSize);
  return {
    assemble(frames) {
      const bound = frames.reduce(addBound, 0);
      const into = bound <= defaultBlockSize ? block : Buffer.allocUnsafeSlow(bound);
      let at = 0;
      let maskedTo = 0;
      for (const [index, frame] of frames.entries()) {
        at = put(into, at, frame);
        // Frames of one event loop turn nearly always share a mask, so one scan covers them all.
        if (frames[index + 1]?.mask === frame.mask && index + 1 < frames.length) continue;
        frame.mask?.inPlace(into.subarray(maskedTo, at));
        maskedTo = at;
      }
      return into.subarray(0, at);
    },
  };
}

/** A character of a line takes at most three bytes in UTF-8. */
function addBound(sum: number, frame: SpoolFrame): number {
  return sum + (frame.written === undefined ? frame.line.length * 3 : frame.written.to - frame.written.from) + frame.size + 2;
}

function put(into: Buffer, from: number, frame: SpoolFrame): number {
  const { written } = frame;
  let at = from + (written === undefined ? into.write(frame.line, from, 'utf8') : written.bytes.copy(into, from, written.from, written.to));
  into[at] = 0x0a;
  at += 1;
  for (const piece of frame.pieces) at += piece.copy(into, at);
  into[at] = 0x0a;
  return at + 1;
}
