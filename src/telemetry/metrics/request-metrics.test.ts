import { describe, expect, it } from 'vitest';
import { toRow } from '../../core/logs/row.ts';
import { emptyRecord } from '../../core/records/empty.ts';
import type { AttemptRecord, LogRecord } from '../../core/records/record.ts';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { Exposition } from './expose.ts';
import { RequestMetrics } from './request-metrics.ts';

const noModels = { asked: null, sent: null, answered: null };
const attempt = sampleRecord().attempts[0] as AttemptRecord;
const settings = {
  metadataLabels: ['team'],
  providerName: (type: string) => (type === 'azure-openai' ? 'azure.ai.openai' : type),
  mask: (text: string) => text,
};

async function linesOf(metrics: RequestMetrics): Promise<readonly string[]> {
  const exposition = new Exposition();
  for (const family of metrics.families) await exposition.family(family.row, family);
  return exposition.text().split('\n');
}

async function counted(...records: readonly Partial<LogRecord>[]): Promise<readonly string[]> {
  const metrics = new RequestMetrics(settings);
  for (const record of records) metrics.add(sampleRecord(record));
  return linesOf(metrics);
}

/** The line of a histogram with this many values: none, where there are no values. */
const endingWith = (count: number): readonly unknown[] => (count === 0 ? [] : [expect.stringMatching(new RegExp(` ${count}$`))]);

describe('RequestMetrics counts a request', () => {
  const failedAttempt = { ...attempt, status: 429, target: 'configs.support.targets[0]', provider: 'openai-main' };
  it.each<[string, Partial<LogRecord>, readonly string[]]>([
    [
      'with its route and metadata',
      {},
      ['gateway_requests_total{config="support",provider="azure-eu",model="gpt-4o-mini",status="200",key="app-web",meta_team="web"} 1'],
    ],
    [
      'in seconds',
      {},
      [
        'gateway_request_duration_seconds_sum{config="support",provider="azure-eu",model="gpt-4o-mini"} 0.8123',
        'gateway_request_duration_seconds_bucket{config="support",provider="azure-eu",model="gpt-4o-mini",le="0.5"} 0',
        'gateway_request_duration_seconds_bucket{config="support",provider="azure-eu",model="gpt-4o-mini",le="1"} 1',
        'gateway_request_duration_seconds_bucket{config="support",provider="azure-eu",model="gpt-4o-mini",le="+Inf"} 1',
        'gateway_time_to_first_token_seconds_count{provider="azure-eu",model="gpt-4o-mini"} 1',
        'gateway_overhead_seconds_sum{endpoint="chat/completions"} 0.0006',
      ],
    ],
    [
      'by the GenAI semantic conventions',
      {},
      [
        'gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="azure.ai.openai",gen_ai_request_model="gpt-4o-mini",gen_ai_response_model="gpt-4o-mini-2024-07-18",error_type=""} 1',
        'gen_ai_client_token_usage_sum{gen_ai_operation_name="chat",gen_ai_provider_name="azure.ai.openai",gen_ai_request_model="gpt-4o-mini",gen_ai_response_model="gpt-4o-mini-2024-07-18",gen_ai_token_type="output"} 88',
        'gen_ai_client_operation_time_to_first_chunk_seconds_sum{gen_ai_operation_name="chat",gen_ai_provider_name="azure.ai.openai",gen_ai_request_model="gpt-4o-mini",gen_ai_response_model="gpt-4o-mini-2024-07-18"} 0.2402',
        'gen_ai_server_time_to_first_token_seconds_sum{gen_ai_operation_name="chat",gen_ai_provider_name="azure.ai.openai",gen_ai_request_model="gpt-4o-mini",gen_ai_response_model="gpt-4o-mini-2024-07-18"} 0.2402',
      ],
    ],
    [
      'with tokens and token details',
      { usage: { ...emptyRecord.usage, prompt: 10, completion: 5, cached: 4, reasoning: 3, source: 'reported' } },
      [
        'gateway_tokens_total{provider="azure-eu",model="gpt-4o-mini",direction="input",meta_team="web"} 10',
        'gateway_token_details_total{provider="azure-eu",model="gpt-4o-mini",kind="cached"} 4',
        'gateway_token_details_total{provider="azure-eu",model="gpt-4o-mini",kind="reasoning"} 3',
        'gateway_unpriced_requests_total{provider="azure-eu",model="gpt-4o-mini"} 1',
      ],
    ],
    [
      'with its price',
      { cost: { usd: '0.000102', source: null, prices: {} } },
      [
        'gateway_cost_usd_total{config="support",provider="azure-eu",model="gpt-4o-mini",key="app-web",meta_team="web"} 0.000102',
        'gateway_unpriced_requests_total{provider="azure-eu",model="gpt-4o-mini"} 0',
      ],
    ],
    [
      'with the tokens and the price of a realtime session',
      {
        endpoint: 'realtime',
        usage: { ...emptyRecord.usage, prompt: 10, completion: 5, audio_in: 4, source: 'reported' },
        cost: { usd: '0.5', source: null, prices: {} },
      },
      [
        'gateway_tokens_total{provider="azure-eu",model="gpt-4o-mini",direction="output",meta_team="web"} 5',
        'gateway_token_details_total{provider="azure-eu",model="gpt-4o-mini",kind="audio_in"} 4',
        'gateway_cost_usd_total{config="support",provider="azure-eu",model="gpt-4o-mini",key="app-web",meta_team="web"} 0.5',
      ],
    ],
    [
      'with the price of images',
      {
        endpoint: 'images/generations',
        usage: { ...emptyRecord.usage, details: { images: 2 } },
        cost: { usd: '0.08', source: null, prices: {} },
      },
      ['gateway_cost_usd_total{config="support",provider="azure-eu",model="gpt-4o-mini",key="app-web",meta_team="web"} 0.08'],
    ],
    [
      'with the unknown price of images',
      { endpoint: 'images/generations', usage: { ...emptyRecord.usage, details: { images: 2 } } },
      ['gateway_unpriced_requests_total{provider="azure-eu",model="gpt-4o-mini"} 1'],
    ],
    [
      'with a given price and without usage',
      { endpoint: 'relay', usage: emptyRecord.usage, cost: { usd: '0.005', source: null, prices: {} } },
      ['gateway_cost_usd_total{config="support",provider="azure-eu",model="gpt-4o-mini",key="app-web",meta_team="web"} 0.005'],
    ],
    [
      'with its fallback',
      { attempts: [failedAttempt, attempt] },
      [
        'gateway_attempts_total{provider="openai-main",model="gpt-4o-mini",outcome="429"} 1',
        'gateway_attempts_total{provider="azure-eu",model="gpt-4o-mini",outcome="200"} 1',
        'gateway_fallbacks_total{config="support",from="openai-main",to="azure-eu",reason="429"} 1',
      ],
    ],
    [
      'with its retry',
      { attempts: [{ ...attempt, status: null, outcome: 'timeout' }, attempt] },
      ['gateway_retries_total{provider="azure-eu",model="gpt-4o-mini",reason="timeout"} 1'],
    ],
    [
      'with the limit that rejected it',
      { ...emptyRecord, admitted: true, key: 'app', status: 429, error: { code: 'rate_limited', source: 'gateway', message: '' } },
      [
        'gateway_limit_rejections_total{limit="rate",key="app"} 1',
        'gateway_errors_total{code="rate_limited",source="gateway"} 1',
        'gateway_requests_total{config="-",provider="-",model="-",status="429",key="app",meta_team="-"} 1',
      ],
    ],
    [
      'with guardrail verdicts and redactions',
      { guardrails: [{ name: 'pii', verdict: 'deny' }, 'odd', null], redactions: { email: 3 } },
      ['gateway_guardrail_total{name="pii",verdict="deny"} 1', 'gateway_redactions_total{kind="email"} 3'],
    ],
  ])('%s', async (_, record, lines) => {
    expect(await counted(record)).toEqual(expect.arrayContaining([...lines]));
  });
});

it.each([
  ['a', 0],
  ['aa', 1],
  ['ab', 0],
  ['aab', 1],
  ['aba', 0],
  ['aabbb', 3],
])('counts the retries of attempts at targets %s like the figures do: %i', async (targets, retries) => {
  const attempts = Array.from(targets, (target, n) => ({ ...attempt, n, target }));
  const lines = (await counted({ attempts })).filter((line) => line.startsWith('gateway_retries_total{'));
  expect(lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).toBe(retries);
  expect(toRow(sampleRecord({ attempts })).retries).toBe(retries);
});

it.each<[string, Partial<LogRecord>]>([
  ['uses nothing', { usage: emptyRecord.usage, cost: { usd: '0', source: null, prices: {} } }],
  ['has neither usage nor price, like a batch', { endpoint: 'batches', usage: emptyRecord.usage }],
])('creates no token and cost series for a request that %s', async (_, record) => {
  expect((await counted(record)).filter((line) => /^gateway_(?:tokens|cost|unpriced)/.test(line))).toEqual([]);
});

it.each<[string, Partial<LogRecord['usage']>, Readonly<Record<string, number>>]>([
  ['reported', { prompt: 9, completion: 4, source: 'reported' }, { input: 1, output: 1 }],
  ['without output, like embeddings', { prompt: 9, source: 'reported' }, { input: 1, output: 0 }],
  ['estimated', { prompt: 9, completion: 4, source: 'estimated' }, { input: 0, output: 0 }],
  ['not counted in tokens', { source: 'reported', details: { seconds: 3 } }, { input: 0, output: 0 }],
])('records token usage histograms only for reported tokens: usage %s', async (_, usage, counts) => {
  const lines = await counted({ usage: { ...emptyRecord.usage, ...usage } });
  const sizes = lines.filter((line) => line.startsWith('gen_ai_client_token_usage_count'));
  for (const [type, count] of Object.entries(counts))
    expect(sizes.filter((line) => line.includes(`gen_ai_token_type="${type}"`))).toEqual(endingWith(count));
});

it.each<[string, Partial<LogRecord>, Partial<LogRecord>]>([
  ['model', { attempts: [], model: noModels }, { attempts: [], model: { ...noModels, asked: 'null' } }],
  ['key', { key: null }, { key: 'null' }],
  ['metadata', { metadata: {} }, { metadata: { team: 'undefined' } }],
])('distinguishes a missing value from the text "null" or "undefined" of a client: %s', async (_, modelWithout, label) => {
  const lines = await counted(modelWithout, label);
  expect(lines.filter((line) => line.startsWith('gateway_requests_total{'))).toEqual([
    expect.stringMatching(/="-".* 1$/),
    expect.stringMatching(/="(?:null|undefined)".* 1$/),
  ]);
});

it.each<[string, number, Partial<LogRecord>]>([
  ['breaks off', 0, { end: 'fault', error: { code: 'stream_interrupted', source: 'provider', message: '' } }],
  ['is rejected by the gateway', 1, { end: 'fault', error: { code: 'internal', source: 'gateway', message: '' } }],
  ['the client cancels', 1, { end: 'client_gone' }],
])('reports the health of a provider whose every stream %s as %i', (_, isUp, record) => {
  for (const attempts of [[attempt], [{ ...attempt, provider: 'first', status: 503 }, attempt]]) {
    const metrics = new RequestMetrics(settings);
    for (let n = 0; n < 3; n += 1) metrics.add(sampleRecord({ ...record, attempts }));
    expect(metrics.isUp('azure-eu', sampleRecord().at + 1000)).toBe(isUp === 1);
  }
});

it('does not count a rate limit of the provider as a limit rejection of the gateway', async () => {
  const error = { code: 'rate_limited', source: 'provider', message: '' } as const;
  expect((await counted({ status: 429, error })).filter((line) => line.includes('limit_rejections'))).toEqual([]);
});

it.each<[string, Partial<LogRecord>, string]>([
  ['succeeds', {}, ''],
  [
    'is rejected',
    { status: 429, error: { code: 'provider_error', source: 'provider', message: '' }, attempts: [{ ...attempt, status: 429 }] },
    '429',
  ],
  ['breaks off', { end: 'fault', error: { code: 'stream_interrupted', source: 'provider', message: '' } }, 'stream_interrupted'],
  ['the client cancels', { status: 499, end: 'client_gone', attempts: [{ ...attempt, status: null, outcome: 'cancelled' }] }, 'cancelled'],
  ['the gateway ends', { end: 'drained', error: { code: 'draining', source: 'gateway', message: '' } }, ''],
])('labels an operation that %s with the error type of its span', async (_, record, type) => {
  const lines = (await counted(record)).filter((line) => line.startsWith('gen_ai_client_operation_duration_seconds_count'));
  expect(lines).toEqual([expect.stringContaining(`,error_type="${type}"} 1`)]);
});

it.each([
  ['skipped', 'skipped', null, 0],
  ['rejected before it was sent', 'refused', null, 0],
  ['rejected after the response arrived', 'refused', 20, 1],
])('records the duration of an operation only if the provider was called: %s', async (_, outcome, firstByte, count) => {
  const attempts = [{ ...attempt, status: null, outcome, first_byte_ms: firstByte }];
  const lines = await counted({ status: 503, attempts, error: { code: 'target_skipped', source: 'gateway', message: '' } });
  const countLines = lines.filter((line) => line.startsWith('gen_ai_client_operation_duration_seconds_count'));
  expect(countLines).toEqual(endingWith(count));
  expect(lines).toContain(`gateway_attempts_total{provider="azure-eu",model="gpt-4o-mini",outcome="${outcome}"} 1`);
});

it.each(['refused', 'skipped', 'cancelled'])('does not change the health of a provider after an attempt that was %s', (outcome) => {
  const metrics = new RequestMetrics(settings);
  for (let n = 0; n < 3; n += 1) metrics.add(sampleRecord({ status: 503, attempts: [{ ...attempt, status: 503 }] }));
  metrics.add(sampleRecord({ attempts: [{ ...attempt, status: null, outcome }] }));
  expect(metrics.isUp('azure-eu', sampleRecord().at + 1000)).toBe(false);
});

it('has no time to first token without streaming', async () => {
  expect((await counted({ stream: false })).filter((line) => line.includes('time_to_first_'))).toEqual([]);
});

it('keeps a series for a working model after thousands of unknown models', async () => {
  const metrics = new RequestMetrics(settings);
  const failed = { status: 404, outcome: 'answered' };
  for (let n = 0; n < 5000; n += 1) metrics.add(sampleRecord({ status: 404, attempts: [{ ...attempt, ...failed, model: `junk-${n}` }] }));
  metrics.add(sampleRecord({ attempts: [{ ...attempt, model: 'real' }] }));
  const lines = (await linesOf(metrics)).filter((line) => line.startsWith('gateway_requests_total'));
  expect(lines).toHaveLength(52);
  expect(lines).toContain(
    'gateway_requests_total{config="support",provider="azure-eu",model="other",status="404",key="app-web",meta_team="web"} 4950',
  );
  expect(lines).toContain(
    'gateway_requests_total{config="support",provider="azure-eu",model="real",status="200",key="app-web",meta_team="web"} 1',
  );
});

it('has a separate label for each metadata key', async () => {
  const metrics = new RequestMetrics({ ...settings, metadataLabels: ['team-a', 'team.a', 'team_a_2'] });
  metrics.add(sampleRecord({ metadata: { 'team-a': 'one', 'team.a': 'two', team_a_2: 'three' } }));
  const [line] = (await linesOf(metrics)).filter((text) => text.startsWith('gateway_requests_total'));
  expect(line).toContain('meta_team_a="one",meta_team_a_2="two",meta_team_a_2_2="three"');
});

it('uses other labels after a reload and keeps the existing series', async () => {
  const metrics = new RequestMetrics(settings);
  metrics.add(sampleRecord());
  metrics.configure({ ...settings, metadataLabels: ['app id'] });
  metrics.add(sampleRecord({ metadata: { 'app id': 'shop' } }));
  const lines = (await linesOf(metrics)).filter((line) => line.startsWith('gateway_requests_total'));
  expect(lines).toEqual([expect.stringContaining('meta_team="web"} 1'), expect.stringContaining('meta_app_id="shop"} 1')]);
});
