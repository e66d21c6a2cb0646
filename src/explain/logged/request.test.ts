import { expect, it } from 'vitest';
import type { StoredRecord } from '../../core/logs/reader.ts';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { requestAgain } from './request.ts';

it.each([
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/v1/files?after=a&limit=2', '/v1/files?after=a&limit=2'],
  ['/v1/files?q=what?&limit=2', '/v1/files?q=what?&limit=2'],
  ['/v1/files?key=[secret]&limit=2', '/v1/files?limit=2'],
])('the path %s is %s when it is made again', (path, again) => {
  const stored: StoredRecord = { record: sampleRecord({ path }), bodies: [], feedback: [] };
  expect(requestAgain(stored, { text: '{}' }, []).path).toBe(again);
});
