import type { LogRow } from '../../../src/core/logs/row.ts';

/** Returns a generator of numbers in [0, 1) that are the same in each run. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const questions = [
  'How do I reset the password of a customer?',
  'Summarize this contract in five sentences and name the notice period.',
  'Write a test for the parser that splits events at blank lines.',
  'Translate the release notes into French, please keep the product names.',
  'Which of these invoices are overdue?',
  'hi',
];
const leaves = [
  { provider: 'openai-main', model: 'gpt-4o-mini' },
  { provider: 'openai-main', model: 'gpt-4o' },
  { provider: 'azure-eu', model: 'gpt-4o-mini' },
  { provider: 'claude', model: 'claude-sonnet-4-5' },
  { provider: 'vertex-eu', model: 'gemini-2.5-flash' },
];
const failures = [
  { status: 429, error: 'rate_limited', message: 'openai-main returned 429 ("Rate limit reached").' },
  { status: 500, error: 'all_targets_failed', message: 'All 2 targets of config "support" failed.' },
  { status: 401, error: 'invalid_api_key', message: 'The gateway API key is not known.' },
  { status: 408, error: 'timeout', message: 'openai-main did not answer within 30 s.' },
];

const pick = <T>(list: readonly T[], x: number): T => list[Math.floor(x * list.length)] as T;

/** Creates a plausible row; `n` is its number. */
export function makeRow(n: number, at: number, random: () => number): LogRow {
  const leaf = pick(leaves, random() ** 1.6);
  const failure = random() < 0.04 ? pick(failures, random()) : undefined;
  const ttft = Math.round(180 + 900 * random() ** 3);
  const latency = failure === undefined ? ttft + Math.round(3000 * random() ** 2) : Math.round(20 + 600 * random());
  const fallback = failure === undefined && random() < 0.06;
  const input = Math.round(40 + 2500 * random() ** 3);
  const output = failure === undefined ? Math.round(10 + 600 * random() ** 2) : 0;
  const stream = random() < 0.6;
  const serial = n.toString(36).toUpperCase().padStart(6, '0');
  return {
    id: `req_01JD3K8ZQ4M6N7P8R9S0${serial}`,
    at,
    status: failure?.status ?? 200,
    end: failure === undefined ? 'whole' : 'fault',
    error: failure?.error ?? null,
    message: failure?.message ?? null,
    endpoint: leaf.provider === 'claude' ? 'messages' : 'chat/completions',
    stream,
    config: pick(['support', 'support', 'draft', 'search'], random()),
    ...leaf,
    key: pick(['app-web', 'app-web', 'batch', 'ci'], random()),
    virtual_key: null,
    latency,
    ttft: stream ? ttft : null,
    overhead: 2 + Math.round(40 * random()) / 10,
    tokens_in: input,
    tokens_out: output,
    tokens_cached: random() < 0.3 ? Math.round(input / 2) : 0,
    tokens_reasoning: random() < 0.1 ? Math.round(output / 2) : 0,
    cost: random() < 0.03 ? null : ((input * 15 + output * 60) / 1e8).toFixed(8).replace(/0+$/, ''),
    preview: pick(questions, random()),
    attempts: fallback ? 2 : 1,
    retries: 0,
    fallback,
    reason: fallback ? '429' : null,
    hops: fallback ? [{ provider: 'openai-main', model: 'gpt-4o-mini', said: '429' }] : [],
    finish: failure === undefined ? 'stop' : null,
    cache: 'DISABLED',
    guardrail: null,
    trace: `4bf92f3577b34da6a3ce929d0e${(n % 65_536).toString(16).padStart(6, '0')}`,
    span: null,
    span_name: null,
    parent: null,
    upstream_id: failure === undefined ? `chatcmpl-${serial}` : null,
    prompt: null,
    revision: '91bd0e7c',
    agent: 'OpenAI/Python 1.2.3',
    bytes_in: input * 4,
    bytes_out: output * 60,
    meta: { user: `u${Math.floor(random() * 40)}`, team: pick(['web', 'support', 'data'], random()) },
    label: {},
  };
}

/** Creates rows for the last `hours`, newest first. */
export function makeRows(count: number, now: number, hours = 24): LogRow[] {
  const random = randomFrom(7);
  const rows: LogRow[] = [];
  const width = (hours * 3_600_000) / Math.max(1, count);
  for (let n = count; n > 0; n--) rows.push(makeRow(n, Math.round(now - (count - n + random()) * width), random));
  return rows;
}

/** Creates a row with extreme values in every member that a caller or a provider can set. */
export function absurdRow(now: number): LogRow {
  const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(5);
  return {
    ...makeRow(1, now, randomFrom(1)),
    id: 'req_01JD3K8ZQ4M6N7P8R9S0ABSURD',
    status: 599,
    error: `${long}_failed`,
    message: `<script>alert(1)</script> ${long}`,
    config: long,
    provider: long,
    model: `deployments/${long}/${long}`,
    key: long,
    latency: 987_654_321,
    ttft: 123_456_789,
    tokens_in: 987_654_321,
    tokens_out: 987_654_321,
    cost: '123456789.123456789123',
    preview: `<img src=x onerror=alert(1)> ${long} ${'🧨'.repeat(200)} \u202Eright to left`,
    fallback: true,
    attempts: 9,
    hops: Array.from({ length: 8 }, () => ({ provider: long, model: long, said: 'timeout' })),
    agent: long,
    meta: { [long]: long },
  };
}
