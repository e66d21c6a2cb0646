import type { LogRecord } from '../src/core/records/record.ts';
import { encodeRecord } from '../src/store/encode.ts';
import { sampleRecord, wholeSlice } from '../src/store/fixtures/sample.ts';
import type { LogStore, StoredEntry } from '../src/store/log/log-store.ts';
import { rowOf } from '../src/store/log/stored-row.ts';

/** Number of records, and the time range (Unix milliseconds). */
export interface LogFilling {
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

/** Fills a request log with records of simulated traffic, the same in each run. */
export async function fillLog(store: LogStore, filling: LogFilling): Promise<void> {
  seed = 42;
  for (let i = 0; i < filling.count; i += 1000) {
    const records = Array.from({ length: Math.min(1000, filling.count - i) }, (_, n) => entryOf(makeRecord(i + n, filling)));
    await store.write({ records, amendments: [], positions: [], deletedSegments: [] });
  }
}

let seed = 42;
/** In [0, 1), the same in each run. */
function random(): number {
  seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
  return seed / 4_294_967_296;
}
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() ** 2 * list.length)] as T;

const models = [
  'gpt-4o',
  'gpt-4o-mini',
  'claude-sonnet-4-5',
  'gemini-2.5-pro',
  'o3-mini',
  'claude-haiku-4-5',
  'mistral-large',
  'gemini-2.5-flash',
];
const configs = ['support', 'search', 'batch', 'agents', 'rare'];
const keys = ['app-web', 'app-ios', 'app-android', 'backend', 'analytics', 'team-x'];
const words =
  'please refund my order and tell me when the parcel arrives because I have waited for a long time now thanks best regards'.split(' ');

function makeRecord(i: number, { count, from, to }: LogFilling): LogRecord {
  const at = Math.floor(from + ((to - from) * i) / count);
  const status = random() < 0.96 ? 200 : pick([429, 500, 503, 400, 408]);
  const base = sampleRecord();
  const total = 200 + random() ** 6 * 30_000;
  const tokens = Math.floor(random() ** 3 * 20_000);
  const preview = Array.from({ length: 25 }, () => pick(words)).join(' ') + (i % 5000 === 7 ? ' unicorn' : '');
  return {
    ...base,
    id: `req_${i.toString(36).toUpperCase().padStart(26, '0')}`,
    trace: { ...base.trace, trace_id: (i - (i % 3)).toString(16).padStart(32, '0') },
    at,
    status,
    error:
      status === 200
        ? null
        : { code: pick(['rate_limited', 'timeout', 'provider_error']), source: 'provider', message: 'Rate limit reached for requests' },
    config: pick(configs),
    key: pick(keys),
    model: { asked: pick(models), sent: pick(models), answered: null },
    provider: pick(['openai-main', 'azure-eu', 'anthropic', 'vertex']),
    ms: { total, first_event: total / 4, overhead: 0.5 + random() * 3 },
    usage: { ...base.usage, prompt: tokens, completion: Math.floor(tokens / 5) },
    cost: { usd: (tokens * 0.000_001_5).toFixed(7), source: 'genai-prices', prices: {} },
    metadata: { user: `u${Math.floor(random() * 5000)}`, team: pick(['web', 'ios', 'ops']) },
    preview,
    bodies: 'metadata',
  };
}

function entryOf(record: LogRecord): StoredEntry {
  const frame = encodeRecord(record, {});
  return { row: rowOf(record), record, bodies: {}, slice: wholeSlice(Buffer.from(`${frame.line}\n\n`)) };
}
