import { expect, it } from 'vitest';
import { minimalRecord } from '../core/records/minimal.ts';
import { toRow } from '../core/logs/row.ts';
import type { LogRecord } from '../core/records/record.ts';
import { LineWriter } from './compact.ts';
import { decodeFrame, decodeHead, decodeLine } from './decode.ts';
import { encodeRecord } from './encode.ts';
import { sampleRecord } from './fixtures/sample.ts';

const headersMarker = ',"request":{"headers":';
const { request, upstream, response, plugins, route, redactions, ...rest } = sampleRecord();
const { response_id: _, notes: _notes, socket: _socket, preview: _preview, ...olderFormat } = rest;

/** A record line as versions before the short form wrote it. */
const lineWithParts = (record: object): string => `${JSON.stringify(record).slice(0, -1)},"parts":[["request",7]]}`;

const body = { size: 9, kept: 7, sha256: null, same_as: null, patch: null, chunks: null };
const message = { headers: { 'user-agent': 'é…' }, body, why_absent: null };
const attempt = sampleRecord().attempts[0] as LogRecord['attempts'][number];
const labelled = sampleRecord({ labels: { a: headersMarker, b: ',"parts":[', messages: [{ a: 1 }] } });
const rejectedRecord = sampleRecord({ admitted: false, attempts: [] });

it.each<[string, string, LogRecord]>([
  ['in the current format', encodeRecord(sampleRecord(), { request: [Buffer.alloc(7)] }).line, sampleRecord()],
  ['with a label that looks like a message', encodeRecord(labelled, { request: [Buffer.alloc(7)] }).line, labelled],
  ['of a request that was not admitted', encodeRecord(rejectedRecord, { request: [Buffer.alloc(7)] }).line, rejectedRecord],
  ['in the long format', lineWithParts({ ...rest, plugins, route, redactions, request, upstream, response }), sampleRecord()],
  [
    'in the long format with more members after the messages',
    lineWithParts({ ...rest, request, upstream, response, plugins, route, redactions }),
    sampleRecord(),
  ],
  ['in the long format with a label that looks like a message', lineWithParts(labelled), labelled],
  [
    'of an earlier version',
    lineWithParts({ ...olderFormat, request, upstream, response, plugins }),
    sampleRecord({ response_id: null, notes: {} }),
  ],
])('decodeHead() returns the same row as the complete record: a record %s', (_name, line, record) => {
  const frame = Buffer.from(`before\n${line}\n{"a":1}\n`);
  const [head, decoded] = [decodeHead(frame, 7), decodeFrame(frame, 7)];
  if (head.state !== 'whole' || decoded.state !== 'whole') throw new Error('broken');
  if (head.entry.kind !== 'record' || decoded.entry.kind !== 'record') throw new Error('no record');
  expect(toRow(head.entry.record)).toEqual(toRow(record));
  expect(decoded.entry.record).toEqual(record);
  expect(head.entry.record.notes).toEqual(record.notes);
  expect(String(head.entry.bodies.request)).toBe('{"a":1}');
  expect(head.next).toBe(decoded.next);
});

/** Records that differ from the sample record in one or a few fields. */
const unusualRecords: readonly Partial<LogRecord>[] = [
  {},
  { id: 'req_2', at: 1_795_253_467_001.5, random: 0.5 },
  { key: 'other "key"', path: '/v1/ü' },
  { plugins: [] },
  { plugins: [{ name: 'auth', moment: 'admit', ms: 0.5 }] },
  { preview: 'One line of 日本…', metadata: { team: '日本' } },
  { preview: '"quoted"…', bodies: 'redacted', redactions: { email: 2 } },
  { preview: `${'é'.repeat(300)}…` },
  { attempts: [] },
  { attempts: [{ ...attempt, reason: 'busy' }] },
  { attempts: [{ ...attempt, status: null, outcome: 'timeout', connect_ms: null, upstream_id: null }] },
  { attempts: [attempt, { ...attempt, n: 1, target: 'configs.support.targets[2]' }] },
  { trace: { trace_id: 't', span_id: 's', parent: 'p', span_name: 'n', traceparent: '00-t-p-01' } },
  { finish: [] },
  { finish: ['stop', 'length'] },
  { usage: { ...sampleRecord().usage, source: 'none', cached: 3, details: { images: 2 } } },
  { cost: { usd: '0.000102', source: 'genai-prices 0.1.8', prices: { input: '0.15' } } },
  { error: { code: 'timeout', source: 'gateway', message: 'late' }, status: 504, end: 'fault' },
  { prompt: { id: 'greet', version: 3, label: null }, virtual_key: 'vk', config: null },
  { model: { asked: null, sent: null, answered: null }, type: null, provider: null, target: null, foundation_model: null },
  { request: message, upstream: { ...message, body: { ...body, same_as: 'request', patch: { model: 'a' } } }, response: message },
  { response: { ...message, body: { ...body, chunks: [0, 1.5] } }, request: { ...message, body: { ...body, sha256: 'ab' } } },
  { labels: { a: { b: [1] } }, dropped: [{ param: 'seed', reason: 'unknown' }], warnings: ['w'], guardrails: [{ name: 'g' }] },
  {
    overruled: [{ choice: 'model', value: 'a', by: 'path' }],
    socket: { close: { client: 1000, provider: 1005 }, frames: { in: 1, out: 2 } },
  },
  { route: [{ node: 'configs.a', strategy: 'loadbalance', chose: 0, because: 'half' }], cache: 'HIT', lane: 'full', strict: false },
  { client: { ip: null, agent: null }, bytes: { in: 0, out: 0 }, ms: { total: 1, first_event: null, overhead: 0 }, notes: {} },
  minimalRecord({ ...sampleRecord(), totalMs: 4 }),
];

it('decodes each record as it was encoded, whatever record was encoded before it', () => {
  const lines = new LineWriter(64);
  const records = [...unusualRecords, ...unusualRecords.toReversed()].map((overrides) => sampleRecord(overrides));
  const encodedLines = records.map((record) => encodeRecord(record, {}, undefined, lines).line);
  expect(encodedLines.map(decodeLine)).toEqual(records);
  expect(encodedLines[0]).toBe(encodedLines.at(-1));
});

it('encodes a record in less than two thirds of the bytes of the long format', () => {
  const { line } = encodeRecord(sampleRecord(), {});
  expect(line.length * 3).toBeLessThan(JSON.stringify(sampleRecord()).length * 2);
});

it('encodes a truncated preview with one byte per character', () => {
  const { line } = encodeRecord(sampleRecord({ preview: 'The quick brown fox…' }), {});
  expect(Buffer.byteLength(line)).toBe(line.length);
  expect(decodeLine(line)?.preview).toBe('The quick brown fox…');
});
