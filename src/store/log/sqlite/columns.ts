import type { StoredRow } from '../stored-row.ts';

type Value = string | number | bigint | null;

/** Columns whose values belong to one row, after `seq`, `block` and `start`. */
export const rowColumns =
  'id, trace, span, finish, latency, ttft, overhead, tokens_in, tokens_out, tokens_cached, cost, upstream_id, span_name';

/** Values of a row in the order of `rowColumns`. @param cost in 10⁻¹² dollars */
export function rowValuesOf(row: StoredRow, cost: bigint | null): Value[] {
  return [
    row.id,
    row.trace,
    row.span,
    row.finish,
    row.latency,
    row.ttft,
    row.overhead,
    row.tokens_in,
    row.tokens_out,
    row.tokens_cached,
    cost,
    row.upstream_id,
    row.span_name,
  ];
}

/** Columns whose values many rows share. */
export const commonColumns =
  'status, "end", error, config, provider, model, key, virtual_key, endpoint, stream, cache, fallback, attempts, guardrail, prompt, revision, agent, retries, reason';

/** Values of a row in the order of `commonColumns`. */
export function commonValuesOf(row: StoredRow): (string | number | null)[] {
  return [
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
    row.cache,
    row.fallback ? 1 : 0,
    row.attempts,
    row.guardrail,
    row.prompt,
    row.revision,
    row.agent,
    row.retries,
    row.reason,
  ];
}

/** True if `commonValuesOf` is the same for both. Compares the members first that differ most often. */
export function haveSameCommonValues(one: StoredRow, other: StoredRow): boolean {
  if (one.model !== other.model || one.key !== other.key || one.agent !== other.agent || one.config !== other.config) return false;
  if (one.status !== other.status || one.end !== other.end || one.error !== other.error || one.provider !== other.provider) return false;
  if (one.virtual_key !== other.virtual_key || one.endpoint !== other.endpoint || one.stream !== other.stream) return false;
  if (one.cache !== other.cache || one.fallback !== other.fallback || one.attempts !== other.attempts) return false;
  if (one.guardrail !== other.guardrail || one.prompt !== other.prompt) return false;
  return one.revision === other.revision && one.retries === other.retries && one.reason === other.reason;
}
