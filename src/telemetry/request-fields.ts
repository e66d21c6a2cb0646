import { withoutEmpty } from '../core/records/empty.ts';
import type { AttemptRecord, LogRecord } from '../core/records/record.ts';

/** Returns the fields of a finished request's JSON line: the record without messages, plugins and data for replays, with the same names. */
export function requestFields(record: LogRecord): object {
  if (!record.admitted) return rejectedFields(record);
  return {
    id: record.id,
    trace_id: record.trace.trace_id,
    at: record.at,
    endpoint: record.endpoint,
    method: record.method,
    path: record.path,
    stream: record.stream,
    status: record.status,
    error: record.error,
    key: record.key,
    virtual_key: record.virtual_key,
    config: record.config,
    prompt: record.prompt,
    revision: record.revision,
    target: record.target,
    provider: record.provider,
    type: record.type,
    model: record.model,
    attempts: record.attempts.map(attemptFields),
    ms: record.ms,
    usage: record.usage,
    cost: record.cost,
    finish: record.finish,
    lane: record.lane,
    dropped: record.dropped,
    warnings: record.warnings,
    overruled: record.overruled,
    cache: record.cache,
    notes: record.notes,
    socket: record.socket,
    metadata: record.metadata,
    labels: record.labels,
    client: record.client,
    bytes: record.bytes,
    end: record.end,
  };
}

/** Fields for a rejected caller: only non-empty ones, with the same names as in other lines. */
function rejectedFields(record: LogRecord): object {
  const { v: _, trace, ...fields } = withoutEmpty(record);
  return { id: record.id, trace_id: trace?.trace_id ?? record.trace.trace_id, ...fields };
}

export function attemptFields({ target, provider, model, outcome, status }: AttemptRecord): object {
  return { target, provider, model, outcome, status };
}
