import type { LogRecord } from '../../core/records/record.ts';
import { free } from '../../core/cost/cost.ts';
import { emptyRecord } from '../../core/records/empty.ts';
import { bounded, boundedOrNull } from './bounds.ts';
import type { Ending } from './messages.ts';
import { notesOf } from './notes.ts';
import type { RequestContext } from '../request.ts';

/** Limits in characters: a request that is not admitted adds only a few hundred bytes to the log. */
const short = { trace: 36, path: 96, message: 160, agent: 64 } as const;

/** The record of a request that was rejected before the caller was known. It has no body, headers or labels. */
export function unadmittedRecord(ctx: RequestContext, { error, status, end, bytesOut, totalMs }: Ending): LogRecord {
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
    revision: ctx.snapshot.revision,
    ms: { total: Math.round(totalMs * 10) / 10, first_event: null, overhead: 0 },
    client: { ip: ctx.peer ?? null, agent: boundedOrNull(ctx.headers.get('user-agent'), short.agent) },
    cost: free,
    bytes: { in: 0, out: bytesOut },
    end,
    notes: notesOf(ctx),
  };
}
