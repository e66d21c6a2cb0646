import { expect, it } from 'vitest';
import type { AttemptRecord } from '../core/records/record.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { Attempts } from './attempts.ts';
import { mostRelevant } from './provider-order.ts';
import { healthOf } from './health.ts';

const now = 60_000_000;

it.each<[statuses: readonly number[], isUsable: boolean, state: string]>([
  [[], true, 'idle'],
  [[503], true, 'degraded'],
  [[503, 503], true, 'degraded'],
  [[503, 503, 503], true, 'down'],
  [[503, 503, 503, 200], true, 'degraded'],
  [[...Array.from({ length: 10 }, () => 200), 503], true, 'ok'],
  [[200], false, 'off'],
])('healthOf() for a provider that returned %j, usable: %s, is %s', (statuses, isUsable, state) => {
  const attempts = new Attempts();
  for (const status of statuses) {
    const attempt = { target: 'config', provider: 'p', at: 1, total_ms: 9, outcome: 'answered', status, reason: null } as AttemptRecord;
    attempts.add({ id: 'r', at: now, config: null, error: null, attempts: [attempt] });
  }
  const providers = new Map([['p', isUsable ? {} : { unusable: 'no key' }]]);
  expect(healthOf({ providers } as unknown as Snapshot, attempts, now)).toMatchObject([{ slug: 'p', state }]);
});

it('mostRelevant() keeps the order of a short list, and of a long one those with problems, then those in use', () => {
  const states = ['idle', 'off', 'ok', 'down', 'degraded', 'idle'] as const;
  const providers = healthOf({ providers: new Map(states.map((_, i) => [`p${i}`, {}])) } as unknown as Snapshot, new Attempts(), now).map(
    (one, i) => ({ ...one, state: states[i] ?? 'ok' }),
  );
  expect(mostRelevant(providers, 6)).toEqual(providers);
  expect(mostRelevant(providers, 4).map(({ state }) => state)).toEqual(['down', 'degraded', 'ok', 'idle']);
});
