import { emptyRecord } from '../core/records/empty.ts';
import { expect, it } from 'vitest';
import { JsonBytes } from '../core/json/bytes.ts';
import type { LogRecord } from '../core/records/record.ts';
import { sampleRecord } from '../store/fixtures/sample.ts';
import { requestFields } from './request-fields.ts';
import { RequestLines } from './request-line.ts';

const attempt = sampleRecord().attempts[0] as LogRecord['attempts'][number];

/** Each differs from the sample record in one or a few fields. */
const differentRecords: readonly Partial<LogRecord>[] = [
  {},
  { endpoint: 'embeddings' },
  { method: 'GET' },
  { path: '/v1/"ü"' },
  { stream: false },
  { status: 201 },
  { error: { code: 'timeout', source: 'gateway', message: 'late\n' } },
  { key: null },
  { virtual_key: 'vk' },
  { config: null },
  { prompt: { id: 'p', version: 2, label: null } },
  { revision: '1' },
  { target: null },
  { provider: 'other' },
  { type: 'openai' },
  { model: { asked: 'gpt-4o-mini', sent: 'other', answered: null } },
  { model: { asked: 'gpt-4o-mini', sent: null, answered: 'other' } },
  { model: { asked: null, sent: null, answered: null } },
  { attempts: [] },
  { attempts: [{ ...attempt, target: 'a' }] },
  { attempts: [{ ...attempt, provider: 'a' }] },
  { attempts: [{ ...attempt, model: 'a' }] },
  { attempts: [{ ...attempt, outcome: 'timeout' }] },
  { attempts: [{ ...attempt, status: null }] },
  { attempts: [attempt, { ...attempt, n: 1 }] },
  { ms: { total: 1, first_event: null, overhead: 0 }, usage: { ...sampleRecord().usage, prompt: 1, details: { images: 1 } } },
  { cost: { usd: '0.1', source: 'a', prices: { input: '1' } }, finish: [] },
  { cost: { usd: null, source: 'b', prices: {} }, finish: ['stop', 'é'] },
  { lane: 'full' },
  { cache: 'HIT' },
  { dropped: [{ param: 'seed', reason: 'unknown' }] },
  { warnings: ['w'] },
  { overruled: [{ choice: 'model', value: 'a', by: 'path' }] },
  { notes: { limits: { left: 3 } } },
  { metadata: { team: 'a' } },
  { metadata: { 'té"am': 'a\n', 2: '', ['__proto__']: 'x' } },
  { metadata: { team: 'a' }, labels: { team: 'b' }, notes: { limits: { left: 3 } } },
  { labels: { a: 1 } },
  { socket: { close: { client: 1000, provider: 1005 }, frames: { in: 1, out: 2 } } },
  { client: { ip: null, agent: 'OpenAI/JS 7.57.0' } },
  { client: { ip: '127.0.0.1', agent: null } },
  { bytes: { in: 0, out: 0 }, end: 'client_gone', id: 'req_2', at: 1.5, trace: { ...sampleRecord().trace, trace_id: 'é' } },
  { admitted: false, attempts: [] },
];

it('writes each request as JSON, whatever it has cached from others', () => {
  const lines = new RequestLines();
  const emptyMembers = { notes: {}, metadata: {} };
  const records = differentRecords.flatMap((overrides) => [sampleRecord(emptyMembers), sampleRecord({ ...emptyMembers, ...overrides })]);
  const expected = records.map((record) =>
    JSON.stringify({ level: 'info', time: '2026-11-21T09:31:07.042Z', msg: 'request', ...requestFields(record) }),
  );
  const output = new JsonBytes(1024);
  const texts = records.map((record) => {
    output.begin();
    lines.write(output, record, 1_795_253_467_042);
    const { bytes, from: start, to: end } = output.end();
    return bytes.toString('utf8', start, end);
  });
  expect(texts).toEqual(expected.map((line) => `${line}\n`));
});

it('requestFields() returns the same names for rejected and other requests, plus "admitted"', () => {
  const { id, trace, at: startedAt, status, error, client, bytes } = sampleRecord();
  const rejected = Object.keys(requestFields({ ...emptyRecord, id, trace, at: startedAt, status, error, client, bytes }));
  expect(rejected).toContain('trace_id');
  expect(rejected.filter((name) => !(name in requestFields(sampleRecord())))).toEqual(['admitted']);
});
