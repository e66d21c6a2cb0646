import { expect, it, vi } from 'vitest';
import type { GatewayKeyEntry } from '../../config/schema/index.ts';
import type { LogReader } from '../../core/logs/reader.ts';
import { readFilter } from '../../query/read-filter.ts';
import type { UsedLimits } from '../../core/limits/used-limits.ts';
import { noFigures } from '../health.ts';
import { keyLimits, limitedKeys, readLimitUse, type RequestsUsed, unknownUse } from './limit-use.ts';

const now = Date.parse('2026-11-25T12:00:30.500Z');
const minute = 60_000;

/** A request log in which each key has 12 requests with 30 and 4 tokens and has spent 3.10 dollars, and what was asked of it. */
function createLogs() {
  const asked: string[] = [];
  const logs: Pick<LogReader, 'stats' | 'spent'> = {
    stats: async ({ query }) => {
      const { since, until } = readFilter(query, now);
      const names = /key:(\S+)/.exec(query)?.[1]?.split(',') ?? [];
      asked.push(`${(until ?? 0) - (since ?? 0)} ms ${names.join(',')}`);
      const groups = names.map((name) => ({ ...noFigures, name: name.replaceAll('"', ''), requests: 12, tokens_in: 30, tokens_out: 4 }));
      return { since: 0, until: 0, uncounted_since: null, total: noFigures, series: [], rest: null, groups };
    },
    spent: async (since, keys = []) => {
      asked.push(`${new Date(since * 86_400_000).toISOString().slice(0, 10)} ${keys.join(',')}`);
      return Object.fromEntries(keys.filter((name) => name !== 'saver').map((name) => [name, { cost_usd: '3.1', unpriced: 0 }]));
    },
  };
  return { logs, asked };
}

const keys = (limits: Readonly<Record<string, GatewayKeyEntry['limits']>>) =>
  limitedKeys(Object.entries(limits).map(([name, written]) => [name, { hash: '', ...(written === undefined ? {} : { limits: written }) }]));

it.each<[string, NonNullable<GatewayKeyEntry['limits']>, Partial<UsedLimits>]>([
  ['requests', { rate: '60/min' }, { rate: { max: 60, unit: 'minute', used: 12 } }],
  ['tokens of both directions', { tokens: '200k/day' }, { tokens: { max: 200_000, unit: 'day', used: 34 } }],
  ['requests per second', { rate: '5/s' }, { rate: { max: 5, unit: 'second', used: 12 } }],
  ['nothing of tokens per second', { tokens: '5k/s' }, { tokens: { max: 5000, unit: 'second', used: null } }],
  [
    'what was spent in a week',
    { budget: '50USD/week' },
    { budget: { usd: '50', period: 'week', spent_usd: '3.1', renews: Date.UTC(2026, 10, 30) } },
  ],
  ['no requests in flight', { concurrency: 20 }, { concurrency: 20 }],
])('shows %s', async (_, limits, view) => {
  const [key] = keys({ app: limits });
  if (key === undefined) throw new Error('it has limits');
  const shown = { rate: null, tokens: null, budget: null, concurrency: null, ...view };
  const requestsUsed = vi.fn<RequestsUsed>(() => 12);
  expect(keyLimits(key, await readLimitUse(createLogs().logs, [key], now), requestsUsed, now)).toEqual(shown);
  expect(requestsUsed.mock.calls).toEqual(key.limits.rate === undefined ? [] : [['app', key.limits.rate]]);
  const without = keyLimits(key, unknownUse, undefined, now);
  expect(
    [without.rate?.used, without.tokens?.used, without.budget?.spent_usd].filter((used) => used !== undefined && used !== null),
  ).toEqual([]);
});

it('has spent 0 if the log has nothing of the key', async () => {
  const all = keys({ saver: { budget: '1USD/day' } });
  const use = await readLimitUse(createLogs().logs, all, now);
  expect(all.map((key) => keyLimits(key, use, undefined, now).budget?.spent_usd)).toEqual(['0']);
});

it('asks once for each length of a window and each beginning of a period', async () => {
  const { logs, asked } = createLogs();
  const all = keys({
    free: undefined,
    empty: {},
    web: { rate: '60/min', tokens: '200k/min', budget: '50USD/month' },
    batch: { tokens: '5M/h', budget: '5USD/month' },
    job: { rate: '1/s', tokens: '10k/min', budget: '1USD/day' },
  });
  await readLimitUse(logs, all, now);
  expect(asked).toEqual([`${minute} ms "web","job"`, `${60 * minute} ms "batch"`, '2026-11-01 web,batch', '2026-11-25 job']);
});

it('asks nothing for keys without limits of which the log has the use', async () => {
  const { logs, asked } = createLogs();
  await readLimitUse(logs, keys({ free: undefined, some: { concurrency: 3, rate: '60/min', tokens: '1k/s' } }), now);
  expect(asked).toEqual([]);
});

it('asks in filters that are valid for any number of keys', async () => {
  const { logs, asked } = createLogs();
  await readLimitUse(
    logs,
    keys(Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`${n}`.padEnd(60, 'x'), { tokens: '1/min' }]))),
    now,
  );
  expect(asked.length).toBeGreaterThan(2);
});
