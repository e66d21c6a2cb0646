import { emptyRecord } from './empty.ts';
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
