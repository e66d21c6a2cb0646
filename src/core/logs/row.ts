import type { AttemptRecord, LogRecord } from '../records/record.ts';

/**
 * A record as lists show it: flat, small, and the same from the store and from live traffic. Field names are those of
 * the filter language.
 */
export interface LogRow {
  readonly id: string;
  /** Arrival, Unix milliseconds. */
  readonly at: number;
  readonly status: number;
  readonly end: LogRecord['end'];
  readonly error: string | null;
  /** Error message, truncated. */
  readonly message: string | null;
  readonly endpoint: string;
  readonly stream: boolean;
  readonly config: string | null;
  readonly provider: string | null;
  /** The model sent to the provider, or else the requested one. */
  readonly model: string | null;
  readonly key: string | null;
  readonly virtual_key: string | null;
  /** Milliseconds. */
  readonly latency: number;
  /** Time to the first event of a stream; null for a complete response. */
  readonly ttft: number | null;
  readonly overhead: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly tokens_cached: number;
  readonly tokens_reasoning: number;
  /** Exact decimal; null: unknown price. */
  readonly cost: string | null;
  readonly preview: string | null;
  readonly attempts: number;
  /** Attempts that repeat the previous one at the same target. An attempt at another target does not count. */
  readonly retries: number;
  readonly fallback: boolean;
  /** Status or outcome of the first attempt, if more followed: why the request was retried or moved to another target. */
  readonly reason: string | null;
  /** The attempts before the last one. */
  readonly hops: readonly { readonly provider: string; readonly model: string; readonly said: string }[];
  readonly finish: string | null;
  readonly cache: string;
  readonly guardrail: string | null;
  readonly trace: string;
  readonly span: string | null;
  /** The caller's name for this span. */
  readonly span_name: string | null;
  readonly parent: string | null;
  readonly upstream_id: string | null;
  readonly prompt: string | null;
  readonly revision: string;
  readonly agent: string | null;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly meta: Readonly<Record<string, string>>;
  readonly label: Readonly<Record<string, string>>;
}

const longestMessage = 200;

/** The record members from which a row is built: no headers and no bodies. */
type RowSource = Pick<
  LogRecord,
  | 'id'
  | 'at'
  | 'status'
  | 'end'
  | 'error'
  | 'endpoint'
  | 'stream'
  | 'config'
  | 'provider'
  | 'model'
  | 'key'
  | 'virtual_key'
  | 'ms'
  | 'usage'
  | 'cost'
  | 'preview'
  | 'attempts'
  | 'finish'
  | 'cache'
  | 'guardrails'
  | 'trace'
  | 'prompt'
  | 'revision'
  | 'client'
  | 'bytes'
  | 'metadata'
  | 'labels'
>;

export function toRow(record: RowSource): LogRow {
  const { usage, model, attempts, trace } = record;
  const last = attempts.at(-1);
  const hops = attempts.slice(0, -1).map(({ provider, model: sent, status, outcome }) => ({
    provider,
    model: sent,
    said: status === null ? outcome : String(status),
  }));
  return {
    id: record.id,
    at: record.at,
    status: record.status,
    end: record.end,
    error: record.error?.code ?? null,
    message: record.error?.message.slice(0, longestMessage) ?? null,
    endpoint: record.endpoint,
    stream: record.stream,
    config: record.config,
    provider: record.provider,
    model: model.sent ?? model.asked,
    key: record.key,
    virtual_key: record.virtual_key,
    latency: record.ms.total,
    ttft: record.stream ? record.ms.first_event : null,
    overhead: record.ms.overhead,
    tokens_in: usage.prompt,
    tokens_out: usage.completion,
    tokens_cached: usage.cached,
    tokens_reasoning: usage.reasoning,
    cost: record.cost.usd,
    preview: record.preview,
    attempts: attempts.length,
    retries: retriesOf(attempts),
    fallback: last !== undefined && attempts.some(({ target }) => target !== last.target),
    reason: hops[0]?.said ?? null,
    hops,
    finish: record.finish[0] ?? null,
    cache: record.cache,
    guardrail: nameOf(record.guardrails[0]),
    trace: trace.trace_id,
    span: trace.span_id,
    span_name: trace.span_name,
    parent: trace.parent,
    upstream_id: last?.upstream_id ?? null,
    prompt: record.prompt?.id ?? null,
    revision: record.revision,
    agent: record.client.agent,
    bytes_in: record.bytes.in,
    bytes_out: record.bytes.out,
    meta: record.metadata,
    label: textsOf(record.labels),
  };
}

function nameOf(guardrail: unknown): string | null {
  const name = typeof guardrail === 'object' && guardrail !== null ? (guardrail as { name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : null;
}

function textsOf(labels: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(labels)) out[name] = typeof value === 'string' ? value : JSON.stringify(value);
  return out;
}

/** True for a request that statistics count as an error: the client got one, possibly as the last event of a stream. */
export const isError = ({ error, status }: Pick<LogRow, 'error' | 'status'>): boolean => error !== null || status >= 400;

/** True if an attempt repeats the previous one; otherwise it moves to another target. */
export const isRetry = (before: Pick<AttemptRecord, 'target'>, attempt: Pick<AttemptRecord, 'target'>): boolean =>
  before.target === attempt.target;

function retriesOf(attempts: readonly AttemptRecord[]): number {
  let retries = 0;
  for (let n = 1; n < attempts.length; n += 1) if (isRetry(attempts[n - 1] as AttemptRecord, attempts[n] as AttemptRecord)) retries += 1;
  return retries;
}

export const isCacheHit = ({ cache }: Pick<LogRow, 'cache'>): boolean => cache.endsWith('HIT');

/** True if a provider served the request and its price is unknown. */
export const isUnpriced = ({ cost, provider }: Pick<LogRow, 'cost' | 'provider'>): boolean => cost === null && provider !== null;
