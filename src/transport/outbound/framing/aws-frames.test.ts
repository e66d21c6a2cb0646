import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AwsFrameScanner } from './aws-frames.ts';

/** The example frame of the AWS documentation: 148 bytes. */
const documentedFrame = Buffer.from(
  '0000009400000057b4ab9aee0b3a6576656e742d74797065070011636f6e74656e74426c6f636b44656c7461' +
    '0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d74' +
    '7970650700056576656e747b22636f6e74656e74426c6f636b496e646578223a302c2264656c7461223a7b22' +
    '74657874223a224869227d7d1f944657',
  'hex',
);
const hiEvent = { name: 'contentBlockDelta', data: '{"contentBlockIndex":0,"delta":{"text":"Hi"}}' };

/** Header values as they follow their type. */
const longBytes = Buffer.alloc(8, 1);
const kinds: readonly (readonly [type: number, value: Buffer])[] = [
  [0, Buffer.alloc(0)],
  [1, Buffer.alloc(0)],
  [2, Buffer.from([7])],
  [3, Buffer.from([0, 7])],
  [4, Buffer.from([0, 0, 0, 7])],
  [5, longBytes],
  [6, Buffer.from([0, 2, 1, 2])],
  [8, longBytes],
  [9, Buffer.concat([longBytes, longBytes])],
];

const text = (name: string, value: string): Buffer => header(name, 7, Buffer.concat([u16(Buffer.byteLength(value)), Buffer.from(value)]));
const header = (name: string, type: number, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([type]), value]);

function u16(value: number): Buffer {
  const output = Buffer.alloc(2);
  output.writeUInt16BE(value);
  return output;
}

/** A frame with correct checksums, unless the lengths are overridden. */
function frame(headers: Buffer, payload: string, lengths?: { readonly size: number; readonly headers: number }): Buffer {
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(lengths?.size ?? headers.length + body.length + 16, 0);
  prelude.writeUInt32BE(lengths?.headers ?? headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const allBytes = Buffer.concat([prelude, headers, body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(allBytes));
  return Buffer.concat([allBytes, sum]);
}

const event = (name: string, payload: string): Buffer =>
  frame(Buffer.concat([text(':message-type', 'event'), text(':event-type', name)]), payload);

function scan(pieces: readonly Buffer[], scanner = new AwsFrameScanner()) {
  const bytes: Buffer[] = [];
  const events: { name: string; data: string }[] = [];
  for (const piece of pieces) {
    const scanResult = scanner.push(piece);
    bytes.push(scanResult.bytes);
    let end = 0;
    for (const event of scanResult.events) {
      expect(event.start).toBe(end);
      end = event.end;
      events.push({ name: event.name, data: event.data });
    }
    expect(end).toBe(scanResult.bytes.length);
  }
  return { bytes: Buffer.concat(bytes), events, flaw: scanner.flaw, held: scanner.buffered };
}

/** Splits the bytes into chunks of this size. */
const split = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));

describe('AwsFrameScanner', () => {
  it('reads the frame of the AWS documentation', () => {
    expect(scan([documentedFrame])).toEqual({ bytes: documentedFrame, events: [hiEvent], flaw: undefined, held: 0 });
  });

  it.each([1, 2, 3, 4, 7, 11, 12, 13, 100, 147, 148, 149, 295])('reads frames split after every %i bytes', (size) => {
    const stream = Buffer.concat([documentedFrame, documentedFrame, event('x', '{}'), documentedFrame]);
    const { bytes, events } = scan(split(stream, size));
    expect(bytes).toEqual(stream);
    expect(events).toEqual([hiEvent, hiEvent, { name: 'x', data: '{}' }, hiEvent]);
  });

  it.each(kinds)('skips headers of type %i', (type, value) => {
    const headers = Buffer.concat([header('a', type, value), text(':event-type', 'x'), header('b', type, value)]);
    expect(scan([frame(headers, '{}')]).events).toEqual([{ name: 'x', data: '{}' }]);
  });

  it('names an exception, and an error without a payload', () => {
    const exception = Buffer.concat([text(':message-type', 'exception'), text(':exception-type', 'throttlingException')]);
    const error = Buffer.concat([text(':message-type', 'error'), text(':error-code', 'InternalError'), text(':error-message', 'm')]);
    expect(scan([frame(exception, '{"message":"slow"}'), frame(error, '')]).events).toEqual([
      { name: 'throttlingException', data: '{"message":"slow"}' },
      { name: 'InternalError', data: '{"message":"m"}' },
    ]);
  });

  it('returns no event for a frame truncated at the end', () => {
    const scanner = new AwsFrameScanner();
    expect(scan([documentedFrame, documentedFrame.subarray(0, 147)], scanner)).toMatchObject({ events: [hiEvent], held: 147 });
    expect(scanner.end().events).toEqual([]);
    expect(scanner.buffered).toBe(0);
  });
});

describe('AwsFrameScanner with a broken stream', () => {
  const oddFrame = Buffer.concat([text(':event-type', 'x'), header('a', 10, Buffer.alloc(0))]);
  const rows: readonly [name: string, broken: Buffer, defect: string][] = [
    ['a wrong length', flipByte(documentedFrame, 3), 'the checksum of its lengths is wrong'],
    ['a wrong byte of a header', flipByte(documentedFrame, 20), 'its checksum is wrong'],
    ['a wrong byte of the payload', flipByte(documentedFrame, 120), 'its checksum is wrong'],
    ['a wrong checksum', flipByte(documentedFrame, 147), 'its checksum is wrong'],
    ['headers beyond their frame', frame(Buffer.alloc(0), '', { size: 16, headers: 8 }), 'its lengths contradict each other'],
    [
      'headers that are too large',
      frame(Buffer.alloc(0), '', { size: 200_000, headers: 150_000 }),
      'its headers are larger than 131072 bytes',
    ],
    [
      'a payload that is too large',
      frame(Buffer.alloc(0), '', { size: 0xff_ff_ff_ff, headers: 0 }),
      'its payload is larger than 25165824 bytes',
    ],
    ['an unknown header type', frame(oddFrame, '{}'), 'one of its headers has an unknown type'],
    ['a truncated header', frame(Buffer.from([1, 0x61, 7, 0, 9]), '{}'), 'its headers are cut off'],
    ['a header without its length', frame(Buffer.from([1, 0x61, 7, 0]), '{}'), 'its headers are cut off'],
  ];

  it.each(rows)('reports %s', (_, broken, defect) => {
    for (const pieces of [[documentedFrame, broken, documentedFrame], split(Buffer.concat([documentedFrame, broken, documentedFrame]), 5)])
      expect(scan(pieces)).toMatchObject({ events: [hiEvent], flaw: defect });
  });
});

function flipByte(bytes: Buffer, position: number): Buffer {
  const output = Buffer.from(bytes);
  output[position] = (output[position] ?? 0) ^ 1;
  return output;
}

describe('AwsFrameScanner with another event format', () => {
  it('returns the events as server-sent events', () => {
    const scanner = new AwsFrameScanner(({ data }) => ({ name: 'inner', data: `${data}\n2` }));
    const { bytes, events } = scan(split(Buffer.concat([event('chunk', 'ä'), event('chunk', 'b')]), 9), scanner);
    expect(bytes.toString()).toBe('event: inner\ndata: ä\ndata: 2\n\nevent: inner\ndata: b\ndata: 2\n\n');
    expect(events).toEqual([
      { name: 'inner', data: 'ä\n2' },
      { name: 'inner', data: 'b\n2' },
    ]);
  });
});

describe('AwsFrameScanner for any input', () => {
  const frames = fc.array(fc.tuple(fc.string({ unit: 'binary', maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 300 })), {
    maxLength: 6,
  });

  it('returns the frames that went in, wherever they are split', () => {
    fc.assert(
      fc.property(frames, fc.integer({ min: 1, max: 400 }), (list, size) => {
        const stream = Buffer.concat(list.map(([name, payload]) => event(name, payload)));
        const { events, bytes, flaw: defect } = scan(split(stream, size));
        expect(events).toEqual(list.map(([name, data]) => ({ name: Buffer.from(name).toString(), data: Buffer.from(data).toString() })));
        expect([bytes.equals(stream), defect]).toEqual([true, undefined]);
      }),
    );
  });

  it('does not throw for any bytes and buffers no more than it received', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), fc.boolean(), (pieces, isFramed) => {
        const scanner = new AwsFrameScanner();
        const bytes = pieces.map((piece) => Buffer.from(piece));
        for (const piece of isFramed ? [documentedFrame, ...bytes] : bytes) scanner.push(piece);
        expect(scanner.buffered).toBeLessThanOrEqual(bytes.reduce((sum, piece) => sum + piece.length, documentedFrame.length));
      }),
    );
  });

  it('detects every changed byte', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: documentedFrame.length - 1 }), fc.integer({ min: 1, max: 255 }), (position, change) => {
        const broken = Buffer.from(documentedFrame);
        broken[position] = (broken[position] ?? 0) ^ change;
        expect(scan([broken])).toMatchObject({ events: [], flaw: expect.any(String) as string });
      }),
    );
  });
});
