import { expect, it } from 'vitest';
import { prepare } from '../../../test/support/prepare.ts';
import { makeBinding, makeHost } from '../../../test/support/stage-context.ts';
import { ReportedIds } from './reported-ids.ts';

/** One of several worker processes. */
function worker() {
  const told: unknown[] = [];
  const kept = new Map<string, { readonly state: unknown; hear(message: unknown): void }>();
  const shared = <T>(key: string, create: (tell: (message: unknown) => void) => T, hear?: (state: T, message: unknown) => void): T => {
    const state = (kept.get(key)?.state as T | undefined) ?? create((message) => told.push(message));
    kept.set(key, { state, hear: (message) => hear?.(state, message) });
    return state;
  };
  const host = makeHost({ shared });
  return {
    told,
    hear: (message: unknown) => kept.get('reported')?.hear(message),
    isFirst: async (slug: string, id: string) => {
      const { attempt } = await prepare({ host, binding: makeBinding(slug) });
      return attempt.call?.isFirstReport?.(id);
    },
  };
}

it('stores reported ids per provider and shares them with other processes', async () => {
  const [here, there] = [worker(), worker()];
  const asked = [];
  for (const slug of ['one', 'one', 'two']) asked.push(await here.isFirst(slug, 'resp_1'));
  expect(asked).toEqual([true, false, true]);
  expect(here.told).toHaveLength(2);

  await there.isFirst('one', 'resp_2');
  for (const message of here.told) there.hear(message);
  expect(await there.isFirst('two', 'resp_1')).toBe(false);
  expect(await there.isFirst('two', 'resp_3')).toBe(true);
});

it('forgets the oldest of many reported ids', () => {
  const reported = new ReportedIds();
  for (let n = 0; n <= 10_000; n += 1) expect(reported.add(`resp_${n}`)).toBe(true);
  expect(reported.add('resp_10000')).toBe(false);
  expect(reported.add('resp_1')).toBe(false);
  expect(reported.add('resp_0')).toBe(true);
});
