import { expect, it } from 'vitest';
import type { LogReader } from '../../core/logs/reader.ts';
import { createMask } from '../../core/secrets/mask.ts';
import type { ManagedGateway } from '../managed-gateway.ts';
import { noFigures } from '../health.ts';
import { keysOf } from './keys.ts';

const hash = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`;

/** A gateway with 250 keys, and the queries to its request log. */
function createGateway(logs: Partial<LogReader> = {}) {
  const keys = Array.from({ length: 250 }, (_, n) => [
    `app-${n}`,
    { hash: hash(n), prefix: `gw_live_${n}`, ...(n % 100 === 7 ? { revoked: '2026-01-01' } : {}), allow: { configs: [`config-${n % 2}`] } },
  ]);
  const queries: string[] = [];
  const reader: Partial<LogReader> = {
    keysUsed: async () => ({}),
    spent: async (_since, keys = []) => {
      queries.push(keys.join(','));
      return { 'app-100': { cost_usd: '1.5', unpriced: 0 } };
    },
    stats: async ({ query }) => {
      queries.push(query);
      return {
        since: 0,
        until: 0,
        uncounted_since: null,
        total: noFigures,
        series: [],
        rest: null,
        groups: [{ ...noFigures, name: 'app-100', requests: 3 }],
      };
    },
    ...logs,
  };
  const gateway = {
    loaded: () => ({ tree: { api_keys: Object.fromEntries(keys) } }),
    locations: async () => ({ 'api_keys.app-3': { file: 'keys.d/web.yaml', line: 1 } }),
    logs: () => reader,
    mask: () => createMask([]),
  } as unknown as ManagedGateway;
  return { gateway, queries };
}

const page = { words: '', limit: 100, offset: 0, withUsage: true };

it('returns one page of keys, and reads only their use from the request log', async () => {
  const { gateway, queries } = createGateway();
  const { keys, total } = await keysOf(gateway, { ...page, offset: 100, limit: 2 });
  expect([keys.map(({ name, requests_today, cost_month_usd }) => [name, requests_today, cost_month_usd]), total]).toEqual([
    [
      ['app-100', 3, '1.5'],
      ['app-101', 0, '0'],
    ],
    250,
  ]);
  expect(queries.map((query) => query.replace(/since:\S+ /, ''))).toEqual(['key:"app-100","app-101"', 'app-100,app-101']);
});

it.each([
  ['app-24', 11],
  ['APP-24 config-1', 5],
  ['gw_live_249', 1],
  ['revoked', 3],
  ['web.yaml', 1],
  ['none', 0],
])('finds keys by the words %j', async (words, total) => {
  expect(await keysOf(createGateway().gateway, { ...page, words })).toMatchObject({ total });
});

it('does not query the request log without usage', async () => {
  const { gateway, queries } = createGateway();
  const { keys } = await keysOf(gateway, { ...page, withUsage: false });
  expect([keys[0]?.requests_today, keys[0]?.log_fault, queries]).toEqual([null, null, []]);
});

it('queries a request log that fails only once', async () => {
  let calls = 0;
  const fail = async (): Promise<never> => {
    calls += 1;
    throw new Error('no response');
  };
  const { keys } = await keysOf(createGateway({ keysUsed: fail, stats: fail, spent: fail }).gateway, page);
  expect([keys[0]?.log_fault, calls]).toEqual(['no response', 1]);
});
