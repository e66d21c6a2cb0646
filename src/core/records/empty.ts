import type { LogRecord, MessageRecord } from './record.ts';

const none: Readonly<Record<string, never>> = Object.freeze({});
const noMessage: MessageRecord = Object.freeze({
  headers: none,
  body: null,
  why_absent: 'headers and bodies of requests that were rejected by their head are not stored',
});

/** Default values for the record of a request that was not admitted: members equal to these are not written. */
export const emptyRecord: LogRecord = Object.freeze({
  v: 1,
  id: '',
  trace: Object.freeze({ trace_id: '', span_id: null, parent: null, span_name: null, traceparent: null }),
  at: 0,
  endpoint: '',
  method: '',
  path: '',
  stream: false,
  status: 0,
  error: null,
  admitted: false,
  key: null,
  key_id: null,
  virtual_key: null,
  config: null,
  prompt: null,
  revision: '',
  target: null,
  provider: null,
  type: null,
  model: Object.freeze({ asked: null, sent: null, answered: null }),
  foundation_model: null,
  attempts: Object.freeze([]),
  plugins: Object.freeze([]),
  ms: Object.freeze({ total: 0, first_event: null, overhead: 0 }),
  usage: Object.freeze({
    prompt: 0,
    completion: 0,
    cached: 0,
    cache_write: 0,
    reasoning: 0,
    audio_in: 0,
    audio_out: 0,
    source: 'none',
  }),
  cost: Object.freeze({ usd: null, source: null, prices: none }),
  finish: Object.freeze([]),
  response_id: null,
  lane: 'none',
  strict: true,
  dropped: Object.freeze([]),
  warnings: Object.freeze([]),
  overruled: Object.freeze([]),
  cache: 'DISABLED',
  guardrails: Object.freeze([]),
  notes: none,
  metadata: none,
  labels: none,
  client: Object.freeze({ ip: null, agent: null }),
  socket: null,
  bytes: Object.freeze({ in: 0, out: 0 }),
  end: 'fault',
  request: noMessage,
  upstream: noMessage,
  response: noMessage,
  random: 0,
  route: Object.freeze([]),
  preview: null,
  bodies: 'none',
  redactions: none,
});

/** Returns the members that differ from `emptyRecord`; readers fill in the missing ones from it. */
export function withoutEmpty(record: LogRecord): Partial<LogRecord> {
  const changed = Object.entries(record).filter(([name, value]) => value !== emptyRecord[name as keyof LogRecord]);
  // First in the line: readers of rows skip what follows the messages, and `admitted` determines how the line is read.
  return { v: 1, admitted: false, ...Object.fromEntries(changed) };
}
