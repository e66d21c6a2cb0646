import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AwsFrameScanner } from './aws-frames.ts';

/** The example frame of the AWS documentation: 148 bytes. */
const documented = Buffer.from(
  '0000009400000057b4ab9aee0b3a6576656e742d74797065070011636f6e74656e74426c6f636b44656c7461' +
    '0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d74' +
    '7970650700056576656e747b22636f6e74656e74426c6f636b496e646578223a302c2264656c7461223a7b22' +
    '74657874223a224869227d7d1f944657',
  'hex',
);
const hi = { name: 'contentBlockDelta', data: '{"contentBlockIndex":0,"delta":{"text":"Hi"}}' };

/** Header values as they follow their type. */
const long = Buffer.alloc(8, 1);
const kinds: readonly (readonly [type: number, value: Buffer])[] = [
  [0, Buffer.alloc(0)],
  [1, Buffer.alloc(0)],
  [2, Buffer.from([7])],
  [3, Buffer.from([0, 7])],
  [4, Buffer.from([0, 0, 0, 7])],
  [5, long],
  [6, Buffer.from([0, 2, 1, 2])],
  [8, long],
  [9, Buffer.concat([long, long])],
];

const text = (name: string, value: string): Buffer => header(name, 7, Buffer.concat([u16(Buffer.byteLength(value)), Buffer.from(value)]));
const header = (name: string, type: number, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([type]), value]);

function u16(value: number): Buffer {
  const out = Buffer.alloc(2);
  out.writeUInt16BE(value);
  return out;
}

/** A frame with correct checksums, unless the lengths are overridden. */
function frame(headers: Buffer, payload: string, lengths?: { readonly size: number; readonly headers: number }): Buffer {
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(lengths?.size ?? headers.length + body.length + 16, 0);
  prelude.writeUInt32BE(lengths?.headers ?? headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const all = Buffer.concat([prelude, headers, body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(all));
  return Buffer.concat([all, sum]);
}

const event = (name: string, payload: string): Buffer =>
  frame(Buffer.concat([text(':message-type', 'event'), text(':event-type', name)]), payload);

function scan(pieces: readonly Buffer[], scanner = new AwsFrameScanner()) {
  const bytes: Buffer[] = [];
  const events: { name: string; data: string }[] = [];
  for (const piece of pieces) {
    const scanned = scanner.push(piece);
    bytes.push(scanned.bytes);
    let end = 0;
    for (const one of scanned.events) {
      expect(one.start).toBe(end);
      end = one.end;
      events.push({ name: one.name, data: one.data });
    }
    expect(end).toBe(scanned.bytes.length);
  }
  return { bytes: Buffer.concat(bytes), events, flaw: scanner.flaw, held: scanner.buffered };
}

/** Splits the bytes into chunks of this size. */
const cut = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));

describe('AwsFrameScanner', () => {
  it('reads the frame of the AWS documentation', () => {
    expect(scan([documented])).toEqual({ bytes: documented, events: [hi], flaw: undefined, held: 0 });
  });

  it.each([1, 2, 3, 4, 7, 11, 12, 13, 100, 147, 148, 149, 295])('reads frames split after every %i bytes', (size) => {
    const stream = Buffer.concat([documented, documented, event('x', '{}'), documented]);
    const { bytes, events } = scan(cut(stream, size));
    expect(bytes).toEqual(stream);
    expect(events).toEqual([hi, hi, { name: 'x', data: '{}' }, hi]);
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
    expect(scan([documented, documented.subarray(0, 147)], scanner)).toMatchObject({ events: [hi], held: 147 });
    expect(scanner.end().events).toEqual([]);
    expect(scanner.buffered).toBe(0);
  });
});

describe('AwsFrameScanner with a broken stream', () => {
  const odd = Buffer.concat([text(':event-type', 'x'), header('a', 10, Buffer.alloc(0))]);
  const rows: readonly [what: string, broken: Buffer, flaw: string][] = [
    ['a wrong length', flipped(documented, 3), 'the checksum of its lengths is wrong'],
    ['a wrong byte of a header', flipped(documented, 20), 'its checksum is wrong'],
    ['a wrong byte of the payload', flipped(documented, 120), 'its checksum is wrong'],
    ['a wrong checksum', flipped(documented, 147), 'its checksum is wrong'],
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
    ['an unknown header type', frame(odd, '{}'), 'one of its headers has an unknown type'],
    ['a truncated header', frame(Buffer.from([1, 0x61, 7, 0, 9]), '{}'), 'its headers are cut off'],
    ['a header without its length', frame(Buffer.from([1, 0x61, 7, 0]), '{}'), 'its headers are cut off'],
  ];

  it.each(rows)('reports %s', (_, broken, flaw) => {
    for (const pieces of [[documented, broken, documented], cut(Buffer.concat([documented, broken, documented]), 5)])
      expect(scan(pieces)).toMatchObject({ events: [hi], flaw });
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const out = Buffer.from(bytes);
  out[at] = (out[at] ?? 0) ^ 1;
  return out;
}

describe('AwsFrameScanner with another event format', () => {
  it('returns the events as server-sent events', () => {
    const scanner = new AwsFrameScanner(({ data }) => ({ name: 'inner', data: `${data}\n2` }));
    const { bytes, events } = scan(cut(Buffer.concat([event('chunk', 'ä'), event('chunk', 'b')]), 9), scanner);
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
        const { events, bytes, flaw } = scan(cut(stream, size));
        expect(events).toEqual(list.map(([name, data]) => ({ name: Buffer.from(name).toString(), data: Buffer.from(data).toString() })));
        expect([bytes.equals(stream), flaw]).toEqual([true, undefined]);
      }),
    );
  });

  it('does not throw for any bytes and buffers no more than it received', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), fc.boolean(), (pieces, isFramed) => {
        const scanner = new AwsFrameScanner();
        const bytes = pieces.map((piece) => Buffer.from(piece));
        for (const piece of isFramed ? [documented, ...bytes] : bytes) scanner.push(piece);
        expect(scanner.buffered).toBeLessThanOrEqual(bytes.reduce((sum, piece) => sum + piece.length, documented.length));
      }),
    );
  });

  it('detects every changed byte', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: documented.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const broken = Buffer.from(documented);
        broken[at] = (broken[at] ?? 0) ^ change;
        expect(scan([broken])).toMatchObject({ events: [], flaw: expect.any(String) as string });
      }),
    );
  });
});
