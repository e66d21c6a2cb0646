import { expect, it } from 'vitest';
import { attemptSpanId, spanIdOf } from './span-ids.ts';

const id = 'req_01JD3K8ZQ4M6N7P8R9S0T1V2W3';

it('creates a distinct, reproducible span ID for each attempt', () => {
  const ids = new Set([spanIdOf(id), ...Array.from({ length: 1000 }, (_, n) => attemptSpanId(id, n))]);
  expect(ids.size).toBe(1001);
  expect([...ids].every((id) => /^(?!0{16})[0-9a-f]{16}$/.test(id))).toBe(true);
  expect(attemptSpanId(id, 3)).toBe(attemptSpanId(id, 3));
});

it('derives the span ID of the gateway from the random part of the request ID', () => {
  expect(spanIdOf('req_01JD3K8ZQ40000000000000000')).toBe('0000000000000001');
  expect(spanIdOf('req_01JD3K8ZQ4000000000000000Z')).toBe('000000000000001f');
  expect(spanIdOf('req_01JD3K8ZQ4ZZZZZZZZZZZZZZZZ')).toBe('f'.repeat(16));
});
