import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import pg, { type PoolClient, type PoolConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LogStore } from '../../src/store/log/log-store.ts';
import { Backoff } from '../../src/store/log/postgres/backoff.ts';
import { PostgresClient } from '../../src/store/log/postgres/client.ts';
import { locks } from '../../src/store/log/postgres/locks.ts';
import { retainSlice } from '../../src/store/log/postgres/retain.ts';
import { parseAddress } from '../../src/store/log/postgres/address.ts';
import { createQueries } from '../../src/store/log/queries/index.ts';
import { QueryTimeoutError } from '../../src/store/log/query-timeout-error.ts';
import { createPostgresSource, openPostgresStore } from '../../src/store/log/postgres/store.ts';
import { sampleRecord } from '../../src/store/fixtures/sample.ts';
import { skipping } from '../support/skipping.ts';
import { entryOf, postgresKind, write } from './stores.ts';
import { until } from '../support/gateway.ts';

const at = Date.parse('2026-11-20T12:00:00Z');
const day = 86_400_000;
const kind = postgresKind();

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

describe.skipIf(skipping(kind.missing))('a request log shared by several gateways', () => {
  beforeAll(() => kind.start());
  afterAll(() => kind.end());

  const open = (url: string, writer: string): LogStore => openPostgresStore(url, { writer });
  const records = (writer: string, from: number, count: number) =>
    Array.from({ length: count }, (_, i) => entryOf(sampleRecord({ id: `req_${writer}_${from + i}`, at: at + (i % 7) * day })));

  it('stores each record once, even with equal timestamps and while tables are created', async () => {
    const url = await kind.server().database();
    const stores = ['a', 'b', 'c', 'd'].map((writer) => ({ writer, store: open(url, writer) }));
    await Promise.all(
      stores.map(async ({ writer, store }) => {
        for (let from = 0; from < 100; from += 25) {
          await write(store, records(writer, from, 25));
          // Like after a crash: the batch is read from the spool again.
          await write(store, records(writer, from, 25));
        }
      }),
    );
    const [found] = await query(url, 'SELECT count(*)::int AS rows, count(DISTINCT id)::int AS ids FROM requests');
    expect(found).toEqual({ rows: 400, ids: 400 });
    expect(await query(url, "SELECT sum(requests)::int AS n FROM buckets WHERE dim = 'all'")).toEqual([{ n: 400 }]);
    expect(await stores[0]?.store.size()).toMatchObject({ records: 400, oldest: at });
    await Promise.all(stores.map(({ store }) => store.close()));
  });

  it('does not repeat a batch whose result was lost with the connection', async () => {
    const url = await kind.server().database();
    const store = open(url, 'a');
    await store.positions();
    // The first transaction still has the lock of its writer when the batch is sent again.
    const slow = new pg.Client(url);
    await slow.connect();
    await slow.query('BEGIN');
    await slow.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [0x67_77 + 1, 'a']);
    let isDone = false;
    const writing = write(store, records('a', 0, 3)).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isDone).toBe(false);
    await slow.query('COMMIT');
    await slow.end();
    await writing;
    await store.close();
  });

  it('lets one gateway at a time delete the oldest days, never the newest', async () => {
    const url = await kind.server().database();
    const store = open(url, 'a');
    await write(store, records('a', 0, 7));
    const other = new pg.Client(url);
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock($1, 3)', [0x67_77]);
    expect(await store.retain({ age: 1000 * day, size: 1 }, at + 7 * day)).toBe(false);
    await other.query('ROLLBACK');
    await other.end();
    while (await store.retain({ age: 1000 * day, size: 1 }, at + 7 * day));
    expect(await query(url, 'SELECT id FROM requests')).toEqual([{ id: 'req_a_6' }]);
    await store.close();
  });

  it('does not wait for a statement that reads an expired day, and deletes the day afterwards', async () => {
    const url = await kind.server().database();
    const store = open(url, 'a');
    await write(store, records('a', 0, 2));
    const reader = new pg.Client(url);
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM requests');
    const slice = (): Promise<boolean> => store.retain({ age: 1000 * day, size: 1 }, at);
    await expect(slice()).rejects.toMatchObject({ code: '55P03' });
    await reader.end();
    // Other partitions are not counted, and do not make the newest day the oldest of two.
    await query(url, 'CREATE TABLE requests_rest PARTITION OF requests DEFAULT');
    expect([await slice(), await slice()]).toEqual([true, false]);
    expect(await query(url, 'SELECT id FROM requests')).toEqual([{ id: 'req_a_1' }]);
    await store.close();
  });

  it('waits longer for an expired day than autovacuum needs to stop', async () => {
    const url = await kind.server().database();
    const store = open(url, 'a');
    await write(store, records('a', 0, 2));
    const client = new PostgresClient(url, { connections: 1, statementTimeout: 5000, connectTimeout: 5000 });
    const [waits, gives] = await client.transaction(async (session) => {
      await retainSlice(session, { age: 1000 * day, size: 1 }, at);
      const settings = await session.query(
        "SELECT setting FROM pg_settings WHERE name IN ('lock_timeout', 'deadlock_timeout') ORDER BY name DESC",
      );
      return settings.map(({ setting }) => Number(setting));
    });
    expect(waits).toBeGreaterThan(gives ?? Number.NaN);
    await client.close();
    await store.close();
  });

  it('stores a batch in parts if the server is too slow for the whole batch', async () => {
    const url = await kind.server().database();
    const patient = open(url, 'a');
    // Creates the tables of all days.
    await write(patient, records('a', 0, 7));
    await patient.close();
    const store = openPostgresStore(url, { writer: 'a', writeTimeout: 600 });
    await query(
      url,
      `CREATE FUNCTION rest() RETURNS trigger AS 'BEGIN PERFORM pg_sleep(0.04); RETURN NEW; END' LANGUAGE plpgsql;
       CREATE TRIGGER rest BEFORE INSERT ON requests FOR EACH ROW EXECUTE FUNCTION rest()`,
    );
    const batch = records('b', 0, 40);
    const stored = async () => (await query(url, 'SELECT count(*)::int AS rows, count(DISTINCT id)::int AS ids FROM requests'))[0];
    await expect(write(store, batch)).rejects.toThrow(/did not respond in time|statement timeout/);
    expect(await stored()).toEqual({ rows: 7, ids: 7 });
    await until(
      () =>
        write(store, batch).then(
          () => true,
          () => false,
        ),
      'all records',
    );
    expect(await stored()).toEqual({ rows: 47, ids: 47 });
    expect(await query(url, "SELECT sum(requests)::int AS n FROM buckets WHERE dim = 'all'")).toEqual([{ n: 47 }]);
    await store.close();
  });

  it('is not emptied by a gateway whose clock is ahead', async () => {
    const url = await kind.server().database();
    const store = open(url, 'a');
    const today = Date.now();
    await write(store, [entryOf(sampleRecord({ id: 'req_today', at: today }))]);
    expect(await store.retain({ age: day, size: 1e12 }, today + 1000 * day)).toBe(false);
    expect(await query(url, 'SELECT id FROM requests')).toEqual([{ id: 'req_today' }]);
    await store.close();
  });

  it('keeps the records of today, whatever days a gateway with a wrong clock has stored', async () => {
    const url = await kind.server().database();
    const store = open(url, 'a');
    const today = Date.now();
    const ids = ['req_before', 'req_yesterday', 'req_today', 'req_future', 'req_far'];
    for (const [n, days] of [-2, -1, 0, 700, 900].entries())
      await write(store, [entryOf(sampleRecord({ id: ids[n] ?? '', at: today + days * day }))]);
    while (await store.retain({ age: 1000 * day, size: 1 }, today + 900 * day));
    expect((await query(url, 'SELECT id FROM requests ORDER BY seq')).map(({ id }) => id)).toEqual(['req_today', 'req_far']);
    await store.close();
  });

  it('stores the last use of each secret without a row for each past gateway', async () => {
    const url = await kind.server().database();
    const stores = ['a', 'b', 'c'].map((writer) => open(url, writer));
    const used = (id: string, key: string, lastUsed: number) => [entryOf(sampleRecord({ id, key: 'app', key_id: key, at: lastUsed }))];
    const now = Date.now();
    for (const [n, store] of stores.entries()) {
      await write(store, used(`req_a${n}`, 'aa', now - (5 - n) * day));
      await write(store, used(`req_b${n}`, 'bb', now - n * 3 * day));
    }
    const [first] = stores;
    while (await first?.retain({ age: 1000 * day, size: 1e12 }, now));
    expect(await query(url, 'SELECT key_id, writer, at::float8 AS at FROM keys_used ORDER BY key_id, writer')).toEqual([
      { key_id: 'aa', writer: '', at: now - 3 * day },
      { key_id: 'bb', writer: '', at: now - 3 * day },
      { key_id: 'bb', writer: 'a', at: now },
    ]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('leaves no settings on a connection that a pooler may reuse', async () => {
    const url = await kind.server().database();
    const connections: PoolClient[] = [];
    class Pool extends pg.Pool {
      constructor(config: PoolConfig) {
        super(config);
        this.on('connect', (connection) => void connections.push(connection));
      }
    }
    const source = createPostgresSource(url, { load: () => Promise.resolve({ default: { Pool } } as never) });
    const set = "SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock";
    expect(await source.all(set, [])).toEqual([{ statement: '5s', lock: '4s' }]);
    await expect.poll(async () => (await connections[0]?.query(set))?.rows).toEqual([{ statement: '0', lock: '0' }]);
    await source.close();
  });

  it('ends a statement when the time of its query is over', async () => {
    let left = 300;
    const source = createPostgresSource(await kind.server().database(), { timeLeft: () => left });
    await expect(source.all('SELECT pg_sleep(3)', [])).rejects.toThrow(QueryTimeoutError);
    left = 0;
    await expect(source.all('SELECT 1', [])).rejects.toThrow(QueryTimeoutError);
    left = 60_000;
    expect(await source.all('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
    await source.close();
  });

  it('reports a lock as such also when little time of its query is left', async () => {
    const url = await kind.server().database();
    const other = new pg.Client(url);
    await other.connect();
    await other.query('CREATE TABLE locked ()');
    await other.query('BEGIN; LOCK TABLE locked');
    const source = createPostgresSource(url, { timeLeft: () => 3000 });
    await expect(source.all('SELECT FROM locked', [])).rejects.toMatchObject({ code: '55P03' });
    await other.end();
    await source.close();
  });

  it('sends at most three statements for a statistics query', async () => {
    const url = await kind.server().database();
    const store = open(url, 'a');
    await write(store, records('a', 0, 7));
    const source = createPostgresSource(url);
    const all = vi.spyOn(source, 'all');
    const queries = createQueries(source, () => at + 7 * day);
    const { total } = await queries.stats({ query: 'since:24h', by: 'model', top: 5, step: undefined });
    expect(total.requests).toBe(1);
    expect(all.mock.calls.length).toBeLessThanOrEqual(3);
    await queries.close();
    await store.close();
  });

  it('recovers after a server crash without losing stored records', async () => {
    const url = await kind.server().database();
    const store = open(url, 'a');
    const source = createPostgresSource(url);
    await write(store, records('a', 0, 5));
    expect(await source.all('SELECT count(*) AS n FROM requests', [])).toEqual([{ n: 5 }]);
    await kind.server().kill();
    await expect(write(store, records('a', 5, 5))).rejects.toThrow(/^postgres 127\.0\.0\.1:\d+\/logs\d+: /);
    await expect(source.all('SELECT 1', [])).rejects.toThrow(/^postgres /);
    await kind.server().start();
    const isWritten = (): Promise<boolean> =>
      write(store, records('a', 0, 10)).then(
        () => true,
        () => false,
      );
    await until(isWritten, 'the store to write again');
    expect(await query(url, 'SELECT count(*)::int AS n FROM requests')).toEqual([{ n: 10 }]);
    await Promise.all([store.close(), source.close()]);
  });

  it('migrates an older version with a longer statement timeout than a batch', async () => {
    const url = await kind.server().database();
    await query(url, readFileSync(new URL('postgres-version-1.sql', import.meta.url), 'utf8'));
    const patience: (readonly [string, number, number])[] = [];
    class Pool extends pg.Pool {
      constructor(config: PoolConfig) {
        super(config);
        this.on('connect', (connection) => {
          const send = connection.query.bind(connection) as (...words: unknown[]) => unknown;
          let limit = Number.NaN;
          connection.query = ((query: string | { text: string }, ...more: unknown[]) => {
            const sql = typeof query === 'string' ? query : query.text;
            limit = Number(/statement_timeout = (\d+)/.exec(sql)?.[1] ?? limit);
            patience.push([sql, limit, Number(config.query_timeout)]);
            return send(query, ...more);
          }) as typeof connection.query;
        });
      }
    }
    const store = openPostgresStore(url, { writer: 'a', load: () => Promise.resolve({ default: { Pool } } as never) });
    await write(store, records('a', 0, 1));
    const limitsOf = (statement: string): number[] => patience.flatMap(([sql, ...limits]) => (sql.includes(statement) ? limits : []));
    expect(Math.min(...limitsOf('UPDATE requests SET retries'))).toBeGreaterThan(120_000);
    expect(Math.max(...limitsOf('INSERT INTO requests'))).toBeLessThan(30_000);
    await store.close();
  });

  it('does not block callers during a migration', async () => {
    const url = await kind.server().database();
    await query(url, readFileSync(new URL('postgres-version-1.sql', import.meta.url), 'utf8'));
    const other = new pg.Client(url);
    await other.connect();
    await other.query(`BEGIN; SELECT pg_advisory_xact_lock(${locks.space}, ${locks.migrate})`);
    const store = openPostgresStore(url, { writer: 'a', migrationWait: 10 });
    const unavailable = { code: 'log_unavailable', message: 'The request log is being converted for this version of the gateway.' };
    for (const operation of [() => store.size(), () => write(store, records('a', 0, 1)), () => store.size()]) {
      await expect(operation()).rejects.toMatchObject(unavailable);
      expect(store.isMigrating).toBe(true);
    }
    const [waiting] = await query(url, "SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
    expect(waiting?.['n']).toBeLessThan(2);
    await other.end();
    await expect.poll(() => store.isMigrating).toBe(false);
    await write(store, records('a', 0, 1));
    await store.close();
  });

  it('migrates version 1 with its content', async () => {
    const url = await kind.server().database();
    await query(url, readFileSync(new URL('postgres-version-1.sql', import.meta.url), 'utf8'));
    await query(url, "UPDATE requests SET key = CASE id WHEN 'req_ab' THEN 'other' WHEN 'req_a' THEN NULL ELSE 'app' END");
    const json = `'{"id":"' || id || '","key_id":"' || CASE id WHEN 'req_aab' THEN 'aa' WHEN 'req_ab' THEN 'cc' ELSE 'bb' END || '"}'`;
    await query(url, `INSERT INTO records SELECT seq, ${json} FROM requests`);
    const store = open(url, 'a');
    await write(store, records('a', 0, 1));
    const used = "SELECT id, key_id FROM keys_used k JOIN requests r ON r.seq / 1000 = k.at WHERE writer = '' ORDER BY key_id";
    expect(await query(url, used)).toEqual([
      { id: 'req_aab', key_id: 'aa' },
      { id: 'req_ab', key_id: 'cc' },
    ]);
    const trace = { ...sampleRecord().trace, trace_id: 't', span_name: 'Plan' };
    const [attempt] = sampleRecord().attempts;
    const attempts = [429, 200].map((status, n) => ({ ...attempt!, n, status }));
    await write(store, [entryOf(sampleRecord({ id: 'req_named', at: at + 1, trace, attempts }))]);
    const queries = createQueries(createPostgresSource(url), () => at + day);
    expect((await queries.search({ query: 'span_name:Plan', limit: 10 })).rows.map(({ id }) => id)).toEqual(['req_named']);
    const { groups } = await queries.stats({ query: '', by: 'reason' });
    expect(groups.map(({ name, requests }) => [name, requests])).toEqual([
      [null, 6],
      ['429', 1],
    ]);
    await queries.close();
    expect(await query(url, 'SELECT id, retries::int FROM requests ORDER BY seq')).toEqual([
      { id: 'req_a', retries: 0 },
      { id: 'req_aa', retries: 1 },
      { id: 'req_aaa', retries: 2 },
      { id: 'req_ab', retries: 0 },
      { id: 'req_aab', retries: 1 },
      { id: 'req_a_0', retries: 0 },
      { id: 'req_named', retries: 1 },
    ]);
    expect(await query(url, "SELECT sum(retries)::int AS retries FROM buckets WHERE dim = 'all'")).toEqual([{ retries: 5 }]);
    await store.close();
  });

  it('adds up costs exactly', async () => {
    const url = await kind.server().database();
    const store = open(url, 'a');
    const costing = (id: string): ReturnType<typeof entryOf> =>
      entryOf(sampleRecord({ id, at, cost: { usd: '9007.199254740993', source: null, prices: {} } }));
    for (const id of ['req_1', 'req_2', 'req_3']) await write(store, [costing(id)]);
    expect(await query(url, "SELECT cost::text FROM buckets WHERE dim = 'all'")).toEqual([{ cost: String(9_007_199_254_740_993n * 3n) }]);
    await store.close();
  });

  it('is not changed by a gateway of an older version', async () => {
    const url = await kind.server().database();
    const first = open(url, 'a');
    await first.positions();
    await query(url, 'INSERT INTO log_version (version) VALUES (99)');
    await expect(open(url, 'b').positions()).rejects.toThrow(/has version 99, and this gateway supports versions up to \d+/);
    await first.close();
  });

  it('returns bodies byte for byte, whatever form the database has for bytes', async () => {
    const url = await kind.server().database();
    await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET bytea_output = 'escape'`);
    const [store, queries] = [open(url, 'a'), createQueries(createPostgresSource(url), () => at)];
    const bytes = Buffer.from([0, 120, 92, 39, 255, 10]);
    await write(store, [entryOf(sampleRecord({ id: 'req_bytes', at }), { response: bytes })]);
    expect(Buffer.from((await queries.body('req_bytes', 'response')) ?? [])).toEqual(bytes);
    await Promise.all([store.close(), queries.close()]);
  });

  it('does not use a database whose encoding lacks characters, so that records wait', async () => {
    const url = new URL(await kind.server().database());
    await query(url.href, `CREATE DATABASE "latin" ENCODING 'LATIN1' TEMPLATE template0`);
    url.pathname = '/latin';
    const store = open(url.href, 'a');
    await expect(write(store, [entryOf(sampleRecord())])).rejects.toThrow('has the encoding LATIN1: create one with ENCODING UTF8');
    await store.close();
  });

  it('warns of an encoding that lacks characters in a database that an earlier version has accepted', async () => {
    const url = await kind.server().database();
    const first = open(url, 'a');
    await write(first, [entryOf(sampleRecord())]);
    expect(first.warning).toBeUndefined();
    const latin = `${url.slice(0, url.lastIndexOf('/'))}/latin_log`;
    await query(url, `CREATE DATABASE "latin_log" ENCODING 'LATIN1' TEMPLATE template0`);
    await query(latin, 'CREATE TABLE log_version (version integer NOT NULL); INSERT INTO log_version VALUES (4)');
    const store = open(latin, 'a');
    await store.positions().catch(() => {});
    expect(store.warning).toMatch(/^The database of the request log has the encoding LATIN1: records with other characters are lost/);
    await Promise.all([first.close(), store.close()]);
  });

  it('never shows its credentials in errors', async () => {
    const url = await kind.server().database();
    const wrong = url.replace(kind.server().password, 'canary%2Dsecret');
    for (const broken of [
      wrong,
      `${wrong}?sslmode=require`,
      wrong.replace(/:\d+\//, ':1/'),
      wrong.replace('127.0.0.1', 'no-such-host.invalid'),
    ]) {
      const store = open(broken, 'a');
      const error: unknown = await store.positions().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      const messages = `${(error as Error).stack} ${JSON.stringify(error)} ${String((error as Error).cause)} ${store.kind}`;
      expect(messages).not.toMatch(/canary.*secret/);
      await store.close();
    }
    expect(() => open('postgres://u:canary-secret@[bad/db', 'a')).toThrow(/^(?!.*canary)/);
  });
});

describe('parseAddress of Postgres', () => {
  it.each([
    ['postgres://u:p@db.internal/logs', 'postgres db.internal/logs', false],
    ['postgresql://u:p@db.internal:6432/logs?sslmode=disable', 'postgres db.internal:6432/logs', false],
    ['postgres://u:p@db/logs?sslmode=require', 'postgres db/logs', { rejectUnauthorized: false }],
    ['postgres://u:p@db/logs?sslmode=verify-full', 'postgres db/logs', {}],
    ['postgres://u:p@db/logs?sslmode=verify-ca', 'postgres db/logs', { checkServerIdentity: expect.any(Function) }],
    ['postgres:///logs?host=/var/run/postgresql&user=u', 'postgres /var/run/postgresql/logs', false],
  ])('parses %s', (url, expected, ssl) => {
    const address = parseAddress(url);
    expect(address.kind).toBe(expected);
    expect(address.ssl).toEqual(ssl);
    expect(address.connectionString).not.toContain('sslmode');
  });

  it.each(['mysql://u:p@db/logs', 'db.internal/logs', 'postgres://db/logs?sslmode=maybe', ''])('rejects %j', (url) => {
    expect(() => parseAddress(url)).toThrow(/URL of the request log/);
  });
});

describe('a missing or silent Postgres server', () => {
  it('causes an error that names the package pg if it is not installed', async () => {
    const store = openPostgresStore('postgres://u:p@127.0.0.1/logs', {
      writer: 'a',
      load: () => Promise.reject(new Error('Cannot find package')),
    });
    await expect(store.positions()).rejects.toMatchObject({
      code: 'log_unavailable',
      message: expect.stringContaining('a request log in Postgres needs the package pg: add it with npm install pg') as string,
    });
    await store.close();
  });

  it.each(['EPIPE', 'ECONNRESET', '57P01', undefined])('causes log_unavailable when a connection ends with %s', async (code) => {
    const isReleased: unknown[] = [];
    const connection = {
      query: () => Promise.reject(Object.assign(new Error('the connection broke'), { code })),
      release: (isBroken: unknown) => void isReleased.push(isBroken),
    };
    class Pool {
      on(): void {}
      connect = (): Promise<unknown> => Promise.resolve(connection);
      end = (): Promise<void> => Promise.resolve();
    }
    const load = (): Promise<never> => Promise.resolve({ default: { Pool } } as never);
    const source = createPostgresSource('postgres://u:p@127.0.0.1/logs', { load });
    await expect(source.all('SELECT 1', [])).rejects.toMatchObject({ code: 'log_unavailable' });
    expect(isReleased).toEqual([true]);
    await source.close();
  });

  it('does not delay the result of a statement until its transaction ends', async () => {
    const ended = Promise.withResolvers<unknown>();
    const isReleased: unknown[] = [];
    const connection = {
      query: (sql: string) => (sql === 'COMMIT' ? ended.promise : Promise.resolve({ rows: [{ n: 1 }] })),
      release: (isBroken: unknown) => void isReleased.push(isBroken),
    };
    class Pool {
      on(): void {}
      connect = (): Promise<unknown> => Promise.resolve(connection);
      end = (): Promise<void> => Promise.resolve();
    }
    const source = createPostgresSource('postgres://u:p@127.0.0.1/logs', { load: () => Promise.resolve({ default: { Pool } } as never) });
    expect(await source.all('SELECT 1 AS n', [])).toEqual([{ n: 1 }]);
    expect(isReleased).toEqual([]);
    ended.reject(new Error('the connection broke'));
    await expect.poll(() => isReleased).toEqual([true]);
    await source.close();
  });

  it('is retried after the backoff, even if the system clock is set back', async () => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(day);
    const backoff = new Backoff(undefined, () => 0);
    await expect(backoff.run(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    clock.mockReturnValue(0);
    try {
      await expect.poll(() => backoff.run(() => Promise.resolve('up')).catch(() => 'away')).toBe('up');
    } finally {
      clock.mockRestore();
    }
  });

  it('is not called by every query during the backoff', async () => {
    let calls = 0;
    let now = 0;
    const backoff = new Backoff(
      () => now,
      () => 1,
    );
    const fail = (): Promise<never> => {
      calls += 1;
      return Promise.reject(new Error(`away ${calls}`));
    };
    await expect(backoff.run(fail)).rejects.toThrow('away 1');
    await expect(backoff.run(fail)).rejects.toThrow('away 1');
    now = 250;
    await expect(backoff.run(fail)).rejects.toThrow('away 2');
    now = 600;
    await expect(backoff.run(fail)).rejects.toThrow('away 2');
    now = 750;
    expect(await backoff.run(() => Promise.resolve('up'))).toBe('up');
    await expect(backoff.run(fail)).rejects.toThrow('away 3');
  });

  it('causes a timeout if it accepts a connection but does not respond', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const source = createPostgresSource(`postgres://u:p@127.0.0.1:${port}/logs`);
    await expect(source.all('SELECT 1', [])).rejects.toThrow(/: no connection within the time limit/);
    await source.close();
    server.close();
  });
});
