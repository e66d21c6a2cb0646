import { describe, expect, it } from 'vitest';
import { makeKey, makeSnapshot, noon } from '../../../test/support/stage-context.ts';
import { compileLimits } from '../../core/limits/caller-limits.ts';
import { RecordedSpending, type SpendingTotals } from '../../core/limits/recorded-spending.ts';
import type { JwtRules, Snapshot } from '../../core/snapshot.ts';
import { SpendingReader } from './spending-reader.ts';

type Log = Record<string, { cost_usd: string; unpriced: number }>;

const unixDay = (date: string): number => Date.parse(date) / 86_400_000;
const month = unixDay('2026-11-01');

const snapshotWith = (budgets: Readonly<Record<string, string | undefined>>, jwt?: Partial<JwtRules>): Snapshot =>
  makeSnapshot({
    keys: Object.fromEntries(
      Object.entries(budgets).map(([name, budget]) => [
        name,
        makeKey(name, { limits: compileLimits(budget === undefined ? {} : { budget }) }),
      ]),
    ),
    overrides: { jwt: jwt as JwtRules | undefined },
  });

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A reader whose timers run on demand. */
function createReader(first: Snapshot, read: (day: number, keys?: readonly string[]) => Promise<Log>) {
  const spending = new RecordedSpending();
  const faults: unknown[] = [];
  const timers = new Set<() => void>();
  const days: number[] = [];
  const parts = { snapshot: first, now: noon, hasLog: true };
  const reader = new SpendingReader({
    snapshot: () => parts.snapshot,
    logs: () => (parts.hasLog ? { spent: (day, keys) => (days.push(day), read(day, keys)) } : undefined),
    onRead: (totals: SpendingTotals) => spending.use(totals),
    onFault: (error) => faults.push(error),
    schedule: (_ms, run) => {
      timers.add(run);
      return () => timers.delete(run);
    },
    now: () => parts.now,
  });
  const tick = async (): Promise<void> => {
    const due = Array.from(timers);
    timers.clear();
    for (const run of due) run();
    await settled();
  };
  const configured = async (): Promise<void> => {
    reader.configured();
    await settled();
  };
  return { reader, spending, faults, timers, days, parts, tick, configured };
}

const of = (cost: string): Log[string] => ({ cost_usd: cost, unpriced: 0 });

it('reads each period of a budget, for the keys that have one', async () => {
  const keys = new Set<unknown>();
  const made = createReader(
    snapshotWith({ app: '1USD/month', other: '1USD/day', last: '2USD/day', none: undefined }),
    async (day, names) => {
      keys.add(names?.join());
      return day === month ? { app: of('1.5') } : { app: of('0.1'), other: of('0.2') };
    },
  );
  await made.configured();
  expect(new Set(made.days)).toEqual(new Set([month, unixDay('2026-11-21')]));
  expect(keys).toEqual(new Set(['app,other,last']));
  expect(made.spending.spent('app', month)).toBe(1_500_000_000_000n);
  expect(made.spending.spent('other', unixDay('2026-11-21'))).toBe(200_000_000_000n);
  expect([made.spending.spent('other', month), made.spending.spent('app', 1)]).toEqual([0n, 0n]);
});

it.each<[string, Partial<JwtRules>]>([
  ['all tokens', { keyClaim: undefined, rules: makeKey('jwt', { limits: compileLimits({ budget: '1USD/month' }) }) }],
  ['tokens that name a key', { keyClaim: 'gateway_key', rules: makeKey('jwt') }],
])('reads the callers of %s, and the keys besides them', async (_, jwt) => {
  const made = createReader(snapshotWith({ app: '1USD/month' }, jwt), async (_day, keys) =>
    keys === undefined ? { 'jwt:a': of('3') } : { app: of('0.5') },
  );
  await made.configured();
  expect([made.spending.spent('jwt:a', month), made.spending.spent('app', month)]).toEqual([3_000_000_000_000n, 500_000_000_000n]);
});

it('reads again and again, in the period of the time', async () => {
  let cost = '1';
  const made = createReader(snapshotWith({ app: '1USD/month' }), async () => ({ app: of(cost) }));
  await made.configured();
  cost = '2';
  await made.tick();
  expect(made.spending.spent('app', month)).toBe(2_000_000_000_000n);
  made.parts.now = Date.parse('2026-12-01T00:00:01Z');
  await made.tick();
  expect(made.days).toEqual([month, month, unixDay('2026-12-01')]);
  expect(made.timers.size).toBe(1);
});

describe('does not read', () => {
  it('without budgets, until a reload adds one, and no more when the last is removed', async () => {
    const made = createReader(snapshotWith({ app: undefined }), async () => ({}));
    await made.configured();
    expect([made.days, made.timers.size]).toEqual([[], 0]);
    made.parts.snapshot = snapshotWith({ app: '1USD/month' });
    await made.configured();
    expect([made.days.length, made.timers.size]).toEqual([1, 1]);
    made.parts.snapshot = snapshotWith({});
    await made.tick();
    expect([made.days.length, made.timers.size]).toEqual([1, 0]);
  });

  it('after it was closed, also if a reading ends later', async () => {
    const late = Promise.withResolvers<Log>();
    const made = createReader(snapshotWith({ app: '1USD/month' }), () => late.promise);
    await made.configured();
    made.reader.close();
    late.resolve({ app: of('1') });
    await made.configured();
    expect([made.days.length, made.timers.size]).toEqual([1, 0]);
  });

  it('after it was closed, and reports no reading that ends with the log', async () => {
    const late = Promise.withResolvers<Log>();
    const made = createReader(snapshotWith({ app: '1USD/month' }), () => late.promise);
    await made.configured();
    made.reader.close();
    late.reject(new Error('the log was closed'));
    await made.configured();
    expect([made.faults, made.timers.size]).toEqual([[], 0]);
  });

  it('without a request log', async () => {
    const made = createReader(snapshotWith({ app: '1USD/month' }), async () => ({}));
    made.parts.hasLog = false;
    await made.configured();
    expect([made.days, made.faults]).toEqual([[], []]);
  });
});

it('reads once more after a reading in which a reload was applied', async () => {
  const late = Promise.withResolvers<Log>();
  const made = createReader(snapshotWith({ app: '1USD/month' }), () => late.promise);
  await made.configured();
  made.parts.snapshot = snapshotWith({ app: '1USD/day' });
  await made.configured();
  await made.configured();
  expect(made.days).toEqual([month]);
  late.resolve({ app: of('1') });
  await made.configured();
  expect(made.days.slice(0, 2)).toEqual([month, unixDay('2026-11-21')]);
  expect(made.timers.size).toBe(1);
});

it('keeps the last reading while the log fails, and reports the first failure of each outage', async () => {
  let error: Error | undefined;
  const made = createReader(snapshotWith({ app: '1USD/month' }), async () => {
    if (error !== undefined) throw error;
    return { app: of('1') };
  });
  await made.configured();
  error = new Error('away');
  await made.tick();
  await made.tick();
  expect([made.faults, made.spending.spent('app', month)]).toEqual([[error], 1_000_000_000_000n]);
  error = undefined;
  await made.tick();
  error = new Error('away again');
  await made.tick();
  expect(made.faults).toHaveLength(2);
});
