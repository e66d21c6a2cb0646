import type { LogRecord } from '../records/record.ts';
import type { LogRow } from './row.ts';

/** A search, newest first. Pages are addressed by the last row of the previous page. */
export interface SearchRequest {
  /** In the filter language. */
  readonly query: string;
  /** `next` of the previous page; undefined: the first page. */
  readonly before?: string | undefined;
  /** Maximum number of rows, at most 500. */
  readonly limit: number;
}

export interface SearchPage {
  readonly rows: readonly LogRow[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
}

/** A record with later additions, and the list of its stored bodies. */
export interface StoredRecord {
  readonly record: LogRecord;
  readonly bodies: readonly BodyPart[];
  readonly feedback: readonly Feedback[];
}

/** The messages of a record whose bodies may be stored. */
export const bodyParts = ['request', 'upstream', 'response'] as const;
export type BodyPart = (typeof bodyParts)[number];

/** A client's feedback on a response (`POST /v1/feedback`). */
export interface Feedback {
  readonly id: string;
  readonly trace_id: string;
  /** From −10 to 10. */
  readonly value: number;
  /** From 0 to 1. */
  readonly weight: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Feedback as sent: in a change, members that are null keep their value. */
export type FeedbackInput = Omit<Feedback, 'weight' | 'metadata'> & {
  readonly weight: Feedback['weight'] | null;
  readonly metadata: Feedback['metadata'] | null;
};

/** Fields for grouping statistics, and also `meta.<key>` and `label.<name>`. */
export type Dimension =
  | 'status'
  | 'config'
  | 'provider'
  | 'model'
  | 'key'
  | 'endpoint'
  | 'error'
  | 'reason'
  | `meta.${string}`
  | `label.${string}`;

export interface StatsRequest {
  readonly query: string;
  /** Undefined: one group. */
  readonly by?: Dimension | undefined;
  /** Seconds per bucket, a multiple of 60; undefined: totals only, without series. */
  readonly step?: number | undefined;
  /** Maximum number of groups; the smaller ones are combined as `rest`. */
  readonly top?: number | undefined;
}

export interface Stats {
  /** Evaluated period, in Unix milliseconds. */
  readonly since: number;
  readonly until: number;
  /**
   * Start of the requested period if reading all of it takes too long: requests from then to `since` are not counted. Null
   * if everything is counted.
   */
  readonly uncounted_since: number | null;
  readonly total: Figures;
  readonly groups: readonly (Figures & { readonly name: string | null })[];
  /** The requests that belong to none of `groups`, which are limited; null if there are none. */
  readonly rest: Figures | null;
  /** Oldest first, without gaps; empty without `step`. For all groups together, and for each. */
  readonly series: readonly Bucket[];
}

export interface Bucket extends Figures {
  /** Start of the bucket, in Unix milliseconds. */
  readonly at: number;
  /** By status class (`2xx`, `4xx`, `5xx`) if grouped by status, else by the names of `groups`. */
  readonly by: Readonly<Record<string, GroupFigures>>;
  /** The requests that are not in `by`. */
  readonly rest: GroupFigures | null;
}

/** What one group adds to a bucket of time. */
export interface GroupFigures {
  readonly requests: number;
  readonly errors: number;
  readonly cost_usd: string;
  readonly tokens: number;
}

/** Times in milliseconds; null if there are no values. Percentiles are computed from histograms, accurate to 5 %. */
export interface Figures {
  readonly requests: number;
  readonly errors: number;
  readonly fallbacks: number;
  readonly retries: number;
  readonly cache_hits: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  /** Time to first token. */
  readonly ttft_p50: number | null;
  readonly ttft_p95: number | null;
  readonly overhead_p50: number | null;
  readonly overhead_p95: number | null;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly tokens_cached: number;
  /** Exact decimal. */
  readonly cost_usd: string;
  /** Number of requests with unknown price. */
  readonly unpriced: number;
}

/** The arguments of `LogReader.spent`. */
export interface SpentRequest {
  readonly since: number;
  readonly keys?: readonly string[] | undefined;
}

/** What an API key, or the caller of a token, has spent. */
export interface Spent {
  /** Exact decimal. */
  readonly cost_usd: string;
  /** Number of requests with unknown price. */
  readonly unpriced: number;
}

export interface SuggestRequest {
  /** The whole text of the filter, and the cursor position in it. */
  readonly text: string;
  readonly cursor: number;
}

export interface Suggestion {
  /** Text that replaces the characters of `text` from `from` to `to`. */
  readonly insert: string;
  readonly from: number;
  readonly to: number;
  readonly kind: 'field' | 'value';
  /** Number of records of the last day with this value. */
  readonly count: number | null;
  readonly about: string | null;
}

/** State of the store. */
export interface StoreState {
  /** `sqlite /path`, `postgres host/database`, `memory`, `off`; `not known yet` until the store has responded. Never contains a credential. */
  readonly kind: string;
  readonly records: number;
  readonly bytes: number;
  /** Unix milliseconds; null when empty. */
  readonly oldest: number | null;
  readonly spool: { readonly bytes: number; readonly limit: number; readonly behind_ms: number };
  /** Since the start: lost records, and bodies removed to free space. */
  readonly dropped: number;
  readonly dropped_bodies: number;
  /** Current problems, one sentence each; empty if there are none. */
  readonly problems: readonly string[];
}

/** A query whose response is forwarded as bytes: `['search', {query: 'status:500', limit: 50}]`. */
export type LogQuery =
  | readonly ['search', SearchRequest]
  | readonly ['get', string]
  | readonly ['trace', string]
  | readonly ['stats', StatsRequest]
  | readonly ['suggest', SuggestRequest]
  | readonly ['names']
  | readonly ['keysUsed']
  | readonly ['spent', SpentRequest];

/** Queries of the request log. Methods reject with a GatewayError; `invalid_filter` contains the position and the problem. */
export interface LogReader {
  search(request: SearchRequest): Promise<SearchPage>;
  /** Also finds records that are still in the spool, if possible. */
  get(id: string): Promise<StoredRecord | undefined>;
  body(id: string, part: BodyPart): Promise<Uint8Array | undefined>;
  stats(request: StatsRequest): Promise<Stats>;
  /** Time of the last use of each secret by its ID, in Unix milliseconds; also if the record has expired. */
  keysUsed(): Promise<Readonly<Record<string, number>>>;
  /**
   * What each key has spent since a day, also if its records have expired: for 400 days. By the `key` of the records as
   * stores keep it (`toStorable`), in an object without prototype; keys that spent nothing are missing. Without days
   * that are more than one ahead, which a wrong system time has stored.
   *
   * @param since Unix day number (UTC), inclusive: `dayOf` a time
   * @param keys undefined: the 10,000 with the highest costs
   */
  spent(since: number, keys?: readonly string[]): Promise<Readonly<Record<string, Spent>>>;
  /** @param waitMs milliseconds to wait for the store; then the last known state is returned */
  state(waitMs?: number): Promise<StoreState>;
  /**
   * Returns the result of a query as a line of JSON in UTF-8, which the calling thread neither
   * serializes nor parses; undefined for an unknown ID.
   */
  json(question: LogQuery, form?: JsonForm): Promise<Uint8Array | undefined>;
}

/** Output options of a result. */
export interface JsonForm {
  /** Without texts written by users: no previews, no header values. */
  readonly isBare?: boolean;
  /** Compress with gzip if worthwhile: such bytes start with 1f 8b, which JSON never does. */
  readonly mayPack?: boolean;
}
