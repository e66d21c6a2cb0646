import fc from 'fast-check';
import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { SseScanner } from './sse.ts';

/** Feeds chunks through one scanner; returns the bytes that came out and the events. */
function scan(pieces: readonly Buffer[]): { bytes: string; events: { name: string; data: string }[] } {
  const scanner = new SseScanner();
  const output: Buffer[] = [];
  const events: { name: string; data: string }[] = [];
  for (const piece of pieces) {
    const { bytes, events: read } = scanner.push(piece);
    output.push(bytes);
    for (const event of read) events.push({ name: event.name, data: event.data });
  }
  const unread = scanner.end();
  output.push(unread.bytes);
  for (const event of unread.events) events.push({ name: event.name, data: event.data });
  return { bytes: Buffer.concat(output).toString('utf8'), events };
}

/** The events that an independent parser reads from the same text. */
function parseWithLibrary(text: string): { name: string; data: string }[] {
  const events: { name: string; data: string }[] = [];
  const parser = createParser({ onEvent: (event) => events.push({ name: event.event ?? '', data: event.data }) });
  parser.feed(text);
  return events;
}

const cases: readonly { name: string; text: string; events: { name: string; data: string }[] }[] = [
  { name: 'one event', text: 'data: {"a":1}\n\n', events: [{ name: '', data: '{"a":1}' }] },
  {
    name: 'CRLF',
    text: 'data: a\r\n\r\ndata: b\r\n\r\n',
    events: [
      { name: '', data: 'a' },
      { name: '', data: 'b' },
    ],
  },
  {
    name: 'CR alone',
    text: 'data: a\r\rdata: b\r\r',
    events: [
      { name: '', data: 'a' },
      { name: '', data: 'b' },
    ],
  },
  {
    name: 'comments and a ping',
    text: ': ping\n\ndata: a\n\n: keep-alive\ndata: b\n\n',
    events: [
      { name: '', data: 'a' },
      { name: '', data: 'b' },
    ],
  },
  {
    name: 'named event, no blank after the colon',
    text: 'event:message_stop\ndata:{}\n\n',
    events: [{ name: 'message_stop', data: '{}' }],
  },
  { name: 'several data lines', text: 'data: a\ndata:  b\ndata\n\n', events: [{ name: '', data: 'a\n b\n' }] },
  { name: 'several lines with CRLF', text: 'event: x\r\ndata: a\r\ndata: b\r\n\r\n', events: [{ name: 'x', data: 'a\nb' }] },
  { name: 'several lines with CR', text: 'event: x\rdata: a\rdata: b\r\r', events: [{ name: 'x', data: 'a\nb' }] },
  { name: 'a CR between two lines that end with LF', text: 'data: {"a":1}\revent: foo\n\n', events: [{ name: 'foo', data: '{"a":1}' }] },
  { name: 'a CR at the end of the only line', text: 'data: a\r\n\n', events: [{ name: '', data: 'a' }] },
  {
    name: 'a CR inside an event after an event without one',
    text: 'data: a\n\ndata: b\rdata: c\n\ndata: d\n\n',
    events: [
      { name: '', data: 'a' },
      { name: '', data: 'b\nc' },
      { name: '', data: 'd' },
    ],
  },
  { name: 'byte order mark', text: '\uFEFFdata: a\n\n', events: [{ name: '', data: 'a' }] },
  {
    name: 'last event without a blank line',
    text: 'data: a\n\ndata: [DONE]',
    events: [
      { name: '', data: 'a' },
      { name: '', data: '[DONE]' },
    ],
  },
  {
    name: 'several blank lines',
    text: '\n\ndata: a\n\n\n\ndata: b\n\n',
    events: [
      { name: '', data: 'a' },
      { name: '', data: 'b' },
    ],
  },
  { name: 'non-ASCII text', text: 'data: Grüße 你好 🎉\n\n', events: [{ name: '', data: 'Grüße 你好 🎉' }] },
  { name: 'an empty stream', text: '', events: [] },
];

describe('SseScanner', () => {
  for (const { name, text, events } of cases) {
    const bytes = Buffer.from(text, 'utf8');
    it(`reads ${name}`, () => expect(scan([bytes])).toEqual({ bytes: text, events }));
    it(`reads ${name} one byte at a time`, () => {
      expect(scan([...bytes].map((byte) => Buffer.from([byte])))).toEqual({ bytes: text, events });
    });
    it(`reads ${name} cut at every position`, () => {
      for (let splitPosition = 0; splitPosition <= bytes.length; splitPosition += 1) {
        expect(scan([bytes.subarray(0, splitPosition), bytes.subarray(splitPosition)])).toEqual({ bytes: text, events });
      }
    });
  }

  it('does not release half an event', () => {
    const scanner = new SseScanner();
    expect(scanner.push(Buffer.from('data: a\n\ndata: b')).bytes.toString()).toBe('data: a\n\n');
    expect(scanner.buffered).toBe(7);
    expect(scanner.push(Buffer.from('\n')).bytes.length).toBe(0);
    expect(scanner.push(Buffer.from('\n')).bytes.toString()).toBe('data: b\n\n');
  });

  it('reads a large event with a CR between its lines, cut at any position', () => {
    const data = 'x'.repeat(20_000);
    const text = `data: ${data}\rdata: y\revent: foo\n\n`;
    for (const cut of [0, 5, 100, 20_005, 20_006, 20_007, text.length - 2, text.length - 1]) {
      const bytes = Buffer.from(text);
      expect(scan([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual({ bytes: text, events: [{ name: 'foo', data: `${data}\ny` }] });
    }
  });

  it('returns the same events as eventsource-parser for any text and split', () => {
    const piece = fc.constantFrom(
      'data: x',
      'data:',
      'data: ü{"a":"b"}',
      'event: e',
      ': c',
      'id: 1',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\r\n\r\n',
      'retry: 5',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(200), { maxLength: 8 }), (parts, splitPositions) => {
        const text = `${parts.join('')}\n\n`;
        const bytes = Buffer.from(text, 'utf8');
        const offsets = [...new Set(splitPositions.map((splitPosition) => Math.min(splitPosition, bytes.length)))].sort((a, b) => a - b);
        const pieces = [0, ...offsets].map((start, i) => bytes.subarray(start, offsets[i] ?? bytes.length));
        expect(scan(pieces)).toEqual({ bytes: text, events: parseWithLibrary(text) });
      }),
    );
  });
});

it.each([
  ['many lines and one carriage return', `${':\n'.repeat(20_000)}\r`],
  ['carriage returns alone', ':\r'.repeat(20_000)],
  ['line feeds alone', ':\n'.repeat(20_000)],
  ['one very long line', ':'.repeat(40_000)],
])('SseScanner searches each byte at most three times: %s', (_, text) => {
  const chunk = Buffer.from(text);
  const search = chunk.indexOf.bind(chunk);
  let searchedBytes = 0;
  chunk.indexOf = ((byte: number, from: number) => {
    const position = search(byte, from);
    searchedBytes += (position < 0 ? chunk.length : position + 1) - from;
    return position;
  }) as typeof chunk.indexOf;
  new SseScanner().push(chunk);
  expect(searchedBytes).toBeLessThanOrEqual(chunk.length * 3);
});

it('SseScanner reads a large event of many lines like a small one', () => {
  const line = fc.constantFrom(
    'data',
    'data:',
    'data: ',
    'data:  a',
    'data: é',
    'data:b:c',
    'dat',
    'database: x',
    'event',
    'event: e',
    'event:f',
    ': c',
    'id: 1',
    ' data: x',
  );
  const end = fc.constantFrom('\n', '\r\n', '\r');
  const padding = `:${'x'.repeat(20_000)}`;
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), end, fc.boolean(), (lines, lineEnd, hasByteOrderMark) => {
      const start = hasByteOrderMark ? '\ufeff' : '';
      const small = start + [...lines, '', ''].join(lineEnd);
      const large = start + [...lines, padding, '', ''].join(lineEnd);
      expect(scan([Buffer.from(large)]).events).toEqual(scan([Buffer.from(small)]).events);
    }),
  );
});

it('SseScanner uses memory in proportion to the size of an event with a million lines', () => {
  const scanner = new SseScanner();
  const lines = Buffer.from('data:\n'.repeat(1_000_000));
  scanner.push(lines);
  const heapBefore = process.memoryUsage().heapUsed;
  const [event] = scanner.push(Buffer.from('\n\n')).events;
  expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(lines.length * 2);
  expect(event?.data).toBe('\n'.repeat(999_999));
});
