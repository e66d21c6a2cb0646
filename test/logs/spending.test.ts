import fc from 'fast-check';
import pg from 'pg';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayOf } from '../../src/core/logs/day.ts';
import type { Spent } from '../../src/core/logs/reader.ts';
import { isUnpriced, toRow } from '../../src/core/logs/row.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { moneyText, moneyUnits } from '../../src/query/money.ts';
import { sampleRecord } from '../../src/store/fixtures/sample.ts';
import { createQueries } from '../../src/store/log/queries/index.ts';
import { createPostgresSource, openPostgresStore } from '../../src/store/log/postgres/store.ts';
import { skipping } from '../support/skipping.ts';
import { entryOf, type Kind, type OpenLog, postgresKind, sqliteKind, write } from './stores.ts';

const day = 86_400_000;
/** Noon, so that a record of some hours later is one of the same day. */
const now = dayOf(Date.now() - day) * day + day / 2;
const today = dayOf(now);
const keepAll = { age: 1e12, size: 1e12 };
const keepNothing = { age: 0, size: 1 };

let records = 0;
/** A record of a key, and what it cost; null if that is not known. */
function record(key: string | null, usd: string | null, more: Partial<LogRecord> = {}): LogRecord {
  records += 1;
  return sampleRecord({ id: `req_${records}`, at: now, key, cost: { usd, source: null, prices: {} }, ...more });
}

const entries = (...all: readonly LogRecord[]) => all.map((one) => entryOf(one));

describe.each<Kind>([sqliteKind(), postgresKind()])('the spending of keys in $name', (kind) => {
  beforeAll(() => (kind.missing !== undefined ? undefined : kind.start()));
  afterAll(() => kind.end());

  it.skipIf(skipping(kind.missing))('contains the cost of each record once, by its key', async () => {
    const { store, queries } = await kind.open();
    const first = record('app', '0.000000000001');
    await write(store, entries(first, first, record('app', '1.5'), record('jwt:anna', '2'), record(null, '4')));
    await write(store, entries(first, record('app', '0.25')));
    expect(await queries.spent(today)).toEqual({
      app: { cost_usd: '1.750000000001', unpriced: 0 },
      'jwt:anna': { cost_usd: '2', unpriced: 0 },
    });
  });

  it.skipIf(skipping(kind.missing))('contains the cost of virtual keys under names of their own, also without a key', async () => {
    const { store, queries } = await kind.open();
    const through = (key: string | null, virtualKey: string, usd: string) => record(key, usd, { virtual_key: virtualKey });
    await write(store, entries(through('app', 'app', '1'), through('app', 'other', '2'), through(null, 'app', '4'), record('app', '8')));
    expect(await queries.spent(today)).toEqual({
      app: { cost_usd: '11', unpriced: 0 },
      'virtual_key:app': { cost_usd: '5', unpriced: 0 },
      'virtual_key:other': { cost_usd: '2', unpriced: 0 },
    });
  });

  it.skipIf(skipping(kind.missing))('counts records whose price is unknown, and leaves out those that cost nothing', async () => {
    const { store, queries } = await kind.open();
    await write(store, entries(record('app', '1'), record('app', null), record('unknown', null)));
    await write(store, entries(record('app', null), record('free', '0'), record('rejected', null, { provider: null })));
    expect(await queries.spent(today)).toEqual({ app: { cost_usd: '1', unpriced: 2 }, unknown: { cost_usd: '0', unpriced: 1 } });
  });

  it.skipIf(skipping(kind.missing))('begins with the given day in UTC', async () => {
    const { store, queries } = await kind.open();
    const at = (time: number, usd: string): LogRecord => record('app', usd, { at: time });
    await write(store, entries(at(today * day - 1, '1'), at(today * day, '10'), at((today + 1) * day, '100')));
    const costs = [-1, 0, 1, 2].map(async (days) => (await queries.spent(today + days))['app']?.cost_usd);
    expect(await Promise.all(costs)).toEqual(['111', '110', '100', undefined]);
  });

  it.skipIf(skipping(kind.missing))('leaves out what was stored with a system time that was ahead', async () => {
    const { store, queries } = await kind.open();
    for (const days of [0, 1, 2, 3, 30])
      await write(store, entries(record('app', String(10 ** Math.min(days, 5)), { at: now + days * day })));
    // Yesterday, today and tomorrow.
    expect((await queries.spent(today))['app']?.cost_usd).toBe('111');
    expect(await queries.spent(today + 3)).toEqual({});
  });

  it.skipIf(skipping(kind.missing))('supports every name', async () => {
    const { store, queries } = await kind.open();
    const names = ['__proto__', 'constructor', 'toString', 'other', '~other', '7', 'a\'b"c\\d', '钥匙', 'long'.repeat(100)];
    await write(store, entries(...names.map((name, n) => record(name, String(n + 1)))));
    await write(store, entries(record('\0', '100')));
    const spent = await queries.spent(today);
    expect([...names, '\u{fffd}'].map((name) => spent[name]?.cost_usd)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '100']);
    expect(await queries.spent(today, ['constructor', 'a\'b"c\\d', '\0', 'unknown'])).toEqual(
      Object.fromEntries(['constructor', 'a\'b"c\\d', '\u{fffd}'].map((name) => [name, spent[name]])),
    );
    expect(await queries.spent(today, [])).toEqual({});
    expect([spent['valueOf'], Object.keys(spent)]).toEqual([undefined, expect.arrayContaining(names)]);
  });

  it.skipIf(skipping(kind.missing))('is limited to what a column can store', async () => {
    const { store, queries } = await kind.open();
    const some = (count: number): readonly LogRecord[] => Array.from({ length: count }, () => record('app', '999999'));
    const cost = async (): Promise<unknown> => (await queries.spent(today))['app']?.cost_usd;
    await write(store, entries(...some(8), record('app', '0.000000000001')));
    expect(await cost()).toBe('7999992.000000000001');
    await write(store, entries(...some(8)));
    expect(await cost()).toBe('9223372.036854775807');
    await write(store, entries(record('app', '1', { at: now - 3 * day }), record('app', '1')));
    expect((await queries.spent(today - 3))['app']?.cost_usd).toBe('9223373.036854775807');
  });

  it.skipIf(skipping(kind.missing))('is kept for 400 days, whatever the limits of records are', async () => {
    const { store, queries } = await kind.open();
    for (const [days, usd] of [
      [402, '1'],
      [401, '10'],
      [400, '100'],
      [30, '1000'],
      [0, '10000'],
    ] as const)
      await write(store, entries(record('app', usd, { at: now - days * day })));
    while (await store.retain(keepAll, now));
    expect((await queries.spent(0))['app']?.cost_usd).toBe('11100');
    while (await store.retain(keepNothing, now + day / 4));
    expect((await queries.spent(0))['app']?.cost_usd).toBe('11100');
    expect((await queries.stats({ query: 'since:300d until:1d' })).total.requests).toBe(0);
  });
});

const keys = ['app', '__proto__', 'other', '~other', 'jwt:anna', 'rare', null];
const costs = ['0', '0.000000000001', '1.25', '9007.199254740993', '999999', null];
const days = 12;
const many = Array.from({ length: 600 }, (_, i) =>
  record(keys[(i * 31) % keys.length] ?? null, costs[(i * 17) % costs.length] ?? null, {
    at: (today - days) * day + Math.floor((((i * 7919) % 600) * days * day) / 600),
    provider: i % 11 === 0 ? null : 'openai',
  }),
);

function spentOn(since: number): Record<string, Spent> {
  const rows = many.filter(({ at, key }) => key !== null && dayOf(at) >= since).map(toRow);
  const all = [...Map.groupBy(rows, ({ key }) => key ?? '')].map(([key, of]) => {
    const units = of.reduce((sum, { cost }) => sum + (cost === null ? 0n : (moneyUnits(cost) ?? 0n)), 0n);
    return [key, { cost_usd: moneyText(units), unpriced: of.filter(isUnpriced).length }] as const;
  });
  return Object.fromEntries(all.filter(([, { cost_usd, unpriced }]) => cost_usd !== '0' || unpriced > 0));
}

describe.each<Kind>([sqliteKind(), postgresKind()])('the spending of keys in $name, written in many batches', (kind) => {
  let log: OpenLog;
  beforeAll(async () => {
    if (kind.missing !== undefined) return;
    await kind.start();
    log = await kind.open();
    const stores = [log.store, log.second?.() ?? log.store];
    const size = 37;
    for (let from = 0, n = 0; from < many.length; from += size, n += 1) {
      const store = stores[n % 2] ?? log.store;
      const batch = entries(...many.slice(from, from + size));
      await write(store, batch);
      // As after a crash: some of them are read from the spool again.
      if (n % 3 === 0) await write(store, [...batch.slice(5), ...batch.slice(0, 9)]);
      if (n % 4 === 0) await store.retain(keepAll, now);
    }
  });
  afterAll(() => kind.end());

  it.skipIf(skipping(kind.missing)).each([
    ['that are stored', false],
    ['that have been deleted', true],
  ])('is the sum over the records since any day, %s', async (_, isDeleted) => {
    if (isDeleted) while (await log.store.retain(keepNothing, now + day));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: today - days - 2, max: today + 2 }), async (since) => {
        expect({ ...(await log.queries.spent(since)) }).toEqual(spentOn(since));
      }),
    );
    expect(Object.keys(spentOn(0))).toHaveLength(6);
  });
});

const postgres = postgresKind();

describe.skipIf(skipping(postgres.missing))('the spending of keys in a log that several gateways share', () => {
  beforeAll(() => postgres.start());
  afterAll(() => postgres.end());

  async function connect(url: string): Promise<pg.Client> {
    const client = new pg.Client(url);
    await client.connect();
    return client;
  }

  const stored = async (client: pg.Client): Promise<unknown[]> =>
    (await client.query<Record<string, unknown>>('SELECT day::int, writer, cost::text FROM spending ORDER BY day, writer')).rows;

  it('has no row for each past gateway', async () => {
    const { store, second, database } = await postgres.open();
    const other = second?.();
    const client = await connect(database);
    for (const days of [3, 2, 1, 0]) {
      const one = (): LogRecord => record('app', '0.000000000001', { at: now - days * day });
      await write(store, entries(one()));
      if (other !== undefined) await write(other, entries(one()));
      if (days === 2) await store.retain(keepAll, now);
    }
    await write(store, entries(record('app', '0.00000000001', { at: now - 3 * day })));
    await store.retain(keepAll, now);
    expect(await stored(client)).toEqual([
      { day: today - 3, writer: '', cost: '12' },
      { day: today - 2, writer: '', cost: '2' },
      { day: today - 1, writer: 'one', cost: '1' },
      { day: today - 1, writer: 'two', cost: '1' },
      { day: today, writer: 'one', cost: '1' },
      { day: today, writer: 'two', cost: '1' },
    ]);
    await client.end();
  });

  it('does not wait for the transaction of another gateway', async () => {
    const { store, second, database, queries } = await postgres.open();
    const client = await connect(database);
    const old = [401, 3, 0].map((days) => record('app', '1', { at: now - days * day }));
    await write(store, entries(...old));
    await client.query('BEGIN');
    await client.query("UPDATE spending SET cost = cost WHERE writer = 'one'");
    await write(second?.() ?? store, entries(...[401, 3, 0].map((days) => record('app', '1', { at: now - days * day }))));
    while (await store.retain(keepAll, now));
    await client.query('COMMIT');
    expect((await queries.spent(0))['app']?.cost_usd).toBe('5');
    while (await store.retain(keepAll, now));
    expect((await queries.spent(0))['app']?.cost_usd).toBe('4');
    await client.end();
  });

  it('is taken from the figures of an earlier version', async () => {
    const url = await postgres.server().database();
    const client = await connect(url);
    await client.query(readFileSync(new URL('postgres-version-1.sql', import.meta.url), 'utf8'));
    const most = '9223372036854775807';
    for (const [minute, name, writer, cost, unpriced] of [
      [today * 1440 - 1, 'app', 'a', '1', 0],
      [today * 1440, 'app', 'a', '1250000000000', 0],
      [today * 1440, 'app', 'b', '0', 2],
      [today * 1440 + 1, '~other', 'a', '3000000000000', 0],
      [today * 1440, '~~other', 'a', '4000000000000', 0],
      [today * 1440, 'other', 'a', '5000000000000', 0],
      [today * 1440, '', 'a', '6000000000000', 0],
      [today * 1440, 'free', 'a', '0', 0],
      [today * 1440, 'high', 'a', most, 0],
      [today * 1440, 'high', 'b', most, 0],
    ] as const)
      await client.query(
        `INSERT INTO buckets (dim, minute, name, writer, requests, errors, fallbacks, retries, cache_hits, tokens_in, tokens_out,
           tokens_cached, cost, unpriced, latency, ttft, overhead) VALUES ('key', $1, $2, $3, 1, 0, 0, 0, 0, 0, 0, 0, $4, $5, '', '', '')`,
        [minute, name, writer, cost, unpriced],
      );
    const store = openPostgresStore(url, { writer: 'one' });
    await write(store, entries(record('app', '2')));
    const queries = createQueries(createPostgresSource(url), Date.now);
    const rest = {
      other: { cost_usd: '3', unpriced: 0 },
      '~other': { cost_usd: '4', unpriced: 0 },
      high: { cost_usd: '9223372.036854775807', unpriced: 0 },
    };
    expect(await queries.spent(today)).toEqual({ app: { cost_usd: '3.25', unpriced: 2 }, ...rest });
    expect(await queries.spent(today - 1)).toEqual({ app: { cost_usd: '3.250000000001', unpriced: 2 }, ...rest });
    await Promise.all([store.close(), queries.close(), client.end()]);
  });
});
