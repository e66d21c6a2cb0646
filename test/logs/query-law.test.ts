import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toRow } from '../../src/core/logs/row.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { matcher } from '../../src/query/match.ts';
import { parseFilter } from '../../src/query/parse.ts';
import { quoteValue } from '../../src/query/suggest.ts';
import { sampleRecord } from '../../src/store/fixtures/sample.ts';
import { skipping } from '../support/skipping.ts';
import { entryOf, type Kind, type OpenLog, postgresKind, sqliteKind, write } from './stores.ts';

const start = 1_795_253_000_000;
const span = 100 * 3_600_000;
const now = start + span;
const day = 86_400_000;

/** Texts that databases, patterns and indexes often handle wrongly. Few, so that filters match something. */
const nasty = [
  'a',
  'A',
  'ab',
  'a%b',
  'a_b',
  '%',
  '_',
  '*',
  'a*b',
  '?',
  '[a]',
  '[',
  '\\',
  '\\%',
  "'",
  '"',
  "';DROP TABLE requests;--",
  '$1',
  '?1',
  ':x',
  '{',
  '\0',
  'a\0b',
  '\u{fffd}',
  'é',
  'e\u0301',
  'É',
  'straße',
  'STRASSE',
  'İ',
  '日本語',
  '日本',
  '한국어',
  'ภาษาไทย',
  '🎉',
  '👩‍👩‍👧',
  '\ud83d',
  '\u{10ffff}',
  '\u{e000}',
  '\u{d7ff}a',
  ' ',
  'a b',
  'a,b',
  '-a',
  '>5',
  '0',
  '1',
  'null',
  'NULL',
  'x'.repeat(399),
  'x'.repeat(400),
  'x'.repeat(401),
  '🎉'.repeat(300),
  // Shortened within a character.
  `${'x'.repeat(399)}🎉`,
  'x'.repeat(1800),
  'x\n',
  'OR',
  'NEAR(a b)',
  'a:b',
  'a"b',
  '4xx',
  'refund order',
  'refund',
  'Refund.',
  'order',
] as const;

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...nasty) },
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ maxLength: 6 }),
);
const textOrNull = fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: text });
const usualNumbers = [0, 1, 2, 199, 200, 399, 400, 404, 500, 599, 1000, 0.5, 1999.5, 2000];
/** As a provider or a clock may report them: negative, beyond exact integers, beyond a limit, tiny and huge. */
const strangeNumbers = [-1, -0.5, 0.1 + 0.2, 1e-9, 1e12, 1e12 + 1, 2 ** 53, 2 ** 53 + 2, 2 ** 63, Number.MIN_VALUE, 1e300];
const number = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...usualNumbers) },
  { weight: 4, arbitrary: fc.nat(5000) },
  { weight: 1, arbitrary: fc.constantFrom(...strangeNumbers) },
);
const integer = number.map(Math.floor);
/** The longest amounts, below and above what a store can add up. */
const strangeMoney = ['-0.01', '-0', '999999', '1000000', '1000000.000000000001', '999999999999999', '9999999999999999', '1e3', ''];
const money = fc.oneof(
  fc.constantFrom(null, '0', '0.01', '0.010', '0.0100000000001', '0.000000000001', '1', '12.5', '99999999', ...strangeMoney),
  fc.nat(3000).map((n) => `0.${String(n).padStart(5, '0')}`),
);
/** Anywhere, or at the edge of a day of UTC. */
const moment = fc.oneof(
  { weight: 3, arbitrary: fc.nat(span).map((ms) => start + ms) },
  fc.tuple(fc.nat(span), fc.constantFrom(0, -1, 1)).map(([ms, shift]) => Math.ceil((start + ms) / day) * day + shift),
);
/** The time in each form in which it can be written. */
const written = fc.tuple(moment, fc.nat(4)).map(([at, form]) => {
  const iso = new Date(at).toISOString();
  const east = new Date(at + 5.75 * 3_600_000).toISOString().replace('Z', '+05:45');
  return [String(at), iso, iso.slice(0, 10), `"${iso.replace('T', ' ').slice(0, 16)}"`, east][form] ?? iso;
});
const phrase = fc.array(text, { minLength: 0, maxLength: 4 }).map((texts) => texts.join(' '));
const texts = fc.dictionary(fc.constantFrom('user', 'team', 'a.b', 'my key', '%', 'é', '"'), text, { maxKeys: 3 });

const record: fc.Arbitrary<Partial<LogRecord>> = fc
  .record({
    at: moment,
    status: integer,
    config: textOrNull,
    provider: textOrNull,
    key: textOrNull,
    virtual_key: textOrNull,
    endpoint: text,
    sent: textOrNull,
    stream: fc.boolean(),
    latency: number,
    ttft: fc.oneof(fc.constant(null), number),
    tokens: integer,
    usd: money,
    preview: fc.oneof(fc.constant(null), phrase),
    code: textOrNull,
    message: phrase,
    metadata: texts,
    labels: texts,
    targets: fc.array(fc.record({ target: fc.constantFrom('t1', 't2'), status: fc.constantFrom(429, 500, null), outcome: text }), {
      maxLength: 3,
    }),
    upstream: textOrNull,
    agent: textOrNull,
    revision: text,
    spanName: textOrNull,
  })
  .map((generated) => ({
    at: generated.at,
    status: generated.status,
    config: generated.config,
    provider: generated.provider,
    key: generated.key,
    virtual_key: generated.virtual_key,
    endpoint: generated.endpoint,
    stream: generated.stream,
    model: { asked: null, sent: generated.sent, answered: null },
    ms: { total: generated.latency, first_event: generated.ttft, overhead: generated.latency / 7 },
    usage: { ...sampleRecord().usage, prompt: generated.tokens, completion: generated.tokens % 7 },
    cost: { usd: generated.usd, source: null, prices: {} },
    preview: generated.preview,
    error: generated.code === null ? null : { code: generated.code, source: 'provider' as const, message: generated.message },
    metadata: generated.metadata,
    labels: generated.labels,
    revision: generated.revision,
    trace: { ...sampleRecord().trace, span_name: generated.spanName },
    client: { ip: null, agent: generated.agent },
    attempts: generated.targets.map(({ target, status, outcome }, n) => ({
      ...sampleRecord().attempts[0]!,
      n,
      target,
      status,
      outcome,
      upstream_id: generated.upstream,
    })),
  }));

/** A value as a user writes it: quoted, unquoted, with wildcards at the start, at the end and in between. */
const value = fc.oneof(
  text.map(quoteValue),
  fc.tuple(text, fc.constantFrom('*', '')).map(([some, star]) => `${quoteValue(some)}${star}`),
  fc.tuple(fc.constantFrom('*', ''), text, text).map(([star, a, b]) => `${star}${quoteValue(a)}*${quoteValue(b)}`),
  fc.constantFrom('*', '""'),
);
const names = [
  'config',
  'provider',
  'model',
  'key',
  'virtual_key',
  'endpoint',
  'error',
  'reason',
  'end',
  'finish',
  'cache',
  'upstream_id',
  'agent',
  'revision',
  'guardrail',
  'prompt',
  'span',
  'span_name',
  'meta.user',
  'meta.team',
  'meta.a.b',
  'meta."my key"',
  'meta.%',
  'meta.é',
  String.raw`meta."\""`,
  'meta.none',
  'label.user',
  'label.team',
];
const sign = fc.constantFrom('', '>', '>=', '<', '<=');
const strangeAmounts = [
  '-1',
  '-0',
  '-0.01',
  '9007199254740993',
  '999999999999999999',
  '0.300000000000000044',
  '1000000m',
  '-5k',
  '1000000',
];
const numberTerm = fc.tuple(
  fc.constantFrom('status', 'attempts', 'retries', 'latency', 'ttft', 'overhead', 'tokens_in', 'tokens_out', 'cost'),
  fc.array(
    fc.oneof(
      fc.tuple(sign, number).map(([by, n]) => `${by}${n}`),
      fc.constant('*'),
      fc.tuple(sign, fc.constantFrom('0.01', '0.000000000001', '12.5', ...strangeAmounts)).map((pair) => pair.join('')),
    ),
    { minLength: 1, maxLength: 2 },
  ),
);
const term = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...names), fc.array(value, { minLength: 1, maxLength: 3 }))
      .map(([name, values]) => `${name}:${values.join(',')}`),
  },
  { weight: 2, arbitrary: numberTerm.map(([name, values]) => `${name}:${values.join(',')}`) },
  {
    weight: 3,
    arbitrary: fc.array(fc.oneof(text, phrase).map(quoteValue), { minLength: 1, maxLength: 2 }).map((texts) => texts.join(',')),
  },
  fc.constantFrom('stream:true', 'stream:false', 'fallback:yes', 'fallback:no', 'status:2xx', 'status:4xx,5xx'),
  written.map((at) => `since:${at}`),
  written.map((at) => `until:${at}`),
);
const filters = fc
  .array(
    fc.tuple(fc.constantFrom('', '', '-'), term).map((pair) => pair.join('')),
    { minLength: 1, maxLength: 3 },
  )
  .map((terms) => terms.join(' '))
  .filter((filter) => 'filter' in parseFilter(filter, now));

async function idsIn(log: OpenLog, query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = await log.queries.search({ query, before, limit: 60 });
    ids.push(...page.rows.map(({ id }) => id));
    if (page.next === null) return ids;
    before = page.next;
  }
}

describe.each<Kind>([sqliteKind(), postgresKind()])('filters on $name', (kind) => {
  const records = fc
    .sample(record, { numRuns: 200, seed: 7 })
    .map((some, i) => sampleRecord({ ...some, id: `req_${String(i).padStart(4, '0')}` }));
  const rows = records.map(toRow);
  let log: OpenLog;
  beforeAll(async () => {
    if (kind.missing !== undefined) return;
    await kind.start();
    log = await kind.open(() => now);
    // Half of the words are indexed, the others are not yet.
    await write(
      log.store,
      records.slice(0, 100).map((some) => entryOf(some)),
    );
    while (await log.store.index('all'));
    for (let from = 100; from < 200; from += 25)
      await write(
        log.store,
        records.slice(from, from + 50).map((some) => entryOf(some)),
      );
  });
  afterAll(() => kind.end());

  it.skipIf(skipping(kind.missing))('return the same rows as the filter in memory, newest first, over several pages', async () => {
    let matchCount = 0;
    await fc.assert(
      fc.asyncProperty(filters, async (query) => {
        const parsed = parseFilter(query, now);
        if ('problem' in parsed) throw new Error(parsed.problem.message);
        const fitting = rows.filter(matcher(parsed.filter));
        const ids = await idsIn(log, query);
        expect(ids.toSorted()).toEqual(fitting.map(({ id }) => id).toSorted());
        const at = new Map(rows.map((row) => [row.id, row.at]));
        expect(ids.map((id) => at.get(id))).toEqual(fitting.map((row) => row.at).toSorted((a, b) => b - a));
        if (fitting.length > 0 && fitting.length < rows.length) matchCount += 1;
      }),
      { numRuns: 250 },
    );
    // A property about empty results proves nothing.
    expect(matchCount).toBeGreaterThan(80);
  });

  it.skipIf(skipping(kind.missing))('count the matching rows', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (query) => {
        const parsed = parseFilter(query, now);
        if ('problem' in parsed) throw new Error(parsed.problem.message);
        const { since, until } = parsed.filter;
        const { total } = await log.queries.stats({ query });
        // A filter with only a start counts whole minutes.
        const countedFilter =
          since === null || until !== null ? parsed.filter : { ...parsed.filter, since: Math.floor(since / 60_000) * 60_000 };
        expect(total.requests).toBe(rows.filter(matcher(countedFilter)).length);
      }),
      { numRuns: 60 },
    );
  });
});
