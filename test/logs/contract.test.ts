import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toRow } from '../../src/core/logs/row.ts';
import type { AttemptRecord, LogRecord } from '../../src/core/records/record.ts';
import { sampleRecord } from '../../src/store/fixtures/sample.ts';
import { storeBatch } from '../../src/store/log/drain/store-batch.ts';
import { skipping } from '../support/skipping.ts';
import { entryOf, type Kind, postgresKind, sqliteKind, write } from './stores.ts';

const at = Date.parse('2026-11-20T12:00:00Z');
const minute = 60_000;
const day = 86_400_000;
const now = at + 10 * minute;

const record = (n: number, more: Partial<LogRecord> = {}): LogRecord =>
  sampleRecord({ id: `req_${String(n).padStart(4, '0')}`, at: at + n * 1000, ...more });

/** Attempts of a request; each letter is a target. */
const attemptsAt = (targets: string): LogRecord['attempts'] =>
  Array.from(targets, (target, n) => ({ ...(record(0).attempts[0] as AttemptRecord), n, target }));

/** The contract of every store, whatever its database. */
describe.each<Kind>([sqliteKind(), postgresKind()])('a request log in $name', (kind) => {
  beforeAll(() => (kind.missing !== undefined ? undefined : kind.start()));
  afterAll(() => kind.end());

  it.skipIf(skipping(kind.missing))('gives back records and bodies as they were', async () => {
    const { store, queries } = await kind.open(() => now);
    const body = Buffer.from([0, 255, 10, 123, 0]);
    const storedBody = { size: 5, kept: 5, sha256: null, same_as: null, patch: null, chunks: null };
    const stored = record(1, { preview: 'null \0 byte, half \ud83d pair', response: { headers: {}, body: storedBody, why_absent: null } });
    await write(store, [entryOf(stored, { response: body }), entryOf(record(2))]);
    const found = await queries.get('req_0001');
    expect(found?.record).toEqual(stored);
    expect(found?.bodies).toEqual(['response']);
    expect(Buffer.from((await queries.body('req_0001', 'response')) ?? [])).toEqual(body);
    expect(await queries.body('req_0001', 'request')).toBeUndefined();
    expect(await queries.body('req_0002', 'response')).toBeUndefined();
    expect(await queries.get('req_9999')).toBeUndefined();
    expect((await queries.search({ query: '', limit: 10 })).rows).toEqual([toRow(record(2)), toRow(stored)]);
  });

  it.skipIf(skipping(kind.missing))('includes only streams in the time to first token', async () => {
    const { store, queries } = await kind.open(() => now);
    const fields = { stream: false, ms: { total: 900, first_event: 900, overhead: 1 } };
    await write(store, [entryOf(record(1)), entryOf(record(2, fields)), entryOf(record(3, fields))]);
    expect((await queries.search({ query: 'ttft:*', limit: 10 })).rows.map(({ id, ttft }) => [id, ttft])).toEqual([['req_0001', 240.4]]);
    expect(Math.abs(((await queries.stats({ query: '' })).total.ttft_p95 ?? 0) / 240 - 1)).toBeLessThan(0.06);
  });

  it.skipIf(skipping(kind.missing))('stores a record once if it is in one batch or several batches twice', async () => {
    const { store, queries } = await kind.open(() => now);
    await write(store, [entryOf(record(1)), entryOf(record(1)), entryOf(record(2))]);
    await write(store, [entryOf(record(2)), entryOf(record(3))]);
    expect((await queries.search({ query: '', limit: 10 })).rows.map(({ id }) => id)).toEqual(['req_0003', 'req_0002', 'req_0001']);
    expect((await queries.stats({ query: '' })).total.requests).toBe(3);
    expect(await store.size()).toMatchObject({ records: 3, oldest: record(1).at });
  });

  it.skipIf(skipping(kind.missing))('stores the other records of a batch if one lacks a required value', async () => {
    const { store, queries } = await kind.open(() => now);
    const rejected = { count: 0, why: '' };
    const records = [record(1), record(2, { end: null } as unknown as Partial<LogRecord>), record(3)].map((one) => entryOf(one));
    await storeBatch(store, { records, amendments: [], positions: [], deletedSegments: [] }, rejected);
    expect((await queries.search({ query: '', limit: 10 })).rows.map(({ id }) => id)).toEqual(['req_0003', 'req_0001']);
    expect(rejected.count).toBe(1);
  });

  it.skipIf(skipping(kind.missing))('returns the last use of each secret', async () => {
    const { store, queries } = await kind.open(() => now);
    const used = (n: number, key: string | null) => entryOf(record(n, { key: 'app', key_id: key }));
    await write(store, [used(3, 'a1'), used(1, 'b2'), used(2, 'a1'), used(4, null)]);
    await write(store, [used(5, 'b2'), used(5, 'b2')]);
    await write(store, [used(0, 'a1')]);
    expect(await queries.keysUsed()).toEqual({ a1: record(3).at, b2: record(5).at });
  });

  it.skipIf(skipping(kind.missing))('distinguishes many records of the same millisecond and pages through them', async () => {
    const { store, queries } = await kind.open(() => now);
    for (let batch = 0; batch < 5; batch += 1) {
      await write(
        store,
        Array.from({ length: 60 }, (_, i) => entryOf(record(batch * 60 + i, { at }))),
      );
    }
    const ids: string[] = [];
    let before: string | undefined;
    do {
      const page = await queries.search({ query: 'status:200', before, limit: 70 });
      ids.push(...page.rows.map(({ id }) => id));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(new Set(ids).size).toBe(300);
    expect(ids.length).toBe(300);
  });

  it.skipIf(skipping(kind.missing))('stores the position in a spool and removes positions of deleted segments', async () => {
    const { store } = await kind.open(() => now);
    const empty = { records: [], amendments: [] };
    await store.write({ ...empty, positions: [{ segment: 'a', offset: 10 }], deletedSegments: [] });
    await store.write({
      ...empty,
      positions: [
        { segment: 'a', offset: 20 },
        { segment: 'b', offset: 5 },
      ],
      deletedSegments: [],
    });
    expect(await store.positions()).toEqual(
      new Map([
        ['a', 20],
        ['b', 5],
      ]),
    );
    await store.write({ ...empty, positions: [], deletedSegments: ['a'] });
    expect(await store.positions()).toEqual(new Map([['b', 5]]));
  });

  it.skipIf(skipping(kind.missing))('amends the end of a stored record', async () => {
    const { store, queries } = await kind.open(() => now);
    await write(store, [entryOf(record(1))]);
    const end = { end: 'client_gone' as const, total: 5000, out: 77 };
    await store.write({
      records: [],
      amendments: [
        { id: 'req_0001', end },
        { id: 'req_unknown', end },
      ],
      positions: [],
      deletedSegments: [],
    });
    expect((await queries.get('req_0001'))?.record).toMatchObject({ end: 'client_gone', ms: { total: 5000 }, bytes: { out: 77 } });
    expect((await queries.search({ query: 'end:client_gone latency:5s', limit: 1 })).rows).toHaveLength(1);
  });

  it.skipIf(skipping(kind.missing))('stores feedback for its trace, with the last value of each id', async () => {
    const { store, queries } = await kind.open(() => now);
    await write(store, [entryOf(record(1))]);
    const feedback = { id: 'fb_1', trace_id: record(1).trace.trace_id, value: 1, weight: 0.5, metadata: { why: 'good' }, at };
    await store.feedback(feedback);
    await store.feedback({ ...feedback, value: -1, weight: 0.25 });
    expect((await queries.get('req_0001'))?.feedback).toEqual([{ ...feedback, value: -1, weight: 0.25 }]);
    // A change keeps the members that it omits.
    await store.feedback({ ...feedback, value: 2, weight: null, metadata: null });
    expect((await queries.get('req_0001'))?.feedback).toEqual([{ ...feedback, value: 2, weight: 0.25 }]);
    await store.feedback({ ...feedback, id: 'fb_2', value: 3, weight: null, metadata: null });
    expect((await queries.get('req_0001'))?.feedback).toContainEqual({ ...feedback, id: 'fb_2', value: 3, weight: 1, metadata: {} });
    // Written by two processes: the later change may be stored first.
    const change = { ...feedback, id: 'fb_3', at: at + 5 };
    await store.feedback({ ...change, value: 4, weight: null, metadata: null });
    await store.feedback({ ...change, value: 1, at: at + 3 });
    await store.feedback({ ...change, value: 2, weight: 0.75, metadata: null, at: at + 4 });
    expect((await queries.get('req_0001'))?.feedback).toContainEqual({ ...change, value: 4, weight: 0.5 });
    await expect(store.feedback({ ...feedback, id: 'fb_\0', trace_id: '\0\ud800' })).resolves.toBeUndefined();
  });

  it.skipIf(skipping(kind.missing))('lists a trace from its start', async () => {
    const { store, queries } = await kind.open(() => now);
    const trace = { ...record(1).trace, trace_id: 'other' };
    await write(store, [entryOf(record(3)), entryOf(record(1)), entryOf(record(2, { trace }))]);
    expect((await queries.trace(record(1).trace.trace_id)).map(({ id }) => id)).toEqual(['req_0001', 'req_0003']);
  });

  it.skipIf(skipping(kind.missing))('deletes expired days and their statistics', async () => {
    const { store, queries } = await kind.open(() => now);
    await write(store, [entryOf(record(1, { at: at - 5 * day }))]);
    await write(store, [entryOf(record(2, { at: at - 3 * day }))]);
    await write(store, [entryOf(record(3))]);
    while (await store.retain({ age: 4 * day, size: 1e12 }, now));
    expect((await queries.search({ query: '', limit: 10 })).rows.map(({ id }) => id)).toEqual(['req_0003', 'req_0002']);
    expect((await queries.stats({ query: '' })).total.requests).toBe(2);
    await write(store, [entryOf(record(4, { at: at - 5 * day }))]);
    expect((await queries.search({ query: '', limit: 10 })).rows).toHaveLength(3);
  });

  it.skipIf(skipping(kind.missing))('accepts values that no column can store', async () => {
    const { store, queries } = await kind.open(() => now);
    const usage = { ...record(1).usage, prompt: 1e300, completion: 2 ** 60, cached: 0.5 };
    const wide = '🎉'.repeat(5000);
    // No database compresses this one.
    const long = Array.from({ length: 9000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * n * 7919) % 20_000))).join('');
    const more = {
      usage,
      cost: { usd: '9'.repeat(15), source: null, prices: {} },
      metadata: { [wide]: wide, user: wide, [long]: long, 'a\0b': 'c\0d', '\ud800': '\udc00' },
      labels: { team: { deep: [wide] }, [long]: long, '\0': '\0' },
    };
    await write(store, [entryOf(record(1, more)), entryOf(record(2))]);
    expect((await queries.search({ query: 'tokens_in:>1k', limit: 10 })).rows.map(({ id }) => id)).toEqual(['req_0001']);
    expect((await queries.search({ query: 'cost:>1000', limit: 10 })).rows).toHaveLength(1);
    expect((await queries.stats({ query: 'end:whole', by: 'model' })).total.requests).toBe(2);
    expect((await queries.stats({ query: '' })).total.requests).toBe(2);
  });

  it.skipIf(skipping(kind.missing))('continues if the cost of a minute exceeds a 64-bit number', async () => {
    const { store, queries } = await kind.open(() => now);
    const expensive = (n: number) => entryOf(record(n, { at, cost: { usd: '999999', source: null, prices: {} } }));
    for (const from of [0, 20])
      await write(
        store,
        Array.from({ length: 15 }, (_, i) => expensive(from + i)),
      );
    expect((await queries.stats({ query: '' })).total.requests).toBe(30);
    expect((await queries.stats({ query: 'attempts:>=0' })).total.cost_usd).toBe(String(30 * 999_999));
  });

  it.skipIf(skipping(kind.missing))('stores records with equal timestamps and timestamps far in the future', async () => {
    const { store, queries } = await kind.open(() => now);
    const still = Array.from({ length: 1010 }, (_, n) => entryOf(record(n, { at })));
    await write(store, still);
    await write(store, still.slice(0, 20));
    await write(store, [entryOf(record(2000, { at: Date.parse('9999-12-31T23:59:59Z') })), entryOf(record(2001, { at: now + 40 * day }))]);
    expect((await queries.search({ query: '', limit: 2 })).rows.map(({ id }) => id)).toEqual(['req_2000', 'req_2001']);
    expect((await queries.stats({ query: '' })).total.requests).toBe(1012);
    const { total, series, until } = await queries.stats({ query: 'since:1h', step: 60 });
    expect([total.requests, series.length, until]).toEqual([1010, 60, now]);
  });

  it.skipIf(skipping(kind.missing)).each([
    ['since', 1],
    ['until', 0],
  ])('accepts a %s value before all dates', async (name, found) => {
    const { store, queries } = await kind.open(() => now);
    await write(store, [entryOf(record(1))]);
    const query = `${name}:${'9'.repeat(18)}d`;
    expect((await queries.search({ query, limit: 5 })).rows).toHaveLength(found);
    expect((await queries.stats({ query })).total.requests).toBe(found);
  });

  it.skipIf(skipping(kind.missing))('returns equal statistics from minutes and from rows', async () => {
    const { store, queries } = await kind.open(() => now);
    const records = Array.from({ length: 90 }, (_, i) =>
      record(i, {
        at: at - i * 20_000,
        status: [200, 429, 500][i % 3] ?? 0,
        error: i % 3 === 0 ? null : { code: 'timeout', source: 'gateway', message: 'x' },
        config: i % 4 === 0 ? null : `c${i % 4}`,
        cache: i % 5 === 0 ? 'SEMANTIC HIT' : 'DISABLED',
        ms: { total: 10 * (i + 1), first_event: i % 2 === 0 ? null : i + 1, overhead: 0.3 },
        cost: { usd: i % 6 === 0 ? null : '0.000000123456', source: null, prices: {} },
        metadata: i % 2 === 0 ? { team: 'web' } : {},
        attempts: attemptsAt(['a', 'aa', 'ab', 'aab', 'abcc'][i % 5] ?? ''),
      }),
    );
    await write(
      store,
      records.slice(0, 50).map((one) => entryOf(one)),
    );
    await write(
      store,
      records.slice(50).map((one) => entryOf(one)),
    );
    const since = 'since:2026-11-20T11:20Z until:2026-11-20T12:01Z';
    for (const by of [undefined, 'status', 'config', 'model', 'error'] as const) {
      const fromMinutes = await queries.stats({ query: since, by, step: 600 });
      expect(await queries.stats({ query: `${since} attempts:>=0`, by, step: 600 })).toEqual(fromMinutes);
      expect(fromMinutes.series).toHaveLength(5);
      expect(fromMinutes.total).toMatchObject({
        requests: 90,
        errors: 60,
        cache_hits: 18,
        fallbacks: 54,
        retries: 54,
        cost_usd: '0.0000092592',
        unpriced: 15,
        tokens_in: 90 * 312,
      });
      // Within the 5 % of a histogram class.
      expect(Math.abs((fromMinutes.total.p50 ?? 0) / 450 - 1)).toBeLessThan(0.06);
      expect(Math.abs((fromMinutes.total.ttft_p50 ?? 0) / 46 - 1)).toBeLessThan(0.06);
    }
    const within = 'since:2026-11-20T11:20:10.500Z until:2026-11-20T11:25:40.250Z';
    const exact = (await queries.search({ query: within, limit: 500 })).rows.length;
    for (const query of [within, `${within} attempts:>=0`]) {
      const { total, series, ...range } = await queries.stats({ query, by: 'model', step: 60 });
      expect([total.requests, series.reduce((sum, { requests }) => sum + requests, 0)]).toEqual([exact, exact]);
      expect([range.since % 60_000, range.until % 60_000]).toEqual([10_500, 40_250]);
    }
    const byConfig = await queries.stats({ query: `${since} config:c1`, by: 'config' });
    expect(byConfig.groups.map(({ name, requests }) => [name, requests])).toEqual([['c1', 23]]);
    const top = await queries.stats({ query: since, by: 'config', top: 2, step: 3600 });
    expect(top.groups.map(({ name }) => name)).toEqual([null, 'c1']);
    expect(top.rest?.requests).toBe(44);
    expect(top.series.map(({ by, rest }) => [Object.keys(by).toSorted(), rest?.requests])).toEqual([
      [['', 'c1'], 44],
      [[''], undefined],
    ]);
    const byTeam = await queries.stats({ query: since, by: 'meta.team' });
    expect(byTeam.groups.map(({ name, requests }) => [name, requests])).toEqual(
      expect.arrayContaining([
        ['web', 45],
        [null, 45],
      ]),
    );
    const byClass = await queries.stats({ query: since, by: 'status', step: 3600 });
    expect(Object.keys(byClass.series[0]?.by ?? {}).toSorted()).toEqual(['2xx', '4xx', '5xx']);
  });

  it.skipIf(skipping(kind.missing))('distinguishes a value called "other" from values that are not counted by name', async () => {
    const { store, queries } = await kind.open(() => now);
    const names = ['other', '~other', 'another', ...Array.from({ length: 150 }, (_, i) => `c${i}`)];
    const configs = [...names, 'other'].map((config, i) => record(i % 60, { id: `req_${i}`, config }));
    await write(
      store,
      configs.map((one) => entryOf(one)),
    );
    const requests = { by: 'config', step: 7200, query: 'since:2h' } as const;
    const { groups, rest, series } = await queries.stats(requests);
    expect(groups).toHaveLength(100);
    expect(groups.slice(0, 2).map(({ name, requests }) => [name, requests])).toEqual([
      ['other', 2],
      ['another', 1],
    ]);
    expect(groups.some(({ name }) => name === '~other')).toBe(true);
    expect(rest?.requests).toBe(53);
    expect(series.reduce((sum, bucket) => sum + (bucket.by['other']?.requests ?? 0), 0)).toBe(2);
    expect(series.reduce((sum, bucket) => sum + (bucket.rest?.requests ?? 0), 0)).toBe(53);
    const few = await queries.stats({ ...requests, query: 'since:2h config:other,"~other",c149' });
    expect(few.groups.map(({ name, requests }) => [name, requests])).toEqual([
      ['other', 2],
      ['c149', 1],
      ['~other', 1],
    ]);
    const suggestions = await queries.suggest({ text: 'config:oth', cursor: 10 });
    expect(suggestions.map(({ insert, count }) => [insert, count])).toEqual([['other', 2]]);
  });

  it.skipIf(skipping(kind.missing))('counts requests by class of status, however many statuses a day has', async () => {
    const { store, queries } = await kind.open(() => now);
    const statuses = Array.from({ length: 150 }, (_, i) => record(i % 60, { id: `req_${i}`, status: 400 + i }));
    await write(
      store,
      statuses.map((one) => entryOf(one)),
    );
    const { groups, series } = await queries.stats({ query: 'since:1h', by: 'status', step: 3600 });
    expect(new Set(groups.map(({ name }) => name))).toEqual(new Set(statuses.map(({ status }) => String(status))));
    expect(series.flatMap(({ by }) => Object.entries(by).map(([name, { requests }]) => [name, requests]))).toEqual([
      ['4xx', 100],
      ['5xx', 50],
    ]);
  });

  it.skipIf(skipping(kind.missing))('suggests fields, then values by frequency', async () => {
    const { store, queries } = await kind.open(() => now);
    const some = (n: number, model: string): LogRecord =>
      record(n, {
        model: { asked: null, sent: model, answered: null },
        metadata: { user: `u ${n}` },
        labels: { 'my team': 'web' },
        client: { ip: null, agent: 'curl/8' },
      });
    await write(store, [entryOf(some(1, 'gpt-4o')), entryOf(some(2, 'gpt-4o')), entryOf(some(3, 'gpt-5,x')), entryOf(some(4, 'claude'))]);
    const inserts = async (text: string, cursor = text.length): Promise<string[]> =>
      (await queries.suggest({ text, cursor })).map(({ insert }) => insert);
    expect(await inserts('sta')).toEqual(['status:']);
    expect(await inserts('status:200 -mod')).toEqual(['model:']);
    expect(await inserts('tok')).toEqual(['tokens_in:', 'tokens_out:']);
    expect(await inserts('meta')).toEqual(['meta.user:']);
    expect(await inserts('label.')).toEqual(['label."my team":']);
    expect(await queries.suggest({ text: 'model:g x', cursor: 7 })).toMatchObject([
      { insert: 'gpt-4o', from: 6, to: 7, kind: 'value', count: 2 },
      { insert: '"gpt-5,x"', count: 1 },
    ]);
    expect(await inserts('model:gpt-4o,cl')).toEqual(['claude']);
    expect(await inserts('agent:')).toEqual(['curl/8']);
    expect(await inserts('meta.user:"u 3')).toEqual(['"u 3"']);
    expect(await inserts('stream:')).toEqual(['true', 'false']);
    expect(await inserts('label."my team":')).toEqual(['web']);
    expect(await inserts('cost:')).toEqual([]);
    expect(await inserts('status:9')).toEqual([]);
    expect(await queries.names()).toEqual({ meta: ['user'], label: ['my team'] });
  });

  it.skipIf(skipping(kind.missing))('rejects invalid queries', async () => {
    const { queries } = await kind.open(() => now);
    const code = (code: string): object => expect.objectContaining({ code });
    await expect(queries.search({ query: 'modle:x', limit: 5 })).rejects.toThrow(code('invalid_filter'));
    await expect(queries.search({ query: '', before: '1; DROP', limit: 5 })).rejects.toThrow(code('invalid_value'));
    await expect(queries.stats({ query: '', by: 'nothing' as 'model' })).rejects.toThrow(code('invalid_value'));
    await expect(queries.stats({ query: '', step: 59 })).rejects.toThrow(code('invalid_value'));
    await expect(queries.stats({ query: 'since:365d', step: 60 })).rejects.toThrow(code('invalid_value'));
    expect(await queries.search({ query: 'status:200', limit: 5 })).toEqual({ rows: [], next: null });
  });
});
