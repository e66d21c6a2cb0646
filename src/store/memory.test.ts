import { expect, it } from 'vitest';
import { createMask } from '../core/secrets/mask.ts';
import { encodeAmendment, encodeRecord } from './encode.ts';
import { openMemory } from './memory.ts';
import { sampleRecord } from './fixtures/sample.ts';

const frame = (id: string, body: string) =>
  encodeRecord(sampleRecord({ id }), { response: [Buffer.from(body)] }, createMask(['the-secret']));

it('gives back what it holds, masked', () => {
  const store = openMemory({ maxTotal: 100_000 });
  store.append([frame('a', 'say the-secret'), encodeAmendment('a', { end: 'drained', total: 1, out: 2 })]);
  expect([...store.entries()]).toEqual([
    { kind: 'record', record: sampleRecord({ id: 'a' }), bodies: { response: Buffer.from('say **********') } },
    { kind: 'amendment', id: 'a', end: { end: 'drained', total: 1, out: 2 } },
  ]);
  store.close();
  expect([...store.entries()]).toEqual([]);
});

it('keeps the newest within its bound', () => {
  const store = openMemory({ maxTotal: 20_000 });
  for (let i = 0; i < 50; i += 1) store.append([frame(`r${i}`, 'x'.repeat(1000))]);
  const ids = [...store.entries()].map((entry) => (entry.kind === 'record' ? entry.record.id : ''));
  expect(ids.length).toBeGreaterThan(3);
  expect(ids.length).toBeLessThan(20);
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => `r${50 - ids.length + i}`));
  expect(store.stats).toMatchObject({ frames: 50, dropped: 0, evicted: 50 - ids.length });
});

it('survives a frame that is larger than its bound', () => {
  const store = openMemory({ maxTotal: 10_000 });
  store.append([frame('a', ''), frame('huge', 'x'.repeat(20_000)), frame('b', '')]);
  expect([...store.entries()]).toMatchObject([{ record: { id: 'b' } }]);
});
