import { moneyUnits } from '../../../query/money.ts';
import type { StoredRow } from '../stored-row.ts';

/** Behind `seq`, `block` and `start`. */
export const columnNames =
  'id, trace, span, status, "end", error, config, provider, model, key, virtual_key, endpoint, stream, finish, cache, fallback, attempts, latency, ttft, overhead, tokens_in, tokens_out, tokens_cached, cost, guardrail, prompt, revision, upstream_id, agent, retries';

type Value = string | number | bigint | null;

/** Values of a row in the order of `columnNames`. */
export function columnsOf(row: StoredRow, cost: bigint | null): Value[] {
  return [
    row.id,
    row.trace,
    row.span,
    row.status,
    row.end,
    row.error,
    row.config,
    row.provider,
    row.model,
    row.key,
    row.virtual_key,
    row.endpoint,
    row.stream ? 1 : 0,
    row.finish,
    row.cache,
    row.fallback ? 1 : 0,
    row.attempts,
    row.latency,
    row.ttft,
    row.overhead,
    row.tokens_in,
    row.tokens_out,
    row.tokens_cached,
    cost,
    row.guardrail,
    row.prompt,
    row.revision,
    row.upstream_id,
    row.agent,
    row.retries,
  ];
}

/** 10⁻¹² dollars. */
export const costOf = ({ cost }: StoredRow): bigint | null => (cost === null ? null : moneyUnits(cost));
