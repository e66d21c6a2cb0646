import { queryObjects } from 'node:v8';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameCounter } from './frames.ts';
import { TextMessageAssembler } from './messages.ts';

interface Message {
  readonly text: string;
  /** Lengths of its fragments; the rest is the last fragment. */
  readonly fragments: readonly number[];
  /** A control frame is sent between two fragments. */
  readonly isInterrupted: boolean;
  readonly kind: 'text' | 'binary' | 'compressed';
}

/** An unmasked server frame (RFC 6455 5.2), written independently of the reader. */
function frame(first: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = length < 126 ? [first, length] : length < 65536 ? [first, 126, length >> 8, length & 255] : undefined;
  if (head !== undefined) return Buffer.concat([Buffer.from(head), payload]);
  const longHeader = Buffer.from([first, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
  longHeader.writeUInt32BE(length, 6);
  return Buffer.concat([longHeader, payload]);
}

function encode({ text, fragments, isInterrupted, kind }: Message): Buffer {
  const bytes = Buffer.from(text);
  const splitPositions = [0, ...fragments.map((offset) => offset % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const opcode = { text: 1, binary: 2, compressed: 0x41 }[kind];
  const frames = splitPositions.slice(1).map((end, i) => {
    const isLast = i === splitPositions.length - 2;
    return frame((isLast ? 0x80 : 0) | (i === 0 ? opcode : 0), bytes.subarray(splitPositions[i], end));
  });
  return Buffer.concat(
    frames.flatMap((frameBytes, i) => (i > 0 && isInterrupted ? [frame(0x89, Buffer.from('wanted ping')), frameBytes] : [frameBytes])),
  );
}

function pieces(bytes: Buffer, splitPositions: readonly number[]): Buffer[] {
  const offsets = [...new Set([0, ...splitPositions.map((splitPosition) => splitPosition % (bytes.length + 1)), bytes.length])].toSorted(
    (a, b) => a - b,
  );
  return offsets.slice(1).map((end, i) => bytes.subarray(offsets[i], end));
}

function readAll(bytes: readonly Buffer[]): (string | undefined)[] {
  const received: (string | undefined)[] = [];
  const messages = new TextMessageAssembler({ reads: (start) => start.startsWith('wanted'), read: (text) => received.push(text) });
  const counter = new FrameCounter(messages);
  for (const piece of bytes) counter.push(piece);
  return received;
}

const message: fc.Arbitrary<Message> = fc.record({
  text: fc
    .tuple(
      fc.constantFrom('wanted ', 'other ', 'want', ''),
      fc.oneof(fc.string({ maxLength: 40, unit: 'binary' }), fc.constantFrom('x'.repeat(600), 'ü'.repeat(70_000))),
    )
    .map(([start, rest]) => (start + rest).toWellFormed()),
  fragments: fc.array(fc.nat(), { maxLength: 3 }),
  isInterrupted: fc.boolean(),
  kind: fc.constantFrom('text', 'text', 'text', 'binary', 'compressed'),
});

test('TextMessageAssembler returns the wanted text messages, in any fragments and any split', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 30 }), (messages, splitPositions) => {
      const expected = messages.filter(({ kind, text }) => kind === 'text' && text.startsWith('wanted')).map(({ text }) => text);
      const bytes = Buffer.concat(messages.map(encode));
      expect(readAll(pieces(bytes, splitPositions))).toEqual(expected);
      if (bytes.length < 2000) expect(readAll([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
    }),
  );
});

test('TextMessageAssembler reports a message that is too long once and reads the next one', () => {
  const largeFrame = frame(0x81, Buffer.from(`wanted ${'x'.repeat(1024 * 1024)}`));
  const next = frame(0x81, Buffer.from('wanted too'));
  expect(readAll(pieces(Buffer.concat([largeFrame, next]), [70_000, 800_000, 1_048_580, 1_048_590]))).toEqual([undefined, 'wanted too']);
});

test('TextMessageAssembler reads a message of one-byte frames without storing each byte separately', () => {
  const size = 20_000;
  const received: (string | undefined)[] = [];
  const counter = new FrameCounter(new TextMessageAssembler({ reads: () => true, read: (text) => received.push(text) }));
  const countBefore = queryObjects(Uint8Array, { format: 'count' });
  for (let i = 0; i < size; i += 1) {
    counter.push(frame((i === size - 1 ? 0x80 : 0) | (i === 0 ? 1 : 0), Buffer.from('x')));
    if (i === size - 2) expect(queryObjects(Uint8Array, { format: 'count' }) - countBefore).toBeLessThan(200);
  }
  expect(received).toEqual(['x'.repeat(size)]);
});
