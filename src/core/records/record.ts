import type { UsageDetails } from '../model/usage.ts';

/**
 * One finished request: the data structure of the spool, the log store, the API, the dashboard and the filter language.
 * All keys are always present; unknown values are null or empty, so that readers need no existence checks.
 */
export interface LogRecord {
  /** Version of this structure. */
  readonly v: 1;
  readonly id: string;
  readonly trace: {
    readonly trace_id: string;
    /** The caller's value, or else the gateway's own if the request is part of a trace. */
    readonly span_id: string | null;
    readonly parent: string | null;
    readonly span_name: string | null;
    /** The header as received, if it was valid. */
    readonly traceparent: string | null;
  };
  /** Arrival, Unix milliseconds. */
  readonly at: number;
  readonly endpoint: string;
  readonly method: string;
  /**
   * With the query, credentials masked, if the request was admitted and its headers are kept; at most 512 characters,
   * with `…` if truncated.
   */
  readonly path: string;
  readonly stream: boolean;
  readonly status: number;
  readonly error: { readonly code: string; readonly source: 'gateway' | 'provider'; readonly message: string } | null;
  /** False: rejected by its head. Only data that identifies the request and its caller is kept. */
  readonly admitted: boolean;
  /** Name of the API key; `jwt:` and the caller's name for a token. */
  readonly key: string | null;
  /** First 8 hex digits of the secret's SHA-256: shows which of a key's secrets clients still use. */
  readonly key_id: string | null;
  readonly virtual_key: string | null;
  readonly config: string | null;
  /** The stored prompt that was run, and the label in its reference. */
  readonly prompt: { readonly id: string; readonly version: number; readonly label: string | null } | null;
  readonly revision: string;
  /** Full path, for example `configs.support.targets[1]`. */
  readonly target: string | null;
  /** Slug of the provider; `type` is its type. */
  readonly provider: string | null;
  readonly type: string | null;
  readonly model: { readonly asked: string | null; readonly sent: string | null; readonly answered: string | null };
  readonly foundation_model: string | null;
  readonly attempts: readonly AttemptRecord[];
  readonly plugins: readonly PluginRecord[];
  readonly ms: { readonly total: number; readonly first_event: number | null; readonly overhead: number };
  readonly usage: UsageRecord;
  readonly cost: CostRecord;
  readonly finish: readonly string[];
  /** The provider's ID of the response (`chatcmpl-…`). */
  readonly response_id: string | null;
  readonly lane: Lane | 'relay' | 'none';
  readonly strict: boolean;
  readonly dropped: readonly { readonly param: string; readonly reason: string }[];
  readonly warnings: readonly string[];
  /** Choices of the request that did not apply. */
  readonly overruled: readonly Overruled[];
  readonly cache: string;
  readonly guardrails: readonly unknown[];
  /** Notes of plugins, by plugin name. */
  readonly notes: Notes;
  readonly metadata: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, unknown>>;
  readonly client: { readonly ip: string | null; readonly agent: string | null };
  readonly bytes: { readonly in: number; readonly out: number };
  /** For a WebSocket that was opened. */
  readonly socket: SocketRecord | null;
  /** `whole`: the client got a complete response; `fault`: an error response or event; `drained`: ended by a shutdown. */
  readonly end: 'whole' | 'fault' | 'client_gone' | 'drained';
  readonly request: MessageRecord;
  readonly upstream: MessageRecord;
  readonly response: MessageRecord;
  /** The request's random number: with it, the plan can be repeated. */
  readonly random: number;
  /** Choices made on the way to the target, outermost first; empty if there were none. */
  readonly route: readonly RouteStep[];
  /** Last user message in one line, redacted; null if no content is kept. */
  readonly preview: string | null;
  /** The policy under which bodies were kept. */
  readonly bodies: BodyPolicy;
  /** Number of masked values in the bodies, by kind (`email`, `secret`, …). */
  readonly redactions: Readonly<Record<string, number>>;
}

export type BodyPolicy = 'none' | 'metadata' | 'redacted' | 'full';

/** A choice made at a node with a strategy. */
export interface RouteStep {
  /** `configs.support`, `configs.support.targets[1]`. */
  readonly node: string;
  readonly strategy: 'loadbalance' | 'conditional' | 'fallback';
  /** Index of the chosen target. */
  readonly chose: number;
  /** For display: the condition that matched, `default`, or the weight share. */
  readonly because: string;
}

export interface CostRecord {
  /** Exact decimal such as `0.000102`; null if the price, or a part of it, is unknown. */
  readonly usd: string | null;
  /** Source of the price: `genai-prices 0.1.8`, `pricing: azure-eu/gpt-4o-mini`; also shows if usage was estimated. */
  readonly source: string | null;
  /** The prices used, as exact decimals per unit as defined in `docs/costs.md`: `{"input": "0.15"}`. */
  readonly prices: Readonly<Record<string, string>>;
}

/** A choice of the request that was overridden by another one. */
export interface Overruled {
  /** The header as the request spelled it, or `model` for the name in the body or its slug. */
  readonly choice: string;
  readonly value: string;
  /** What took precedence: `config`, `model`, `path`, or a header. */
  readonly by: string;
}

export interface SocketRecord {
  /** Close codes sent by each side: 1005 for a close without a code, 1006 if none was seen. */
  readonly close: { readonly client: number; readonly provider: number };
  /** Number of frames in each direction, including control frames and continuations. */
  readonly frames: { readonly in: number; readonly out: number };
}

export interface AttemptRecord {
  readonly n: number;
  readonly target: string;
  readonly provider: string;
  readonly model: string;
  /** Milliseconds since arrival. */
  readonly at: number;
  readonly connect_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly total_ms: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly upstream_id: string | null;
  /** Why the attempt failed or was abandoned. */
  readonly reason: string | null;
  /** Wait requested by the provider, whether the gateway waited or not. */
  readonly retry_after_ms: number | null;
}

export interface PluginRecord {
  readonly name: string;
  readonly moment: string;
  readonly ms: number;
}

export type Notes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * A record before it is written, as `settle` plugins see it. They write the members below. An invalid value throws on
 * assignment, and the previous one is kept.
 */
export interface Draft {
  readonly record: LogRecord;
  usage: UsageRecord;
  cost: LogRecord['cost'];
  cache: string;
  guardrails: readonly unknown[];
}

/**
 * How a response is forwarded: `express` unread except by its tap, `splice` with an edited request, `full` converted in
 * both directions.
 */
export type Lane = 'express' | 'splice' | 'full';

export interface UsageRecord {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly cache_write: number;
  readonly reasoning: number;
  readonly audio_in: number;
  readonly audio_out: number;
  readonly source: 'reported' | 'estimated' | 'none';
  /** Further units with a price; absent if the counts above are complete, which is nearly always the case. */
  readonly details?: UsageDetails;
}

/** Headers without credentials; the body's bytes follow the record (see store/spool.ts), or `why_absent` has the reason. */
export interface MessageRecord {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyRecord | null;
  readonly why_absent: string | null;
}

export interface BodyRecord {
  /** Total size in bytes, and how many of them are kept. */
  readonly size: number;
  readonly kept: number;
  /** Lower-case hex; only if the body is not kept completely. */
  readonly sha256: string | null;
  /** `request`: the body is the client's own, except for the top-level members in `patch`. */
  readonly same_as: 'request' | null;
  readonly patch: Readonly<Record<string, unknown>> | null;
  /** Streams: arrival times of the kept pieces in milliseconds since arrival, as pairs of offset and time. */
  readonly chunks: readonly number[] | null;
}
