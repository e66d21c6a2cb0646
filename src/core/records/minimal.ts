import { emptyRecord } from './empty.ts';
import type { LogRecord, MessageRecord } from './record.ts';

/** Basic facts known of every request: strings and numbers only, so that serialization cannot fail. */
export type RecordFacts = Pick<
  LogRecord,
  'id' | 'at' | 'endpoint' | 'method' | 'path' | 'stream' | 'status' | 'end' | 'error' | 'random'
> & {
  readonly revision: string;
  readonly totalMs: number;
};

/** Maximum length of a path and of an error message, in characters. */
const limit = 512;

/**
 * A minimal record for a request whose record could not be built or serialized, so that every request has a record. All
 * keys are present, as in every record.
 */
export function minimalRecord(facts: RecordFacts): LogRecord {
  const { error } = facts;
  return {
    ...emptyRecord,
    admitted: true,
    id: facts.id,
    at: facts.at,
    endpoint: facts.endpoint,
    method: facts.method,
    path: facts.path.slice(0, limit),
    stream: facts.stream,
    status: facts.status,
    error: error === null ? null : { code: error.code, source: error.source, message: error.message.slice(0, limit) },
    revision: facts.revision,
    ms: { total: Math.round(facts.totalMs * 10) / 10, first_event: null, overhead: 0 },
    warnings: ['The gateway could not build the complete record of this request.'],
    end: facts.end,
    request: lost,
    upstream: lost,
    response: lost,
    random: facts.random,
  };
}

const lost: MessageRecord = Object.freeze({ headers: Object.freeze({}), body: null, why_absent: 'the record could not be built' });
