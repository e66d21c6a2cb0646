import type { LogRecord } from '../../core/records/record.ts';
import { free } from '../../core/cost/cost.ts';
import { emptyRecord } from '../../core/records/empty.ts';
import { bounded, boundedOrNull, boundedTexts, limits } from './bounds.ts';
import type { Ending } from './messages.ts';
import { notesOf } from './notes.ts';
import type { RequestContext } from '../request.ts';

/** Limits in characters: a request that is not admitted adds only a few hundred bytes to the log. */
const short = { trace: 36, path: 96, message: 160, agent: 64 } as const;

/** The record of a request that was rejected by its head. It has no body, headers or labels, and the key if a caller was identified. */
export function unadmittedRecord(ctx: RequestContext, { error, status, end, bytesOut, totalMs }: Ending): LogRecord {
  const { key } = ctx.facts.caller;
  return {
    ...emptyRecord,
    id: ctx.id,
    trace: { ...emptyRecord.trace, trace_id: bounded(ctx.traceId, short.trace) },
    at: ctx.at,
    endpoint: ctx.endpoint,
    method: ctx.method.slice(0, 16),
    path: bounded(ctx.path, short.path),
    status,
    error: error === null ? null : { ...error, message: bounded(error.message, short.message) },
    key: boundedOrNull(key?.name, limits.name),
    key_id: key?.id || null,
    metadata: key === undefined ? emptyRecord.metadata : boundedTexts(key.metadata),
    revision: ctx.snapshot.revision,
    ms: { total: Math.round(totalMs * 10) / 10, first_event: null, overhead: 0 },
    client: { ip: ctx.peer ?? null, agent: boundedOrNull(ctx.headers.get('user-agent'), short.agent) },
    cost: free,
    bytes: { in: 0, out: bytesOut },
    end,
    notes: notesOf(ctx),
  };
}
