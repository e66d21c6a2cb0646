import type { LogRecord, MessageRecord } from './record.ts';

/** What is known of every request, whatever happened to it: texts and numbers, nothing that has to be walked. */
export type RecordFacts = Pick<
  LogRecord,
  'id' | 'at' | 'endpoint' | 'method' | 'path' | 'stream' | 'status' | 'end' | 'error' | 'random'
> & {
  readonly revision: string;
  readonly totalMs: number;
};

/** Characters of a path and of an error's message. */
const limit = 512;

/**
 * The record of a request whose own record could not be made or written: a request that was answered leaves one in any
 * case. All keys are there, as in every record.
 */
export function bareRecord(facts: RecordFacts): LogRecord {
  const { error } = facts;
  return {
    v: 1,
    id: facts.id,
    trace: { trace_id: '', span_id: null, parent: null, span_name: null },
    at: facts.at,
    endpoint: facts.endpoint,
    method: facts.method,
    path: facts.path.slice(0, limit),
    stream: facts.stream,
    status: facts.status,
    error: error === null ? null : { code: error.code, source: error.source, message: error.message.slice(0, limit) },
    key: null,
    key_id: null,
    virtual_key: null,
    config: null,
    prompt: null,
    revision: facts.revision,
    target: null,
    provider: null,
    type: null,
    model: { asked: null, sent: null, answered: null },
    foundation_model: null,
    attempts: [],
    plugins: [],
    ms: { total: Math.round(facts.totalMs * 10) / 10, first_event: null, overhead: 0 },
    usage: { prompt: 0, completion: 0, cached: 0, cache_write: 0, reasoning: 0, audio_in: 0, audio_out: 0, source: 'none' },
    cost: { usd: null, source: null },
    finish: [],
    lane: 'none',
    strict: true,
    dropped: [],
    warnings: ['The gateway could not make the whole record of this request.'],
    cache: 'DISABLED',
    guardrails: [],
    metadata: {},
    labels: {},
    client: { ip: null, agent: null },
    bytes: { in: 0, out: 0 },
    end: facts.end,
    request: lost,
    upstream: lost,
    response: lost,
    random: facts.random,
  };
}

const lost: MessageRecord = Object.freeze({ headers: Object.freeze({}), body: null, why_absent: 'the record could not be made' });
