import { expect, it } from 'vitest';
import { cacheText, statusText } from './texts.ts';

it.each<[string, (status: number) => boolean]>([
  ['429, 500-599', (status) => status === 429 || status >= 500],
  ['any status but 200-299', (status) => status < 200 || status > 299],
  ['no status', () => false],
])('describes statuses as %s', (text, hits) => expect(statusText(hits)).toBe(text));

it('describes a cache', () => expect(cacheText({ maxAgeMs: 60_000 })).toBe('a stored response of the same request is used for 60s'));
