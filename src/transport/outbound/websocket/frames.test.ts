import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closeFrame, FrameCounter } from './frames.ts';

interface Frame {
  readonly opcode: number;
  readonly payload: Uint8Array;
  readonly mask: Uint8Array | undefined;
}

/** RFC 6455 5.2, written independently of the reader. */
function encode({ opcode, payload, mask }: Frame): Buffer {
  const masked = mask === undefined ? 0 : 0x80;
  const length = payload.length;
  const head =
    length < 126
      ? [masked | length]
      : length < 65536
        ? [masked | 126, length >> 8, length & 255]
        : [masked | 127, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 255, length & 255];
  const body = mask === undefined ? payload : payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0));
  return Buffer.concat([Buffer.from([0x80 | opcode, ...head, ...(mask ?? [])]), body]);
}

function pieces(bytes: Buffer, splitPositions: readonly number[]): Buffer[] {
  const offsets = [...new Set([0, ...splitPositions.map((splitPosition) => splitPosition % (bytes.length + 1)), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  return offsets.slice(1).map((end, i) => bytes.subarray(offsets[i], end));
}

const frame: fc.Arbitrary<Frame> = fc.record({
  opcode: fc.constantFrom(0, 1, 2, 9, 10),
  payload: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.constantFrom(125, 126, 127, 65535, 65536).map((n) => new Uint8Array(n)),
  ),
  mask: fc.option(fc.uint8Array({ minLength: 4, maxLength: 4 }), { nil: undefined }),
});

test('FrameCounter counts frames and reads the close code however they are split', () => {
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 5 }),
      fc.integer({ min: 1000, max: 4999 }),
      fc.option(fc.uint8Array({ minLength: 4, maxLength: 4 }), { nil: undefined }),
      fc.array(fc.nat(), { maxLength: 20 }),
      (frames, code, mask, splitPositions) => {
        const close = encode({ opcode: 8, payload: new Uint8Array([code >> 8, code & 255, 0x62, 0x79, 0x65]), mask });
        const counter = new FrameCounter();
        const bytes = Buffer.concat(frames.map(encode));
        for (const piece of pieces(bytes, splitPositions)) counter.push(piece);
        expect([counter.frames, counter.closeCode, counter.isAtBoundary]).toEqual([frames.length, 1006, true]);
        for (const piece of pieces(close, splitPositions)) counter.push(piece);
        expect([counter.frames, counter.closeCode, counter.isAtBoundary]).toEqual([frames.length + 1, code, true]);
      },
    ),
  );
});

test('FrameCounter reports no frame boundary inside a frame', () => {
  const counter = new FrameCounter();
  const bytes = encode({ opcode: 2, payload: new Uint8Array(1000), mask: undefined });
  for (let i = 0; i < bytes.length - 1; i += 1) {
    counter.push(bytes.subarray(i, i + 1));
    expect(counter.isAtBoundary).toBe(false);
  }
  counter.push(bytes.subarray(-1));
  expect(counter.isAtBoundary).toBe(true);
});

test.each([true, false])('FrameCounter reads a frame of closeFrame() (masked: %s), and reports 1005 for one without a code', (masked) => {
  const counter = new FrameCounter();
  counter.push(closeFrame(1001, masked));
  expect([counter.frames, counter.closeCode]).toEqual([1, 1001]);
  const empty = new FrameCounter();
  empty.push(encode({ opcode: 8, payload: new Uint8Array(0), mask: masked ? new Uint8Array(4) : undefined }));
  expect(empty.closeCode).toBe(1005);
});
