import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../../../core/records/record.ts';
import { encodeRecord } from '../../encode.ts';
import { sampleRecord } from '../../fixtures/sample.ts';
import { rowOf } from '../stored-row.ts';
import { FrameReader } from './frame-reader.ts';
import { RowScanner } from './row-scanner.ts';

const sample = sampleRecord();
const [attempt] = sample.attempts;
if (attempt === undefined) throw new Error('the sample has an attempt');

function frameOf(record: LogRecord, body = ''): Buffer {
  const { line } = encodeRecord(record, body === '' ? {} : { request: [Buffer.from(body)], response: [Buffer.from(body)] });
  return Buffer.from(`${line}\n${body}${body}\n`);
}

/** Reads the frame of a record with other bytes before and after it. */
function readWithin(reader: FrameReader, record: LogRecord, body?: string): unknown {
  const frame = frameOf(record, body);
  const readFrame = reader.read(Buffer.concat([Buffer.from('before\n'), frame, Buffer.from('{"behind')]), 7);
  if (readFrame.state !== 'whole' || readFrame.item.kind !== 'record') throw new Error(`it is ${readFrame.state}`);
  expect(readFrame.next).toBe(7 + frame.length);
  const { entry } = readFrame.item;
  expect(entry.record).toEqual(record);
  expect(String(entry.bodies.response ?? '')).toBe(body ?? '');
  return entry.row;
}

/** Text in a record that looks like members of its line. */
const misleadingText =
  ',"attempts":[{"n":0}],"ms":{"total":1},"upstream_id":"x","usage":{},"bytes":{"in":7},"end":"fault","parts":[["request",3]]}';

const commonRecords: readonly (readonly [string, Partial<LogRecord>])[] = [
  ['the sample record', {}],
  ['the sample record again', {}],
  [
    'with other times and counts',
    { ms: { total: 0.001, first_event: null, overhead: 123_456.789 }, usage: { ...sample.usage, prompt: 7, cached: 5 } },
  ],
  ['without streaming', { stream: false }],
  ['with a price', { cost: { usd: '0.000102', source: 'genai-prices', prices: { input: '0.15' } } }],
  ['rejected by a provider', { status: 429, error: { code: 'rate_limited', source: 'provider', message: 'Ö "\\ …' }, end: 'fault' }],
  [
    'with several attempts',
    {
      attempts: [
        { ...attempt, outcome: 'refused', status: 503, reason: 'überlastet' },
        { ...attempt, n: 1, target: 'b' },
      ],
    },
  ],
  ['without an attempt', { attempts: [] }],
  ['with a non-Latin preview', { preview: 'Grüße … 你好 "zitiert"' }],
  [
    'with non-Latin metadata',
    { metadata: { wer: 'Jürgen 你', [misleadingText]: misleadingText }, labels: { n: 7, o: { end: 'x', deep: [misleadingText] } } },
  ],
  ['without a finish reason', { finish: [] }],
  ['with two finish reasons', { finish: ['length', 'stop'] }],
  ['with usage details', { usage: { ...sample.usage, details: { image: misleadingText, images: 2 } } }],
  ['of a WebSocket', { socket: { close: { client: 1000, provider: 1005 }, frames: { in: 3, out: 4 } } }],
  [
    'with trace values of the client',
    { trace: { trace_id: 'mine:1/2', span_id: null, parent: '"p', span_name: misleadingText, traceparent: null } },
  ],
];

const oddRecords: readonly (readonly [string, Partial<LogRecord>])[] = [
  ['with an id that needs escaping', { id: 'req_"1"\n' }],
  ['with a non-ASCII upstream id', { attempts: [{ ...attempt, upstream_id: 'ä' }] }],
  ['with a very small and a very large time', { ms: { total: 1e-9, first_event: 1e21, overhead: 1 } }],
  ['with notes that look like a record line', { notes: { a: { bytes: { in: 1 }, b: [{ at: 1, bytes: { in: 2 } }] } } }],
  ['of a feedback request', { endpoint: 'feedback', notes: { feedback: { id: 'f', trace_id: 't', value: 1, weight: 1, at: 5 } } }],
  ['of a request that was not admitted', { admitted: false, attempts: [] }],
];

describe('FrameReader', () => {
  const reader = new FrameReader();

  it.each([...commonRecords, ...oddRecords])('returns the record, its row and its bodies: %s', (_name, overrides) => {
    const record = sampleRecord(overrides);
    expect(readWithin(reader, record)).toEqual(rowOf(record));
    expect(readWithin(reader, record, '{"a":\n1}')).toEqual(rowOf(record));
  });

  it('returns the record and its row for any text and number', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(misleadingText, '', '"', '\\', '\u{0}'));
    const number = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 3 }), number, fc.dictionary(fc.string(), text), (a, b, list, n, metadata) => {
        const record = sampleRecord({
          key: a,
          config: b,
          finish: list,
          response_id: a,
          metadata,
          ms: { total: n, first_event: n / 3, overhead: 0 },
        });
        expect(readWithin(reader, record, 'x')).toEqual(rowOf(JSON.parse(JSON.stringify(record)) as LogRecord));
      }),
    );
  });
});

it.each(commonRecords)('RowScanner builds the row without parsing the line as JSON: record %s', (_name, overrides) => {
  const record = sampleRecord(overrides);
  expect(new RowScanner().scan(frameOf(record).toString('latin1').split('\n', 1)[0] ?? '')).toEqual(rowOf(record));
});

it.each([
  ['an incomplete line', (frame: Buffer) => frame.subarray(0, 900), 'short'],
  ['an incomplete body', (frame: Buffer) => frame.subarray(0, -1), 'short'],
  ['a wrong byte after its bodies', (frame: Buffer) => Buffer.concat([frame.subarray(0, -1), Buffer.from('x')]), 'broken'],
  ['a line that is not JSON', () => Buffer.from('{"v":1,"id":"a"\n\n'), 'broken'],
])('FrameReader rejects a frame with %s as incomplete or broken', (_name, change, state) => {
  expect(new FrameReader().read(change(frameOf(sample, 'abc')), 0).state).toBe(state);
});

it('FrameReader does not store a record whose preview is not a text', () => {
  const frame = Buffer.from(
    frameOf(sampleRecord({ preview: 'seven' }), 'abc')
      .toString()
      .replace('"preview":"seven"', '"preview":{"a":7}'),
  );
  const found = new FrameReader().read(frame, 0);
  if (found.state !== 'whole' || found.item.kind !== 'record') throw new Error(`it is ${found.state}`);
  const { entry } = found.item;
  expect(found.next).toBe(frame.length);
  expect(() => entry.row).toThrow('a frame of the spool is damaged');
});
