import { expect, it } from 'vitest';
import { prepare } from '../../../test/support/prepare.ts';
import { makeBinding, makeHost } from '../../../test/support/stage-context.ts';
import { ReportedIds } from './reported-ids.ts';

/** One of several worker processes. */
function worker() {
  const sent: unknown[] = [];
  const handlers = new Map<string, { readonly state: unknown; receive(message: unknown): void }>();
  const shared = <T>(
    key: string,
    create: (publish: (message: unknown) => void) => T,
    receive?: (state: T, message: unknown) => void,
  ): T => {
    const state = (handlers.get(key)?.state as T | undefined) ?? create((message) => sent.push(message));
    handlers.set(key, { state, receive: (message) => receive?.(state, message) });
    return state;
  };
  const host = makeHost({ shared });
  return {
    sent,
    receive: (message: unknown) => handlers.get('reported')?.receive(message),
    isFirst: async (slug: string, id: string) => {
      const { attempt } = await prepare({ host, binding: makeBinding(slug) });
      return attempt.call?.isFirstReport?.(id);
    },
  };
}

it('stores reported ids per provider and shares them with other processes', async () => {
  const [firstWorker, secondWorker] = [worker(), worker()];
  const results = [];
  for (const slug of ['one', 'one', 'two']) results.push(await firstWorker.isFirst(slug, 'resp_1'));
  expect(results).toEqual([true, false, true]);
  expect(firstWorker.sent).toHaveLength(2);

  await secondWorker.isFirst('one', 'resp_2');
  for (const message of firstWorker.sent) secondWorker.receive(message);
  expect(await secondWorker.isFirst('two', 'resp_1')).toBe(false);
  expect(await secondWorker.isFirst('two', 'resp_3')).toBe(true);
});

it('forgets the oldest of many reported ids', () => {
  const reported = new ReportedIds();
  for (let n = 0; n <= 10_000; n += 1) expect(reported.add(`resp_${n}`)).toBe(true);
  expect(reported.add('resp_10000')).toBe(false);
  expect(reported.add('resp_1')).toBe(false);
  expect(reported.add('resp_0')).toBe(true);
});
