import type { UsedLimits } from '../core/limits/used-limits.ts';
import type { Difference, Origin } from '../core/logs/explanation.ts';
import type { Figures, StoredRecord, StoreState } from '../core/logs/reader.ts';

/** Roles: `viewer` sees no bodies, `operator` sees everything and can test requests, `admin` can make changes. */
export type Role = 'viewer' | 'operator' | 'admin';

/** `GET /api/session`. */
export interface Session {
  readonly role: Role | null;
  readonly name: string | null;
  /** True if no sign-in is required. */
  readonly is_open: boolean;
  readonly version: string;
}

/** `GET /api/status`. */
export interface Status {
  readonly version: string;
  readonly node: string;
  readonly pid: number;
  /** Unix milliseconds. */
  readonly started_at: number;
  readonly url: string;
  /** Values for an example request; null if no provider can serve one. */
  readonly example: { readonly model: string; readonly needs_key: boolean } | null;
  /** Accepted prefixes of gateway headers, besides `x-gateway-`. */
  readonly header_prefixes: readonly string[];
  readonly revision: string;
  readonly config_path: string | null;
  readonly last_reload:
    | ({
        readonly at: number;
        readonly result: 'applied' | 'unchanged' | 'rejected';
        readonly revision: string;
        readonly reason: string | null;
      } & Diagnosed)
    | null;
  /** The active revision after a rollback, which differs from the files; otherwise null. */
  readonly rolled_back_to: string | null;
  readonly restart_needed: readonly string[];
  readonly in_flight: number;
  readonly open_streams: number;
  readonly draining: boolean;
  readonly memory: { readonly rss: number; readonly heap: number; readonly bodies: number; readonly bodies_limit: number };
  readonly loop_delay_ms: { readonly p50: number; readonly p99: number };
  readonly store: StoreState;
  readonly notes: readonly string[];
  /** The worker processes, if `server.workers` is above 1. */
  readonly workers: readonly WorkerView[];
  readonly plugins: readonly {
    readonly name: string;
    readonly moments: readonly string[];
    readonly p50_ms: number | null;
    readonly p95_ms: number | null;
  }[];
  /** At most 100: those with problems first, then those in use. */
  readonly providers: readonly ProviderHealth[];
  readonly providers_total: number;
}

export interface WorkerView {
  /** Worker number, from 1. A replacement keeps the number. */
  readonly worker: number;
  readonly pid: number | null;
  readonly state: 'starting' | 'serving' | 'silent' | 'waiting' | 'stopping';
  readonly restarts: number;
  /** Time (Unix milliseconds) and reason of the last exit; null if there was none. */
  readonly last_end: { readonly at: number; readonly why: string } | null;
  /** Requests finished by all processes with this number. */
  readonly requests: number;
  readonly in_flight: number;
  /** Bytes; null until the worker has reported them. */
  readonly memory: { readonly rss: number; readonly heap: number } | null;
  readonly loop_delay_ms: { readonly p50: number; readonly p99: number } | null;
}

/** `POST /api/reload`, `POST /api/rollback`. */
export interface ReloadVerdict extends Diagnosed {
  readonly result: 'applied' | 'unchanged' | 'rejected';
  /** The active revision. */
  readonly revision: string;
  /** Changed keys, such as `+providers.claude`. */
  readonly changes: readonly string[];
  readonly restart_needed: readonly string[];
  readonly reason: string | null;
}

export interface ProviderHealth {
  readonly slug: string;
  /** Based on the attempts of the last five minutes: `idle` without attempts, `down` if at least three were made and all failed, `off` if the provider is unusable. */
  readonly state: 'ok' | 'degraded' | 'down' | 'idle' | 'off';
  readonly figures: Figures;
  readonly last_error: { readonly at: number; readonly message: string; readonly id: string } | null;
}

/** Problems of a configuration. */
export interface Diagnosed {
  /** At most 50, the errors first. */
  readonly diagnostics: readonly ShownDiagnostic[];
  /** Number of all errors. */
  readonly errors: number;
  /** Number of all warnings. */
  readonly warnings: number;
}

/** A problem of the configuration, as `gateway check --json` prints it. */
export interface ShownDiagnostic {
  readonly level: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A page of a long list. */
export interface ListPage {
  /** Number of entries that match, on all pages. */
  readonly total: number;
  /** Number of those before this page. */
  readonly offset: number;
}

/** `GET /api/configs`. */
export interface ConfigPage extends ListPage {
  readonly configs: readonly { readonly name: string; readonly live: LiveFigures }[];
}

/** `GET /api/configs/{name}`. */
export interface ConfigView {
  readonly name: string;
  readonly at: Origin | null;
  readonly yaml: string;
  readonly root: TargetView;
}

export interface TargetView {
  readonly path: string;
  readonly name: string | null;
  readonly at: Origin | null;
  readonly strategy: 'single' | 'fallback' | 'loadbalance' | 'conditional' | 'leaf';
  /** When the target is chosen: `on 429, 500–599`, the text of a condition, or the share of its weight. */
  readonly when: string | null;
  readonly weight: number | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly targets: readonly TargetView[];
  readonly live: LiveFigures;
}

/** Figures of the last hour's attempts. */
export interface LiveFigures {
  /** Part of the attempts of the whole config; null without attempts. */
  readonly share: number | null;
  readonly requests: number;
  readonly errors: number;
  /** How often a plugin skipped the target, for example because its circuit was open. */
  readonly left_out: number;
  readonly p95: number | null;
}

/** `GET /api/config/files`. */
export interface ConfigFiles extends Diagnosed {
  readonly revision: string;
  /** Text: null if it was not requested. */
  readonly files: readonly { readonly path: string; readonly text: string | null }[];
}

/** `GET /api/config`: values with their origins. Secrets are shown as references. */
export interface EffectiveConfig {
  readonly revision: string;
  readonly values: readonly { readonly path: string; readonly value: string; readonly origin: Origin | 'default' }[];
  /** Number of values that match, also of those beyond `limit`. */
  readonly total: number;
}

/** `POST /api/check`. */
export interface CheckResult extends Diagnosed {
  readonly ok: boolean;
  /** The revision that these texts would have. */
  readonly revision: string;
}

/** `POST /api/plan`: the changes that saving the texts would make. */
export interface PlanResult extends CheckResult {
  /** The active revision. */
  readonly against: string;
  /**
   * The values that differ; null where there is none. Secrets are masked, long values truncated: if only such parts differ, both are
   * equal. Empty if the texts are not valid.
   */
  readonly values: readonly { readonly path: string; readonly before: string | null; readonly after: string | null }[];
  /** Changed keys that need a restart to take effect. */
  readonly restart_needed: readonly string[];
  /** Unified diff of the texts. */
  readonly diff: string;
}

/** `GET /api/revisions`, newest first. */
export interface RevisionView {
  readonly revision: string;
  readonly applied_at: number;
  readonly serves: boolean;
  /** Files and their modification times. */
  readonly files: readonly { readonly path: string; readonly modified_at: number }[];
  /** Changed keys, such as `+providers.claude`. */
  readonly changes: readonly string[];
  /** Unified diff against the previous revision. */
  readonly diff: string;
}

/** `GET /api/providers`. */
export interface ProviderPage extends ListPage {
  readonly providers: readonly ProviderView[];
}

/** `GET /api/providers/{slug}`. */
export interface ProviderView {
  readonly slug: string;
  readonly type: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly at: Origin | null;
  readonly host: string | null;
  readonly enabled: boolean;
  readonly problem: string | null;
  /** Such as `${env:OPENAI_API_KEY}`, never the value. */
  readonly credential: string;
  readonly models: readonly string[];
  readonly deployments: readonly { readonly alias: string; readonly deployment: string; readonly foundation_model: string | null }[];
  readonly health: ProviderHealth;
  /** Since midnight UTC; null if the request log is not available. */
  readonly cost_today_usd: string | null;
  /** Why the request log is not available. */
  readonly log_fault: string | null;
}

/** `POST /api/providers/{slug}/test`. */
export interface ProviderTest {
  readonly ok: boolean;
  readonly message: string;
  readonly hint: string | null;
  readonly ms: number;
}

/** `GET /api/keys`. */
export interface KeyPage extends ListPage {
  readonly keys: readonly KeyView[];
}

export interface KeyView {
  readonly name: string;
  readonly at: Origin | null;
  readonly secrets: readonly {
    readonly id: string;
    readonly prefix: string | null;
    /** Null: never used, or the request log is not available (then the figures are null, too). */
    readonly last_used: number | null;
    readonly retires: number | null;
  }[];
  readonly configs: readonly string[] | null;
  readonly providers: readonly string[] | null;
  readonly models: readonly string[] | null;
  readonly prompts: readonly string[] | null;
  readonly default_config: string | null;
  /** True if requests with any config other than the key's own are rejected. */
  readonly enforce_config: boolean;
  /** How its request and response bodies are logged; null: the default of the gateway. */
  readonly bodies: string | null;
  /** Null: it has none. */
  readonly limits: UsedLimits | null;
  readonly created: number | null;
  readonly expires: number | null;
  readonly revoked: number | null;
  /** Since midnight UTC, and since the first of the month; null if the request log is not available. */
  readonly requests_today: number | null;
  readonly cost_month_usd: string | null;
  /** Why the request log, or a part of it, is not available. */
  readonly log_fault: string | null;
}

/** `POST /api/keys`, `POST /api/keys/{name}/rotate`, `POST /api/keys/{name}/revoke`. The secret is shown only here. */
export interface KeyChange {
  readonly secret: string | null;
  readonly yaml: string;
  /** The changed file; null: the user must paste `yaml` into the configuration. */
  readonly written_to: string | null;
  /** Why the written change is not active: the reload rejected the files. Null if it is active or nothing was written. */
  readonly rejected: string | null;
}

/** `GET /api/prompts`. */
export interface PromptPage extends ListPage {
  readonly prompts: readonly { readonly id: string; readonly version_count: number }[];
}

/** `GET /api/prompts/{id}`. */
export interface PromptView {
  readonly id: string;
  readonly description: string | null;
  readonly at: Origin | null;
  readonly versions: readonly {
    readonly number: number;
    readonly labels: readonly string[];
    readonly published: boolean;
    readonly variables: readonly PromptVariable[];
  }[];
  /** Variables of the published version, as are model and config. */
  readonly variables: readonly PromptVariable[];
  readonly model: string | null;
  readonly config: string | null;
}

export interface PromptVariable {
  readonly name: string;
  readonly required: boolean;
  readonly default: string | null;
}

/** `POST /api/prompts/{id}/render`. */
export interface PromptRender {
  /** Such as `welcome@2`. */
  readonly name: string;
  readonly config: string | null;
  /** The request body that a call would send, as JSON text. */
  readonly body: string;
  readonly warnings: readonly string[];
}

/** `POST /api/prompts/{id}/try`. */
export interface PromptTry {
  readonly status: number;
  /** Request ID, as in the log. */
  readonly id: string | null;
  /** Exact decimal; null if the price is unknown or `server.expose_routing` is false. */
  readonly cost_usd: string | null;
  readonly body: string;
}

/** `GET /api/requests/{id}/differences`: the client's request compared with the upstream request. */
export interface RequestDifferences {
  readonly differences: readonly Difference[];
  /** Why there are none, or why some causes are missing. */
  readonly why_absent: string | null;
}

/** `POST /api/requests/read`. */
export interface StoredRecords {
  /** `request`: the stored request body in base64; null if it was not stored or not requested. */
  readonly records: readonly { readonly stored: StoredRecord; readonly request: string | null }[];
  /** The first ID that did not fit into this response. */
  readonly next: string | null;
}

/** `POST /api/replay`. */
export interface ReplayRequest {
  readonly id: string;
  /** `provider/model`; absent: the original target. */
  readonly to?: string | undefined;
  readonly config?: string | undefined;
  /** Secret of a gateway API key, if the gateway requires one. Used for this request only, not stored. */
  readonly api_key?: string | undefined;
  /** Replay even if the stored body is masked. */
  readonly force?: boolean | undefined;
}

/**
 * Timeout in milliseconds of calls that reload the configuration. It is long because a busy machine may repeat the load,
 * and each worker builds its own copy.
 */
export const reloadLimitMs = 190_000;

/** Timeout of `POST /api/replay`, in milliseconds. */
export const replayLimitMs = 310_000;

export interface ReplayResult {
  readonly id: string;
  readonly status: number;
  readonly body: string;
  /** The original response compared with the new one. */
  readonly differences: readonly Difference[];
  /** Why no comparison is possible. */
  readonly why_absent: string | null;
}
