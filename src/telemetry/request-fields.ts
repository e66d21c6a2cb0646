import type { AttemptRecord, LogRecord } from '../core/record.ts';

/** What the JSON line of a finished request holds: the record without messages, plugins and what only replays need. Same names. */
export function requestFields(record: LogRecord): object {
  const {
    id,
    at,
    endpoint,
    method,
    path,
    stream,
    status,
    error,
    key,
    virtual_key,
    config,
    prompt,
    revision,
    target,
    provider,
    type,
    model,
  } = record;
  const { ms, usage, cost, finish, lane, dropped, warnings, cache, metadata, labels, client, bytes, end } = record;
  const attempts = record.attempts.map(attemptFields);
  const who = {
    id,
    trace_id: record.trace.trace_id,
    at,
    endpoint,
    method,
    path,
    stream,
    status,
    error,
    key,
    virtual_key,
    config,
    prompt,
    revision,
  };
  return {
    ...who,
    target,
    provider,
    type,
    model,
    attempts,
    ms,
    usage,
    cost,
    finish,
    lane,
    dropped,
    warnings,
    cache,
    metadata,
    labels,
    client,
    bytes,
    end,
  };
}

function attemptFields({ target, provider, model, outcome, status }: AttemptRecord): object {
  return { target, provider, model, outcome, status };
}
