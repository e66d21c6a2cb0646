import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isError, type LogRow, toRow } from '../../src/core/logs/row.ts';
import type { GroupFigures, Stats, StatsRequest } from '../../src/core/logs/reader.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { matcher } from '../../src/query/match.ts';
import { moneyText, moneyUnits } from '../../src/query/money.ts';
import { parseFilter } from '../../src/query/parse.ts';
import { sampleRecord } from '../../src/store/fixtures/sample.ts';
import { QueryTimeoutError } from '../../src/store/log/query-timeout-error.ts';
import { skipping } from '../support/skipping.ts';
import { entryOf, type Kind, type OpenLog, postgresKind, sqliteKind, write } from './stores.ts';

const hour = 3_600_000;
/** A week, in which some hours and one day have no record. */
const days = 7;
const start = Date.parse('2026-11-02T22:17:31.250Z');
const now = start + days * 24 * hour;
const maxGroups = 200;
const keepAll = { age: 1e12, size: 1e12 };

const firstAttempt = sampleRecord().attempts[0]!;
const failedAttempt = (outcome: string) => ({ ...firstAttempt, status: null, outcome });

function record(i: number, at: number): LogRecord {
  const isFailed = i % 7 === 0;
  return sampleRecord({
    id: `req_${String(i).padStart(5, '0')}`,
    at,
    status: isFailed ? 429 + (i % 2) * 71 : 200,
    error: isFailed ? { code: ['timeout', 'rate_limited'][i % 2] ?? '', source: 'gateway', message: 'x' } : null,
    config: i % 5 === 0 ? null : `c${i % 5}`,
    provider: i % 11 === 0 ? null : `p${i % 3}`,
    key: ['app', 'other', null][i % 3] ?? null,
    model: { asked: null, sent: `m${i % 4}`, answered: null },
    ms: { total: 10 + ((i * 37) % 20_000), first_event: i % 2 === 0 ? null : 1 + ((i * 13) % 900), overhead: 0.1 + (i % 40) / 10 },
    usage: { ...sampleRecord().usage, prompt: i * 3, completion: i % 90 },
    cost: { usd: i % 6 === 0 ? null : `0.${String(i).padStart(12, '0')}`, source: null, prices: {} },
    metadata: i % 4 === 0 ? {} : { team: ['web', 'ios', ''][i % 3] ?? '', user: `u${i % 400}` },
    labels: i % 9 === 0 ? { cron: 'nightly' } : {},
    attempts: i % 8 === 0 ? [failedAttempt(['429', 'timeout', 'other'][i % 3] ?? ''), firstAttempt] : [firstAttempt],
  });
}

const times = Array.from({ length: 3000 }, (_, i) => start + Math.floor(((i * 7919) % 3000) * ((days * 24 * hour) / 3000))).filter(
  (at) => Math.floor(at / hour) % 13 !== 0 && Math.floor(at / hour / 24) % 6 !== 0,
);
const records = times.map((at, i) => record(i, at));
const rows = records.map(toRow);
/** Stored after their hours were summed up. */
const isLate = (i: number): boolean => i % 601 === 0;

type Dimension = NonNullable<StatsRequest['by']>;
const valueOf: Readonly<Record<string, (row: LogRow) => string | null>> = {
  status: ({ status }) => String(status),
  config: ({ config }) => config,
  provider: ({ provider }) => provider,
  model: ({ model }) => model,
  key: ({ key }) => key,
  endpoint: ({ endpoint }) => endpoint,
  error: ({ error }) => error,
  reason: ({ reason }) => reason,
  'meta.team': ({ meta }) => meta['team'] || null,
  'meta.user': ({ meta }) => meta['user'] || null,
  'meta.none': () => null,
  'label.cron': ({ label }) => label['cron'] || null,
};

/** A moment: anywhere, or on the edge of an hour or a day, or next to it. */
const moment = fc
  .tuple(fc.nat(days * 24 * hour), fc.constantFrom(1, 60_000, hour, 24 * hour), fc.constantFrom(0, 0, -1, 1, 60_000))
  .map(([offset, unit, shift]) => Math.floor((start + offset) / unit) * unit + shift);
const request = fc.record({
  range: fc.tuple(fc.option(moment), fc.option(moment)),
  by: fc.constantFrom(undefined, ...Object.keys(valueOf)) as fc.Arbitrary<Dimension | undefined>,
  step: fc.constantFrom(undefined, 1800, 3600, 10_800, 86_400),
  term: fc.constantFrom('', '', '', 'config:c1', '-model:m2', 'status:2xx', 'meta.team:web', 'reason:429', '-reason:*'),
});

function figuresOf(some: readonly LogRow[]): GroupFigures {
  const sum = (value: (row: LogRow) => number): number => some.reduce((all, row) => all + value(row), 0);
  const cost = some.reduce((all, row) => all + (row.cost === null ? 0n : (moneyUnits(row.cost) ?? 0n)), 0n);
  return {
    requests: some.length,
    errors: some.filter(isError).length,
    tokens: sum(({ tokens_in, tokens_out }) => tokens_in + tokens_out),
    cost_usd: moneyText(cost),
  };
}

const shortened = (of: Omit<GroupFigures, 'tokens'> & { readonly tokens_in: number; readonly tokens_out: number }): GroupFigures => ({
  requests: of.requests,
  errors: of.errors,
  tokens: of.tokens_in + of.tokens_out,
  cost_usd: of.cost_usd,
});

function grouped<K>(some: readonly LogRow[], keyOf: (row: LogRow) => K): Map<K, GroupFigures> {
  return new Map([...Map.groupBy(some, keyOf)].map(([key, of]) => [key, figuresOf(of)]));
}

/** The time below which this share of all lies. */
function quantileOf(all: readonly number[], share: number): number | null {
  return all.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(share * all.length)) - 1] ?? null;
}

function expectNear(found: number | null, exact: number | null): void {
  if (exact === null || found === null) expect(found).toBe(exact);
  else expect(Math.abs(found / exact - 1)).toBeLessThan(0.055);
}

type Wanted = typeof request extends fc.Arbitrary<infer T> ? T : never;

function statsRequest({ range: [since, until], by, step, term }: Wanted): StatsRequest {
  const query = [since === null ? '' : `since:${since}`, until === null ? '' : `until:${until}`, term].join(' ');
  return { query, by, step, top: maxGroups };
}

/** Compares figures with those of the matching rows, or of those that were counted. */
function expectFigures(found: Stats, wanted: Wanted): void {
  const { by, step } = wanted;
  const [since, until] = wanted.range;
  const { query } = statsRequest(wanted);
  const parsed = parseFilter(query, now);
  if ('problem' in parsed) throw new Error(parsed.problem.message);
  const whole = since === null || until !== null ? parsed.filter : { ...parsed.filter, since: Math.floor(since / 60_000) * 60_000 };
  const fitting = rows.filter(matcher(whole)).filter(({ at }) => found.uncounted_since === null || at >= found.since);
  expect(shortened(found.total)).toEqual(figuresOf(fitting));
  expectNear(
    found.total.p95,
    quantileOf(
      fitting.map(({ latency }) => latency),
      0.95,
    ),
  );
  expectNear(
    found.total.ttft_p50,
    quantileOf(
      fitting.flatMap(({ ttft }) => (ttft === null ? [] : [ttft])),
      0.5,
    ),
  );
  if (by !== undefined) {
    const groups = grouped(fitting, valueOf[by] ?? (() => null));
    expect(found.groups.map(({ name, ...of }) => [name, shortened(of)])).toEqual(found.groups.map(({ name }) => [name, groups.get(name)]));
    expect(found.groups).toHaveLength(Math.min(groups.size, maxGroups));
  }
  if (step !== undefined) {
    const series = found.series.filter(({ requests }) => requests > 0).map(({ at, ...of }) => [at, shortened(of)] as const);
    expect(new Map(series)).toEqual(grouped(fitting, ({ at }) => Math.floor(at / (step * 1000)) * step * 1000));
  }
}

const onlyTimeout = (error: unknown): undefined => {
  if (!(error instanceof QueryTimeoutError)) throw error;
};

describe.each<Kind>([sqliteKind(), postgresKind()])('statistics on $name', (kind) => {
  let log: OpenLog;
  beforeAll(async () => {
    if (kind.missing !== undefined) return;
    await kind.start();
    log = await kind.open(() => now);
    const entries = records.map((some) => entryOf(some));
    await write(
      log.store,
      entries.filter((_, i) => !isLate(i)),
    );
    while (await log.store.retain(keepAll, now));
    const second = log.second?.();
    await write(
      second ?? log.store,
      entries.filter((_, i) => isLate(i)),
    );
  });
  afterAll(() => kind.end());

  it.skipIf(skipping(kind.missing)).each([
    ['of which some changed since', false],
    ['that are summed up again', true],
  ])('are those of the matching rows, with hours %s', async (_, isSummedAgain) => {
    if (isSummedAgain) while (await log.store.retain(keepAll, now + 25 * hour));
    let longRanges = 0;
    await fc.assert(
      fc.asyncProperty(request, async (wanted) => {
        const found = await log.queries.stats(statsRequest(wanted));
        expectFigures(found, wanted);
        expect(found.uncounted_since).toBeNull();
        if (found.until - found.since > 50 * hour) longRanges += 1;
      }),
      { numRuns: 150 },
    );
    expect(longRanges).toBeGreaterThan(30);
  });

  it.skipIf(skipping(kind.missing))('are those of the newest part of the range if its time is over', async () => {
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(request, fc.integer({ min: 3, max: 14 }), async (wanted, statements) => {
        const found = await log.limitedQueries(statements).stats(statsRequest(wanted)).catch(onlyTimeout);
        if (found === undefined) return;
        expectFigures(found, wanted);
        if (found.uncounted_since === null) return;
        cut += 1;
        expect(found.uncounted_since).toBeLessThan(found.since);
        expect(found.since).toBeLessThanOrEqual(found.until);
      }),
      { numRuns: 150 },
    );
    expect(cut).toBeGreaterThan(30);
  });

  it.skipIf(skipping(kind.missing))('include each metadata key, also if a day has more than are counted by minute', async () => {
    const { store, queries } = await kind.open(() => now);
    const names = Array.from({ length: 25 }, (_, i) => `k${i}`);
    const entries = names.map((name, i) =>
      entryOf(sampleRecord({ id: `req_${name}`, at: start + i, metadata: { [name]: 'a' }, labels: {} })),
    );
    await write(store, entries);
    for (const name of names) {
      const { groups } = await queries.stats({ query: 'since:8d', by: `meta.${name}` });
      expect(groups.map(({ name, requests }) => [name, requests])).toEqual([
        [null, 24],
        ['a', 1],
      ]);
    }
  });
});
