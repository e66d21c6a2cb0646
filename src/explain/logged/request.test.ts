import { expect, it } from 'vitest';
import type { StoredRecord } from '../../core/logs/reader.ts';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { headerNames } from '../../transport/inbound/header-bag.ts';
import { replayRequest } from './request.ts';

const names = headerNames(['x-acme-']);

it.each([
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/v1/files?after=a&limit=2', '/v1/files?after=a&limit=2'],
  ['/v1/files?q=what?&limit=2', '/v1/files?q=what?&limit=2'],
  ['/v1/files?key=[secret]&limit=2', '/v1/files?limit=2'],
  ['/v1/files?[email]=1&a=to-[email]-x&limit=2', '/v1/files?limit=2'],
  ['/v1/chat/completions?metadata[team]=web&include[]=a', '/v1/chat/completions?metadata[team]=web&include[]=a'],
])('replayRequest sends the path %s as %s', (path, replayPath) => {
  const stored: StoredRecord = { record: sampleRecord({ path }), bodies: [], feedback: [] };
  expect(replayRequest(stored, { text: '{}' }, names).path).toBe(replayPath);
});

const withHeaders = (headers: Record<string, string>, change: Parameters<typeof sampleRecord>[0] = {}): StoredRecord => {
  const record = sampleRecord(change);
  return { record: { ...record, request: { ...record.request, headers } }, bodies: [], feedback: [] };
};

it.each([
  ['an idempotency key', { 'idempotency-key': 'one' }],
  ['a header that is truncated in the record', { baggage: `${'x'.repeat(1024)}…` }],
  ['another header that is truncated and ends like a routing header', { 'x-other-metadata': 'a…' }],
  ['the debug header', { 'x-acme-debug': 'false' }],
])('replayRequest does not send %s', (_, headers) => {
  expect(replayRequest(withHeaders({ ...headers, 'x-team': 'web' }), { text: '{}' }, names).headers).toEqual({ 'x-team': 'web' });
});

it('replayRequest sends headers of other programs that end like gateway headers', () => {
  const headers = { 'x-app-debug': '1', 'x-feature-config': 'a' };
  expect(replayRequest(withHeaders(headers), { text: '{}' }, names).headers).toEqual(headers);
});

it.each([
  ['whose config is truncated', { 'x-gateway-config': '{"targets":[…' }, {}, /header x-gateway-config is not stored completely/],
  ['whose metadata is truncated', { 'x-acme-metadata': '{"a":…' }, {}, /header x-acme-metadata is not stored completely/],
  [
    'whose config is not stored',
    { 'x-feature-config': 'web' },
    { config: 'inline', target: 'inline.targets[0]' },
    /config that it sent is not stored/,
  ],
  [
    'whose config is not stored',
    { 'x-team': 'web' },
    { config: 'inline', target: 'inline.targets[0]' },
    /config that it sent is not stored/,
  ],
])('replayRequest rejects a request %s', (_, headers, change, message) => {
  expect(() => replayRequest(withHeaders(headers, change), { text: '{}' }, names)).toThrow(message);
});
