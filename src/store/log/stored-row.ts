import { type LogRow, toRow } from '../../core/logs/row.ts';
import { moneyUnits } from '../../query/money.ts';
import { toStorable } from '../../query/text.ts';
import { boundedCount } from '../../query/bounded-count.ts';
import type { LogRecord } from '../../core/records/record.ts';

/** The part of a record from which rows are made. */
export type RecordHead = Omit<LogRecord, MembersAfterHead>;

/** The members of a line from the messages on. They are not parsed for a row. */
type MembersAfterHead =
  | 'request'
  | 'upstream'
  | 'response'
  | 'plugins'
  | 'strict'
  | 'dropped'
  | 'warnings'
  | 'overruled'
  | 'random'
  | 'route'
  | 'bodies'
  | 'redactions';

/** What filters and figures use, in the form that stores keep: a row without the members that only lists show. */
export interface StoredRow extends Omit<LogRow, ListOnlyMembers> {
  readonly key_id: string | null;
}

type ListOnlyMembers = 'message' | 'preview' | 'hops' | 'tokens_reasoning' | 'parent' | 'bytes_in' | 'bytes_out';

export function rowOf(record: RecordHead): StoredRow {
  const row = toRow(record);
  return {
    id: toStorable(row.id),
    at: row.at,
    trace: toStorable(row.trace),
    span: storableOrNull(row.span),
    span_name: storableOrNull(row.span_name),
    status: boundedCount(row.status),
    end: row.end,
    error: storableOrNull(row.error),
    config: storableOrNull(row.config),
    provider: storableOrNull(row.provider),
    model: storableOrNull(row.model),
    key: storableOrNull(row.key),
    key_id: storableOrNull(record.key_id),
    virtual_key: storableOrNull(row.virtual_key),
    endpoint: toStorable(row.endpoint),
    stream: row.stream,
    finish: storableOrNull(row.finish),
    cache: toStorable(row.cache),
    fallback: row.fallback,
    attempts: boundedCount(row.attempts),
    retries: boundedCount(row.retries),
    reason: storableOrNull(row.reason),
    latency: row.latency,
    ttft: row.ttft,
    overhead: row.overhead,
    tokens_in: boundedCount(row.tokens_in),
    tokens_out: boundedCount(row.tokens_out),
    tokens_cached: boundedCount(row.tokens_cached),
    cost: row.cost,
    guardrail: storableOrNull(row.guardrail),
    prompt: storableOrNull(row.prompt),
    revision: toStorable(row.revision),
    upstream_id: storableOrNull(row.upstream_id),
    agent: storableOrNull(row.agent),
    meta: storableMap(row.meta),
    label: storableMap(row.label),
  };
}

/** Cost in 10⁻¹² dollars. */
export const costOf = ({ cost }: StoredRow): bigint | null => (cost === null ? null : moneyUnits(cost));

const storableOrNull = (text: string | null): string | null => (text === null ? null : toStorable(text));

/** Returns the same object if nothing changes, which is nearly always the case. */
function storableMap(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const name in texts) {
    if (toStorable(name) === name && toStorable(texts[name] ?? '') === texts[name]) continue;
    return Object.fromEntries(Object.entries(texts).map(([key, value]) => [toStorable(key), toStorable(value)]));
  }
  return texts;
}
