import type { LogRecord } from '../records/record.ts';
import type { LogRow } from './row.ts';

/** Newest first, by pages: the address of a page is the last row of the one before. */
export interface SearchRequest {
  /** In the filter language. */
  readonly query: string;
  /** Of the page before; undefined: the first page. */
  readonly before?: string | undefined;
  /** At most 500. */
  readonly limit: number;
}

export interface SearchPage {
  readonly rows: readonly LogRow[];
  /** For the next page; null at the end. */
  readonly next: string | null;
}

/** One record with what came later, and which of its bodies are kept. */
export interface StoredRecord {
  readonly record: LogRecord;
  readonly bodies: readonly BodyPart[];
  readonly feedback: readonly Feedback[];
}

export type BodyPart = 'request' | 'upstream' | 'response';

/** What a client said of a response afterwards (`POST /v1/feedback`). */
export interface Feedback {
  readonly id: string;
  readonly trace_id: string;
  /** −10 to 10. */
  readonly value: number;
  /** 0 to 1. */
  readonly weight: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Unix milliseconds. */
  readonly at: number;
}

/** As it is sent: what a change of it leaves out (null) stays as it was. */
export type GivenFeedback = Omit<Feedback, 'weight' | 'metadata'> & {
  readonly weight: Feedback['weight'] | null;
  readonly metadata: Feedback['metadata'] | null;
};

/** Fields by which figures are grouped; `meta.<key>` and `label.<name>` too. */
export type Dimension = 'status' | 'config' | 'provider' | 'model' | 'key' | 'endpoint' | 'error' | `meta.${string}` | `label.${string}`;

export interface StatsRequest {
  readonly query: string;
  /** Undefined: one group. */
  readonly by?: Dimension | undefined;
  /** Seconds of one bucket, a multiple of 60; undefined: no series, totals alone. */
  readonly step?: number | undefined;
  /** Groups beyond the largest of this number become one called `other`. */
  readonly top?: number | undefined;
}

export interface Stats {
  /** Unix milliseconds of what was looked at. */
  readonly since: number;
  readonly until: number;
  readonly total: Figures;
  readonly groups: readonly (Figures & { readonly name: string | null })[];
  /** Oldest first, without gaps; empty where no step was asked for. Of all groups together, and of each. */
  readonly series: readonly Bucket[];
}

export interface Bucket extends Figures {
  /** Unix milliseconds of its beginning. */
  readonly at: number;
  /** By class of status (`2xx`, `4xx`, `5xx`) where grouped by status, else by the names of `groups`. */
  readonly by: Readonly<
    Record<string, { readonly requests: number; readonly errors: number; readonly cost_usd: string; readonly tokens: number }>
  >;
}

/** Milliseconds; null where nothing was measured. Percentiles come from histograms: within 5 %. */
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
  /** Requests of which the price is unknown. */
  readonly unpriced: number;
}

export interface SuggestRequest {
  /** The whole text of the filter, and where the cursor is in it. */
  readonly text: string;
  readonly cursor: number;
}

export interface Suggestion {
  /** Replaces the characters of `text` from `from` to `to`. */
  readonly insert: string;
  readonly from: number;
  readonly to: number;
  readonly kind: 'field' | 'value';
  /** Records of the last day with this value. */
  readonly count: number | null;
  readonly about: string | null;
}

/** How the store stands. */
export interface StoreState {
  /** `sqlite /path`, `postgres host/database`, `memory`, `off`. Never with a credential. */
  readonly kind: string;
  readonly records: number;
  readonly bytes: number;
  /** Unix milliseconds; null when empty. */
  readonly oldest: number | null;
  readonly spool: { readonly bytes: number; readonly limit: number; readonly behind_ms: number };
  /** Since the start: records lost, and bodies that made room. */
  readonly dropped: number;
  readonly dropped_bodies: number;
  /** What is wrong, in a sentence each; empty when all is well. */
  readonly problems: readonly string[];
}

/** A question whose response is passed on as it is: `['search', {query: 'status:500', limit: 50}]`. */
export type LogQuestion =
  | readonly ['search', SearchRequest]
  | readonly ['get', string]
  | readonly ['trace', string]
  | readonly ['stats', StatsRequest]
  | readonly ['suggest', SuggestRequest]
  | readonly ['names']
  | readonly ['keysUsed'];

/** What the request log can be asked. Rejects with a GatewayError: `invalid_filter` says where and what. */
export interface LogReader {
  search(request: SearchRequest): Promise<SearchPage>;
  /** Also one that is not in the store yet, as far as the spool has it. */
  get(id: string): Promise<StoredRecord | undefined>;
  body(id: string, part: BodyPart): Promise<Uint8Array | undefined>;
  /** All records of a trace, oldest first, at most 1,000. */
  trace(traceId: string): Promise<readonly LogRow[]>;
  stats(request: StatsRequest): Promise<Stats>;
  suggest(request: SuggestRequest): Promise<readonly Suggestion[]>;
  /** Names of metadata keys and labels that were seen, for columns. */
  names(): Promise<{ readonly meta: readonly string[]; readonly label: readonly string[] }>;
  /** When each secret of a key was used last, by its id, in Unix milliseconds; also where the record is not kept any more. */
  keysUsed(): Promise<Readonly<Record<string, number>>>;
  state(): Promise<StoreState>;
  feedback(feedback: GivenFeedback): Promise<void>;
  /**
   * What the method of that name gives, as a line of JSON in UTF-8 that the caller's thread neither made nor read; undefined for an
   * unknown id.
   */
  json(question: LogQuestion, form?: JsonForm): Promise<Uint8Array | undefined>;
}

/** How a result is written. */
export interface JsonForm {
  /** Without what users wrote: no previews, no values of headers. */
  readonly isBare?: boolean;
  /** Compressed with gzip where that is worth it: such bytes begin with 1f 8b, which JSON never does. */
  readonly mayPack?: boolean;
}
