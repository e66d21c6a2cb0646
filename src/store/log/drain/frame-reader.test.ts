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

/** As what is before and behind it in a segment allows it. */
function readIn(reader: FrameReader, record: LogRecord, body?: string): unknown {
  const frame = frameOf(record, body);
  const found = reader.read(Buffer.concat([Buffer.from('before\n'), frame, Buffer.from('{"behind')]), 7);
  if (found.state !== 'whole' || found.read.kind !== 'record') throw new Error(`it is ${found.state}`);
  expect(found.next).toBe(7 + frame.length);
  const { entry } = found.read;
  expect(entry.record).toEqual(record);
  expect(String(entry.bodies.response ?? '')).toBe(body ?? '');
  return entry.row;
}

/** What a line may hold that could be mistaken for its own members. */
const marks = ',"attempts":[{"n":0}],"ms":{"total":1},"upstream_id":"x","usage":{},"bytes":{"in":7},"end":"fault","parts":[["request",3]]}';

const usual: readonly (readonly [string, Partial<LogRecord>])[] = [
  ['a plain one', {}],
  ['the same again', {}],
  [
    'with other times and counts',
    { ms: { total: 0.001, first_event: null, overhead: 123_456.789 }, usage: { ...sample.usage, prompt: 7, cached: 5 } },
  ],
  ['with a whole response', { stream: false }],
  ['with a price', { cost: { usd: '0.000102', source: 'genai-prices', prices: { input: '0.15' } } }],
  ['refused by a provider', { status: 429, error: { code: 'rate_limited', source: 'provider', message: 'Ö "\\ …' }, end: 'fault' }],
  [
    'of several attempts',
    {
      attempts: [
        { ...attempt, outcome: 'refused', status: 503, reason: 'überlastet' },
        { ...attempt, n: 1, target: 'b' },
      ],
    },
  ],
  ['without an attempt', { attempts: [] }],
  ['with a preview beyond Latin', { preview: 'Grüße … 你好 "zitiert"' }],
  ['with metadata beyond Latin', { metadata: { wer: 'Jürgen 你', [marks]: marks }, labels: { n: 7, o: { end: 'x', deep: [marks] } } }],
  ['without a finish', { finish: [] }],
  ['with two ways to finish', { finish: ['length', 'stop'] }],
  ['with a usage in detail', { usage: { ...sample.usage, details: { image: marks, images: 2 } } }],
  ['of a socket', { socket: { close: { client: 1000, provider: 1005 }, frames: { in: 3, out: 4 } } }],
  [
    'of a caller with a trace of its own',
    { trace: { trace_id: 'mine:1/2', span_id: null, parent: '"p', span_name: marks, traceparent: null } },
  ],
];

const odd: readonly (readonly [string, Partial<LogRecord>])[] = [
  ['whose id needs an escape', { id: 'req_"1"\n' }],
  ['whose provider has ids beyond ASCII', { attempts: [{ ...attempt, upstream_id: 'ä' }] }],
  ['with a very small time', { ms: { total: 1e-9, first_event: 1e21, overhead: 1 } }],
  ['with notes like a line', { notes: { a: { bytes: { in: 1 }, b: [{ at: 1, bytes: { in: 2 } }] } } }],
  ['of feedback', { endpoint: 'feedback', notes: { feedback: { id: 'f', trace_id: 't', value: 1, weight: 1, at: 5 } } }],
  ['that was not let in', { admitted: false, attempts: [] }],
];

describe('a frame is read', () => {
  const reader = new FrameReader();

  it.each([...usual, ...odd])('%s', (_name, over) => {
    const record = sampleRecord(over);
    expect(readIn(reader, record)).toEqual(rowOf(record));
    expect(readIn(reader, record, '{"a":\n1}')).toEqual(rowOf(record));
  });

  it('whatever its texts are', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(marks, '', '"', '\\', '\u{0}'));
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
        expect(readIn(reader, record, 'x')).toEqual(rowOf(JSON.parse(JSON.stringify(record)) as LogRecord));
      }),
    );
  });
});

it.each(usual)('a record %s is not parsed', (_name, over) => {
  const record = sampleRecord(over);
  expect(new RowScanner().scan(frameOf(record).toString('latin1').split('\n', 1)[0] ?? '')).toEqual(rowOf(record));
});

it.each([
  ['more of its line', (frame: Buffer) => frame.subarray(0, 900), 'short'],
  ['more of its bodies', (frame: Buffer) => frame.subarray(0, -1), 'short'],
  ['other bytes behind them', (frame: Buffer) => Buffer.concat([frame.subarray(0, -1), Buffer.from('x')]), 'broken'],
  ['no JSON', () => Buffer.from('{"v":1,"id":"a"\n\n'), 'broken'],
])('a frame with %s is not whole', (_name, change, state) => {
  expect(new FrameReader().read(change(frameOf(sample, 'abc')), 0).state).toBe(state);
});
