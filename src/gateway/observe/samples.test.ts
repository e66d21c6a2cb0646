import { expect, it } from 'vitest';
import type { StoreState } from '../../core/logs/reader.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { keySamples, LogSamples } from './samples.ts';

const noon = Date.parse('2026-11-27T12:00:00Z');
const day = 86_400_000;

function snapshotOf(expiries: Readonly<Record<string, number>>): Snapshot {
  const keys = Object.entries(expiries).map(
    ([name, expires]) => [name, { name, expires, retires: undefined, revoked: undefined }] as const,
  );
  return { apiKeys: new Map(keys) } as unknown as Snapshot;
}

it('keySamples() lists the keys that expire next first, regardless of how many have expired', () => {
  const ended = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`old-${n}`, noon - (n + 1) * day]));
  const samples = keySamples(snapshotOf({ ...ended, later: noon + 9 * day, soon: noon + day }), noon);
  expect(samples).toHaveLength(100);
  expect(samples.slice(0, 3).map(([, [name]]) => name)).toEqual(['soon', 'later', 'old-0']);
});

it.each([
  ['sqlite /state/log.sqlite', 2],
  ['not known yet', 0],
])('LogSamples has the size of the store %s: %i samples', async (storeKind, count) => {
  const state = { kind: storeKind, records: 0, bytes: 0, spool: {}, problems: [] } as unknown as StoreState;
  const samples = await new LogSamples().read({
    spool: { frames: 0, bytes: 0, dropped: 0, evicted: 0 },
    masking: { dropped: 0 },
    logs: () => ({ state: () => Promise.resolve(state) }),
  });
  expect(samples.filter(([name]) => /_records$|_store_bytes$/.test(name))).toHaveLength(count);
});

it('LogSamples never decreases the counter of lost records', async () => {
  const samples = new LogSamples();
  const spool = { frames: 0, bytes: 0, dropped: 0, evicted: 0 };
  const values: number[] = [];
  for (const dropped of [0, 10, 4, 12]) {
    const families = await samples.read({
      spool: { ...spool, dropped },
      masking: { dropped: 0 },
      logs: () => undefined,
    });
    values.push(families[0]?.[2] ?? Number.NaN);
  }
  expect(values).toEqual([0, 10, 10, 12]);
});
