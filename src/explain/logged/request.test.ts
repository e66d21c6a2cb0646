import { expect, it } from 'vitest';
import type { StoredRecord } from '../../core/logs/reader.ts';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { requestAgain } from './request.ts';

it.each([
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/v1/files?after=a&limit=2', '/v1/files?after=a&limit=2'],
  ['/v1/files?q=what?&limit=2', '/v1/files?q=what?&limit=2'],
  ['/v1/files?key=[secret]&limit=2', '/v1/files?limit=2'],
  ['/v1/files?[email]=1&a=to-[email]-x&limit=2', '/v1/files?limit=2'],
  ['/v1/chat/completions?metadata[team]=web&include[]=a', '/v1/chat/completions?metadata[team]=web&include[]=a'],
])('the path %s is %s when it is made again', (path, again) => {
  const stored: StoredRecord = { record: sampleRecord({ path }), bodies: [], feedback: [] };
  expect(requestAgain(stored, { text: '{}' }, []).path).toBe(again);
});

it('a key that makes one request of two is not sent again', () => {
  const record = sampleRecord({});
  const request = { ...record.request, headers: { 'idempotency-key': 'one', 'x-team': 'web' } };
  const stored: StoredRecord = { record: { ...record, request }, bodies: [], feedback: [] };
  expect(requestAgain(stored, { text: '{}' }, []).headers).toEqual({ 'x-team': 'web' });
});
