import { expect, it } from 'vitest';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { requestAttributes } from './spans.ts';

it.each([
  ['/v1/models', '/v1/models', undefined],
  ['/v1/models?', '/v1/models', ''],
  ['/v1/files?after=a?b&limit=2?', '/v1/files', 'after=a?b&limit=2?'],
])('%s is the path %j with the query %j', (written, path, query) => {
  expect(requestAttributes(sampleRecord({ path: written }))).toMatchObject({ 'url.path': path, 'url.query': query });
});
