import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  makeAttempt,
  makeBinding,
  makeContext,
  makeHost,
  makeKey,
  makeLeaf,
  makeSnapshot,
  noon,
  refusal,
  setUp,
} from '../../test/support/stage-context.ts';
import { parseDecimal } from '#core/cost/decimal.ts';
import { Rates } from '#core/limits/rates.ts';
import { compileLimits, type WrittenLimits } from '#core/limits/caller-limits.ts';
import type { PluginHost, PluginInstance } from '#core/plugin.ts';
import type { Draft } from '#core/records/record.ts';
import limits from './index.ts';

const minute = 60_000;

const clock = { now: noon };
const hostWith = (parts: Partial<PluginHost> = {}): PluginHost => makeHost({ now: () => clock.now, ...parts });

/** Worker processes that share what their callers use: each message reaches the others as soon as it is sent. */
function createWorkers(count: number): readonly PluginHost[] {
  type Receive = (message: unknown) => void;
  const receivers: Receive[] = [];
  return Array.from({ length: count }, (_, own) =>
    makeHost({
      shared: (_key, create, receive) => {
        const state = create((message) => receivers.forEach((each, at) => at !== own && each(message)));
        receivers[own] = (message) => receive?.(state, message);
        return state;
      },
    }),
  );
}

interface Sent {
  readonly at?: number;
  readonly endpoint?: 'chat/completions' | 'batches/{id}' | 'batches/{id}/cancel' | 'files/{id}/delete' | 'realtime' | 'feedback' | 'relay';
  readonly method?: string;
  readonly mode?: 'live' | 'dry';
  readonly key?: string;
}

/** A request that arrives now. */
function contextOf(written: WrittenLimits | undefined, { key: name = 'app', ...sent }: Sent) {
  clock.now = sent.at ?? noon;
  return makeContext({ caller: { name, key: makeKey(name, { limits: compileLimits(written) }) }, overrides: sent });
}

const draft = (usd: string | null, tokens = 0): Draft =>
  ({ record: { usage: { prompt: tokens, completion: 0 }, cost: { usd } } }) as unknown as Draft;

/** Admits a request, and settles it with its cost and tokens. */
async function send(
  plugin: PluginInstance,
  written: WrittenLimits | undefined,
  sent: Sent = {},
  result: Draft = draft('0'),
): Promise<void> {
  const ctx = contextOf(written, sent);
  await plugin.admit?.(ctx);
  plugin.settle?.(ctx, result);
}

const isNeeded = (written: WrittenLimits | undefined): boolean | undefined =>
  limits.neededFor?.(makeSnapshot({ keys: { 'a-secret': makeKey('app', { limits: compileLimits(written) }) } }));

it.each([
  [undefined, false],
  [{ concurrency: 1 }, false],
  [{ rate: '1/s' }, true],
  [{ tokens: '1/s' }, true],
  [{ budget: '1USD/day' }, true],
])('is part of the chain if a key has limits: %j', (written, expected) => {
  expect(isNeeded(written)).toBe(expected);
});

/** The plugin in a process that counts alone. */
function setUpWithRates(): Promise<PluginInstance> {
  const rates = new Rates(() => clock.now);
  return setUp(limits, {}, hostWith({ countRequest: (caller, limit) => rates.take(caller, limit) }));
}

describe('rate', () => {
  const two = { rate: '2/min' };

  it('rejects requests above it, says when the next is accepted, and accepts that one', async () => {
    const plugin = await setUpWithRates();
    await send(plugin, two);
    await send(plugin, two, { at: noon + 1000 });
    const error = await refusal(() => plugin.admit?.(contextOf(two, { at: noon + 2000 })));
    expect(error).toMatchObject({ code: 'rate_limited', status: 429, waitS: 58 });
    expect(error.message).toBe('Key "app" has reached its limit of 2 requests per minute.');
    expect(error.hint).toBe('Send the request again in 58 s. An operator can raise limits.rate.');
    await send(plugin, two, { at: noon + 2000 + 58_000 });
  });

  it('does not count rejected requests, and counts each caller alone', async () => {
    const plugin = await setUpWithRates();
    for (let i = 0; i < 2; i += 1) await send(plugin, two);
    for (let i = 0; i < 9; i += 1) await refusal(() => plugin.admit?.(contextOf(two, {})));
    await send(plugin, two, { key: 'other' });
    await send(plugin, two, { at: noon + 60_000 });
  });

  it('neither counts nor rejects a dry run, nor callers without limits', async () => {
    const plugin = await setUpWithRates();
    for (let i = 0; i < 3; i += 1) await send(plugin, two, { mode: 'dry' });
    for (let i = 0; i < 3; i += 1) await send(plugin, undefined);
    await send(plugin, two);
  });

  it('waits for another process that counts', async () => {
    const waits = [0, 1500];
    const plugin = await setUp(limits, {}, makeHost({ countRequest: () => Promise.resolve(waits.shift() ?? 0) }));
    await send(plugin, two);
    expect(await refusal(() => plugin.admit?.(contextOf(two, {})))).toMatchObject({ code: 'rate_limited', waitS: 2 });
  });

  it('rejects a request of any kind', async () => {
    const plugin = await setUpWithRates();
    for (let i = 0; i < 2; i += 1) await send(plugin, two);
    expect((await refusal(() => plugin.admit?.(contextOf(two, { endpoint: 'batches/{id}', method: 'GET' })))).code).toBe('rate_limited');
  });
});

describe('tokens', () => {
  const hundred = { tokens: '100/min' };

  it('rejects requests once they are used up', async () => {
    const plugin = await setUp(limits, {}, hostWith());
    await send(plugin, hundred, {}, draft('0', 99));
    await send(plugin, hundred, {}, draft('0', 51));
    const error = await refusal(() => plugin.admit?.(contextOf(hundred, {})));
    expect(error).toMatchObject({ code: 'rate_limited', waitS: 60 });
    expect(error.message).toBe('Key "app" has reached its limit of 100 tokens per minute.');
    await send(plugin, hundred, { at: noon + 60_000 });
  });
});

describe('budget', () => {
  const dollar = { budget: '1USD/month' };
  const december = Date.parse('2026-12-01T00:00:00Z');

  it('rejects requests once it is spent, and accepts them in the next period', async () => {
    const plugin = await setUp(limits);
    await send(plugin, dollar, {}, draft('0.999999999999'));
    await send(plugin, dollar, {}, draft('0.000000000001'));
    const error = await refusal(() => plugin.admit?.(contextOf(dollar, {})));
    expect(error).toMatchObject({ code: 'budget_exhausted', status: 412 });
    expect(error.message).toBe('Key "app" has spent 1 USD of its budget of 1 USD per month.');
    expect(error.hint).toBe('The next month begins on 2026-12-01 at 00:00 UTC. An operator can raise limits.budget.');
    await refusal(() => plugin.admit?.(contextOf(dollar, { at: december - 1 })));
    await send(plugin, dollar, { at: december });
  });

  it('is not renewed by a system time that is wrong for a while, nor by a request that takes days', async () => {
    const plugin = await setUp(limits);
    const day = { budget: '1USD/day' };
    const dayMs = 24 * 60 * minute;
    const long = contextOf(day, { at: noon - 3 * dayMs });
    await plugin.admit?.(long);
    await send(plugin, day, { at: noon - dayMs }, draft('1'));
    await send(plugin, day, {}, draft('1'));
    await send(plugin, day, { at: noon + 999 * dayMs }, draft('0.5'));
    await refusal(() => plugin.admit?.(contextOf(day, {})));
    await send(plugin, day, { at: noon + dayMs }, draft('1'));
    plugin.settle?.(long, draft('1'));
    await refusal(() => plugin.admit?.(contextOf(day, { at: noon + dayMs })));
  });

  it.each([null, '0'])('a cost of %s counts nothing', async (usd) => {
    const plugin = await setUp(limits);
    for (let i = 0; i < 3; i += 1) await send(plugin, { budget: '0.000001USD/day' }, {}, draft(usd));
  });

  it('includes what the request log has, but counts nothing twice', async () => {
    let recorded = parseDecimal('0.6');
    const plugin = await setUp(limits, {}, makeHost({ spent: (name) => (name === 'app' ? (recorded ?? 0n) : 0n) }));
    await send(plugin, dollar, {}, draft('0.3'));
    // The log now has that request, too.
    recorded = parseDecimal('0.9');
    await send(plugin, dollar, {}, draft('0.05'));
    // Another gateway has spent 0.1.
    recorded = parseDecimal('1.05');
    expect((await refusal(() => plugin.admit?.(contextOf(dollar, {})))).message).toContain('has spent 1.05 USD');
    await send(plugin, dollar, { key: 'other' });
  });

  it('asks for the period of the budget', async () => {
    const days: number[] = [];
    const host = makeHost({ spent: (_name, sinceDay) => (days.push(sinceDay), 0n) });
    const plugin = await setUp(limits, {}, host);
    for (const period of ['day', 'week', 'month']) await send(plugin, { budget: `1USD/${period}` });
    expect(days.map((day) => new Date(day * 24 * 60 * minute).toISOString().slice(0, 10))).toEqual([
      '2026-11-21',
      '2026-11-16',
      '2026-11-01',
    ]);
  });

  it.each<Sent>([
    { endpoint: 'batches/{id}', method: 'GET' },
    { endpoint: 'batches/{id}/cancel' },
    { endpoint: 'files/{id}/delete', method: 'DELETE' },
    { endpoint: 'feedback' },
    { endpoint: 'relay', method: 'GET' },
  ])('without one, a request that is never billed is accepted: %j', async (sent) => {
    const plugin = await setUp(limits);
    await send(plugin, { budget: '0USD/day' }, sent);
  });

  it.each<Sent>([{}, { endpoint: 'realtime', method: 'GET' }, { endpoint: 'relay', method: 'PATCH' }])(
    'without one, any other is rejected: %j',
    async (sent) => {
      const plugin = await setUp(limits);
      expect((await refusal(() => plugin.admit?.(contextOf({ budget: '0USD/day' }, sent)))).code).toBe('budget_exhausted');
    },
  );
});

describe('after a reload that changes the period of a limit', () => {
  it.each<[string, WrittenLimits, WrittenLimits, Draft]>([
    ['tokens', { tokens: '20/day' }, { tokens: '1M/min' }, draft('0', 10)],
    ['budget', { budget: '2USD/month' }, { budget: '9USD/day' }, draft('1')],
  ])('requests that began before it take nothing from the counts of %s', async (_, written, earlier, result) => {
    const plugin = await setUp(limits);
    const old = contextOf(earlier, {});
    await plugin.admit?.(old);
    for (let i = 0; i < 2; i += 1) await send(plugin, written, {}, result);
    plugin.settle?.(old, result);
    await refusal(() => plugin.admit?.(contextOf(written, {})));
  });
});

describe('of a virtual key', () => {
  const snapshotOf = (written: WrittenLimits) =>
    makeSnapshot({ virtualKeys: { team: makeBinding('main', { virtualKey: 'team', limits: compileLimits(written) }) } });

  /** Sends a request through the virtual key. Throws if it may not be used. */
  async function sendThrough(plugin: PluginInstance, written: WrittenLimits, sent: Sent = {}, usd = '0', tokens = 0): Promise<void> {
    const snapshot = snapshotOf(written);
    const ctx = makeContext({ snapshot, overrides: sent });
    const binding = snapshot.providers.get('team');
    if (binding === undefined) throw new Error('no virtual key');
    await plugin.prepare?.(ctx, makeAttempt(makeLeaf({ provider: binding }), { binding }));
    const result = draft(usd, tokens);
    plugin.settle?.(ctx, { ...result, record: { ...result.record, virtual_key: 'team' } });
  }

  const skipped = (plugin: PluginInstance, written: WrittenLimits, sent: Sent = {}) => {
    const snapshot = snapshotOf(written);
    return plugin.skip?.(makeContext({ snapshot, overrides: sent }), makeLeaf({ provider: snapshot.providers.get('team') }));
  };

  it('applies to all that use it, without telling them what others have spent', async () => {
    const plugin = await setUp(limits);
    const dollar = { budget: '1USD/month' };
    expect(skipped(plugin, dollar)).toBeUndefined();
    await sendThrough(plugin, dollar, {}, '1.5');
    const error = await refusal(() => sendThrough(plugin, dollar));
    expect([error.code, error.message]).toEqual(['budget_exhausted', 'Virtual key "team" has spent its budget of this month.']);
    expect(skipped(plugin, dollar)).toEqual({ because: 'budget_exhausted', unlessAll: true, wouldFail: true });
    expect([skipped(plugin, dollar, { mode: 'dry' }), skipped(plugin, dollar, { method: 'GET' })]).toEqual([undefined, undefined]);
  });

  it('counts its tokens and requests', async () => {
    const plugin = await setUpWithRates();
    await sendThrough(plugin, { tokens: '5/min' }, {}, '0', 5);
    expect((await refusal(() => sendThrough(plugin, { tokens: '5/min' }))).message).toBe(
      'Virtual key "team" has reached its limit of 5 tokens per minute.',
    );
    await sendThrough(plugin, { rate: '1/min' });
    expect((await refusal(() => sendThrough(plugin, { rate: '1/min' }))).message).toBe(
      'Virtual key "team" has reached its limit of 1 request per minute.',
    );
  });

  it.each<WrittenLimits>([{ rate: '2/s' }, { tokens: '2/s' }])(
    'is not renewed by requests that arrived long before: %j',
    async (written) => {
      const plugin = await setUpWithRates();
      clock.now = noon;
      for (let i = 0; i < 2; i += 1) await sendThrough(plugin, written, {}, '0', 1);
      for (const at of [noon, noon - 9000, noon, noon + 999])
        expect((await refusal(() => sendThrough(plugin, written, { at }))).code).toBe('rate_limited');
    },
  );

  it('is not that of a key with the same name, and reads what the request log has of it', async () => {
    const asked: string[] = [];
    const plugin = await setUp(limits, {}, makeHost({ spent: (name) => (asked.push(name), 0n) }));
    await sendThrough(plugin, { budget: '1USD/month' }, {}, '1.5');
    await send(plugin, { budget: '1USD/month' }, { key: 'team' });
    expect(asked).toEqual(['virtual_key:team', 'team']);
  });
});

describe('with several workers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const informAll = (): void => void vi.advanceTimersByTime(5);

  it.each<[string, WrittenLimits, Draft]>([
    ['tokens', { tokens: '60/min' }, draft('0', 10)],
    ['budget', { budget: '6USD/day' }, draft('1')],
  ])('%s is one limit of all', async (_, written, result) => {
    const workers = await Promise.all(createWorkers(3).map(async (host) => await setUp(limits, {}, host)));
    for (let i = 0; i < 6; i += 1) {
      await send(workers[i % 3] as PluginInstance, written, {}, result);
      informAll();
    }
    for (const worker of workers) await refusal(() => worker.admit?.(contextOf(written, {})));
  });

  it('a high limit is informed about in steps of one hundredth', async () => {
    let messages = 0;
    const host = makeHost({ shared: (_key, create) => create(() => (messages += 1)) });
    const plugin = await setUp(limits, {}, host);
    for (let i = 0; i < 1000; i += 1) {
      await send(plugin, { tokens: '10k/min' }, {}, draft('0', 1));
      informAll();
    }
    expect(messages).toBe(10);
  });

  it('what is used within some milliseconds, by any callers, is one message', async () => {
    const messages: unknown[] = [];
    const host = makeHost({ shared: (_key, create) => create((message) => messages.push(message)) });
    const plugin = await setUp(limits, {}, host);
    const all = { tokens: '60k/min', budget: '1USD/day' };
    for (const key of ['one', 'two']) await send(plugin, all, { key }, draft('0.5', 1000));
    informAll();
    informAll();
    expect(messages).toEqual([expect.objectContaining({ length: 4 })]);
  });

  it('a day begins for all without the last hundredth of the day before', async () => {
    const [first, second] = await Promise.all(createWorkers(2).map(async (host) => await setUp(limits, {}, host)));
    const written = { budget: '100USD/day' };
    const tomorrow = noon + 24 * 60 * minute;
    await send(first as PluginInstance, written, {}, draft('0.9'));
    await send(first as PluginInstance, written, { at: tomorrow }, draft('1'));
    informAll();
    await send(second as PluginInstance, written, { at: tomorrow }, draft('99'));
    expect((await refusal(() => second?.admit?.(contextOf(written, { at: tomorrow })))).message).toContain('has spent 100 USD');
  });

  it('a day is counted by all while requests of the day before still end', async () => {
    const [first, second] = await Promise.all(createWorkers(2).map(async (host) => await setUp(limits, {}, host)));
    const written = { budget: '100USD/day' };
    const tomorrow = noon + 24 * 60 * minute;
    for (let i = 0; i < 100; i += 1) {
      await send(first as PluginInstance, written, { at: tomorrow }, draft('0.9'));
      await send(first as PluginInstance, written, {}, draft('0.1'));
    }
    informAll();
    await send(second as PluginInstance, written, { at: tomorrow }, draft('11'));
    await refusal(() => second?.admit?.(contextOf(written, { at: tomorrow })));
    await send(second as PluginInstance, written);
  });

  it('a worker that is started later takes over all that is known, once', async () => {
    const state: { known: () => Iterable<unknown>; receive: (message: unknown) => void }[] = [];
    const host = (): PluginHost =>
      makeHost({
        shared: (_key, create, receive, catchUp) => {
          const made = create(() => {});
          state.push({ known: () => catchUp?.(made) ?? [], receive: (message) => receive?.(made, message) });
          return made;
        },
      });
    const all = { tokens: '30/min', budget: '3USD/day' };
    const first = await setUp(limits, {}, host());
    const later = await setUp(limits, {}, host());
    for (let i = 0; i < 2; i += 1) await send(first, all, {}, draft('1', 10));
    for (let i = 0; i < 2; i += 1) for (const message of state[0]?.known() ?? []) state[1]?.receive(message);
    await send(later, all, {}, draft('1', 10));
    for (const written of [{ tokens: '30/min' }, { budget: '3USD/day' }]) await refusal(() => later.admit?.(contextOf(written, {})));
  });
});
