import type { Lane } from '../plan.ts';

/**
 * One finished request: the shape of the spool, the log store, the API, the dashboard and the filter language.
 * All keys are always present; what is unknown is null or empty, so that readers need no existence checks.
 */
export interface LogRecord {
  /** Version of this shape. */
  readonly v: 1;
  readonly id: string;
  readonly trace: {
    readonly trace_id: string;
    /** The caller's word, else the gateway's own where the request is part of a trace. */
    readonly span_id: string | null;
    readonly parent: string | null;
    readonly span_name: string | null;
    /** As it came, where it was valid. */
    readonly traceparent: string | null;
  };
  /** Arrival, Unix milliseconds. */
  readonly at: number;
  readonly endpoint: string;
  readonly method: string;
  /**
   * With the query, credentials in it masked, where the request was let in and its headers are kept; at most 512 characters,
   * `…` behind what was cut.
   */
  readonly path: string;
  readonly stream: boolean;
  readonly status: number;
  readonly error: { readonly code: string; readonly source: 'gateway' | 'provider'; readonly message: string } | null;
  /** False: refused before it was known who calls. Only what identifies such a request is kept. */
  readonly admitted: boolean;
  /** Name of the API key; `jwt:` and the caller's name for a token. */
  readonly key: string | null;
  /** First 8 hex digits of the SHA-256 of the secret that was used: tells which of a key's secrets clients still use. */
  readonly key_id: string | null;
  readonly virtual_key: string | null;
  readonly config: string | null;
  /** The stored prompt that was run, and the label by which it was named. */
  readonly prompt: { readonly id: string; readonly version: number; readonly label: string | null } | null;
  readonly revision: string;
  /** Full path, for example `configs.support.targets[1]`. */
  readonly target: string | null;
  /** Slug, and type. */
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
  /** The id that the provider gave its response (`chatcmpl-…`). */
  readonly response_id: string | null;
  readonly lane: Lane | 'relay' | 'none';
  readonly strict: boolean;
  readonly dropped: readonly { readonly param: string; readonly reason: string }[];
  readonly warnings: readonly string[];
  /** What the request chose and did not get. */
  readonly overruled: readonly Overruled[];
  readonly cache: string;
  readonly guardrails: readonly unknown[];
  /** What plugins noted, by their names. */
  readonly notes: Notes;
  readonly metadata: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, unknown>>;
  readonly client: { readonly ip: string | null; readonly agent: string | null };
  readonly bytes: { readonly in: number; readonly out: number };
  /** Of a WebSocket that was opened. */
  readonly socket: SocketRecord | null;
  /** `whole`: the client was handed a complete answer; `fault`: an error answer or event; `drained`: ended by a stop. */
  readonly end: 'whole' | 'fault' | 'client_gone' | 'drained';
  readonly request: MessageRecord;
  readonly upstream: MessageRecord;
  readonly response: MessageRecord;
  /** The request's random number: with it the plan can be made again. */
  readonly random: number;
  /** Choices on the way to the target, outermost first; empty where there was none to make. */
  readonly route: readonly RouteStep[];
  /** Last message of the user in one line, redacted; null where no content is kept. */
  readonly preview: string | null;
  /** The policy by which bodies were kept. */
  readonly bodies: BodyPolicy;
  /** How much was masked in the bodies, by kind (`email`, `secret`, …). */
  readonly redactions: Readonly<Record<string, number>>;
}

export type BodyPolicy = 'none' | 'metadata' | 'redacted' | 'full';

/** What a node with a strategy chose. */
export interface RouteStep {
  /** `configs.support`, `configs.support.targets[1]`. */
  readonly node: string;
  readonly strategy: 'loadbalance' | 'conditional' | 'fallback';
  /** Index of the chosen target. */
  readonly chose: number;
  /** For people: the condition that matched, `default`, the share of the weight. */
  readonly because: string;
}

export interface CostRecord {
  /** Exact decimal such as `0.000102`; null where the price, or a part of it, is unknown. */
  readonly usd: string | null;
  /** Where the price is from: `genai-prices 0.1.8`, `pricing: azure-eu/gpt-4o-mini`; says so where usage was estimated. */
  readonly source: string | null;
  /** The prices that held, as exact decimals for as many units as `docs/costs.md` says: `{"input": "0.15"}`. */
  readonly prices: Readonly<Record<string, string>>;
}

/** A choice of the request that lost against another one. */
export interface Overruled {
  /** The header as the request spelled it, `model` for the name in the body or its slug. */
  readonly choice: string;
  readonly value: string;
  /** What counted instead: `config`, `model`, `path`, or a header. */
  readonly by: string;
}

export interface SocketRecord {
  /** Close codes that each side sent: 1005 for a close without a code, 1006 where none was seen. */
  readonly close: { readonly client: number; readonly provider: number };
  /** Frames of each direction, control frames and continuations included. */
  readonly frames: { readonly in: number; readonly out: number };
}

export interface AttemptRecord {
  readonly n: number;
  readonly target: string;
  readonly provider: string;
  readonly model: string;
  /** Milliseconds from arrival. */
  readonly at: number;
  readonly connect_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly total_ms: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly upstream_id: string | null;
  /** Why it was left, or what was wrong. */
  readonly reason: string | null;
  /** How long the provider asked to wait, whether the gateway did or not. */
  readonly retry_after_ms: number | null;
}

export interface PluginRecord {
  readonly name: string;
  readonly moment: string;
  readonly ms: number;
}

export type Notes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * A record before it is written, as `settle` plugins see it. They write the members below; a value that no record can
 * hold throws where it is written, and the one before stays.
 */
export interface Draft {
  readonly record: LogRecord;
  usage: UsageRecord;
  cost: LogRecord['cost'];
  cache: string;
  guardrails: readonly unknown[];
}

export interface UsageRecord {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly cache_write: number;
  readonly reasoning: number;
  readonly audio_in: number;
  readonly audio_out: number;
  readonly source: 'reported' | 'estimated' | 'none';
  /** What else has a price; absent where the counts above say it all, which is nearly always. */
  readonly details?: UsageDetails;
}

/** Members that are absent are 0, or unknown. */
export interface UsageDetails {
  /** Part of `cache_write` that is kept for an hour. */
  readonly cache_write_1h?: number;
  /** Part of both `cached` and `audio_in`. */
  readonly cached_audio?: number;
  /** Tokens of pictures: parts of `prompt`, of `cached` and of `completion`. */
  readonly image_in?: number;
  readonly cached_images?: number;
  readonly image_out?: number;
  /** Pictures that were made, and what kind of: `<size>/<quality>` as they were asked for. */
  readonly images?: number;
  readonly image?: string;
  /** Seconds of sound, with a fraction, where it is not counted in tokens. */
  readonly seconds?: number;
  /** Characters of text that became speech. */
  readonly characters?: number;
  /** Searches that the provider made, in the web and in its own store of files. */
  readonly web_searches?: number;
  readonly file_searches?: number;
  /** Transcripts in a WebSocket, which another model made of what was said, and which are billed apart. */
  readonly transcripts?: number;
  /** Service tier that the response names: `flex`, `priority`, `batch`. */
  readonly tier?: string;
}

/** Headers without credentials; the body's bytes are behind the record (see store/spool.ts) or `why_absent` says why not. */
export interface MessageRecord {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyRecord | null;
  readonly why_absent: string | null;
}

export interface BodyRecord {
  /** Whole size in bytes, and how many of them are kept. */
  readonly size: number;
  readonly kept: number;
  /** Lower-case hex, only when not all is kept. */
  readonly sha256: string | null;
  /** The bytes are the client's own body: `patch` names the top-level members that were written differently. */
  readonly same_as: 'request' | null;
  readonly patch: Readonly<Record<string, unknown>> | null;
  /** Streams: milliseconds from arrival at which each kept piece came, as pairs of offset and time. */
  readonly chunks: readonly number[] | null;
}
