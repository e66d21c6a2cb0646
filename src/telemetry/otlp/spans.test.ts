import { expect, it } from 'vitest';
import type { AttemptRecord, LogRecord } from '../../core/records/record.ts';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { requestAttributes, type Span, spansOf } from './spans.ts';

it.each([
  ['/v1/models', '/v1/models', undefined],
  ['/v1/models?', '/v1/models', ''],
  ['/v1/files?after=a?b&limit=2?', '/v1/files', 'after=a?b&limit=2?'],
])('splits the path %s into %j and the query %j', (target, path, query) => {
  expect(requestAttributes(sampleRecord({ path: target }))).toMatchObject({ 'url.scheme': 'http', 'url.path': path, 'url.query': query });
});

it.each<[string, Partial<LogRecord>, Partial<AttemptRecord>, string | undefined, Span['status']]>([
  ['succeeds', {}, {}, undefined, {}],
  ['is rejected', {}, { status: 429, reason: 'busy' }, '429', { code: 2, message: 'busy' }],
  ['times out', {}, { status: null, outcome: 'timeout', reason: 'late' }, 'timeout', { code: 2, message: 'late' }],
  [
    'breaks off',
    { end: 'fault', error: { code: 'stream_interrupted', source: 'provider', message: 'closed' } },
    {},
    'stream_interrupted',
    { code: 2, message: 'closed' },
  ],
  ['the gateway ends', { end: 'fault', error: { code: 'internal', source: 'gateway', message: 'no' } }, {}, undefined, {}],
])('sets error.type and status of the span of an attempt that %s', (_, part, attemptStatus, type, status) => {
  const [first] = sampleRecord().attempts;
  const record = sampleRecord({ ...part, attempts: [{ ...(first as AttemptRecord), ...attemptStatus }] });
  const settings = { version: '', instance: '', resource: {}, providerNames: {} };
  const [, span] = spansOf({ record, request: undefined, response: undefined }, settings);
  expect(span?.attributes.find(({ key }) => key === 'error.type')?.value).toEqual(type === undefined ? undefined : { stringValue: type });
  expect(span?.status).toEqual(status);
});
