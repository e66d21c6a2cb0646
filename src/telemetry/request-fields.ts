import type { LogRecord } from '../core/record.ts';

/** What the JSON line of a finished request holds: the record without messages, plugins and what only replays need. Same names. */
export function requestFields(record: LogRecord): object {
  const { id, at, endpoint, method, path, stream, status, error, key, virtual_key, config, revision, target, provider, type, model } =
    record;
  const { ms, usage, cost, finish, lane, dropped, warnings, cache, metadata, labels, client, bytes, end } = record;
  const attempts = record.attempts.map((one) => ({
    target: one.target,
    provider: one.provider,
    model: one.model,
    outcome: one.outcome,
    status: one.status,
  }));
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
