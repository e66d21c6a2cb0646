import { type LogRow, toRow } from '../../core/logs/row.ts';
import { storable } from '../../query/text.ts';
import { wholeNumber } from '../../query/whole.ts';
import type { FrameSlice, RecordHead } from './log-store.ts';

/** What filters and figures use, in the form that stores keep: a row without the members that only lists show. */
export interface StoredRow extends Omit<LogRow, ShownAlone> {
  readonly key_id: string | null;
}

type ShownAlone = 'message' | 'preview' | 'hops' | 'tokens_reasoning' | 'parent' | 'bytes_in' | 'bytes_out';

export function rowOf(record: RecordHead): StoredRow {
  const row = toRow(record);
  return {
    id: storable(row.id),
    at: row.at,
    trace: storable(row.trace),
    span: kept(row.span),
    span_name: kept(row.span_name),
    status: wholeNumber(row.status),
    end: row.end,
    error: kept(row.error),
    config: kept(row.config),
    provider: kept(row.provider),
    model: kept(row.model),
    key: kept(row.key),
    key_id: kept(record.key_id),
    virtual_key: kept(row.virtual_key),
    endpoint: storable(row.endpoint),
    stream: row.stream,
    finish: kept(row.finish),
    cache: storable(row.cache),
    fallback: row.fallback,
    attempts: wholeNumber(row.attempts),
    retries: wholeNumber(row.retries),
    latency: row.latency,
    ttft: row.ttft,
    overhead: row.overhead,
    tokens_in: wholeNumber(row.tokens_in),
    tokens_out: wholeNumber(row.tokens_out),
    tokens_cached: wholeNumber(row.tokens_cached),
    cost: row.cost,
    guardrail: kept(row.guardrail),
    prompt: kept(row.prompt),
    revision: storable(row.revision),
    upstream_id: kept(row.upstream_id),
    agent: kept(row.agent),
    meta: storableMap(row.meta),
    label: storableMap(row.label),
  };
}

const kept = (text: string | null): string | null => (text === null ? null : storable(text));

/** Returns the same object if nothing changes, which is nearly always the case. */
function storableMap(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const name in texts) {
    if (storable(name) === name && storable(texts[name] ?? '') === texts[name]) continue;
    return Object.fromEntries(Object.entries(texts).map(([key, value]) => [storable(key), storable(value)]));
  }
  return texts;
}

/** A frame in a buffer of its own. */
export const placeOf = (bytes: Buffer): FrameSlice => ({ bytes, from: 0, to: bytes.length });
