import type { Difference, Origin } from '../core/logs/explanation.ts';
import type { Figures, StoredRecord, StoreState } from '../core/logs/reader.ts';

/** What a person may do: `viewer` sees no bodies, `operator` sees all and tries things out, `admin` changes things. */
export type Role = 'viewer' | 'operator' | 'admin';

/** `GET /api/session`. */
export interface Session {
  readonly role: Role | null;
  readonly name: string | null;
  /** True where nobody has to sign in. */
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
  /** What a first request may name; null where no provider can serve one. */
  readonly example: { readonly model: string; readonly needs_key: boolean } | null;
  readonly revision: string;
  readonly config_path: string | null;
  readonly last_reload: {
    readonly at: number;
    readonly result: 'applied' | 'unchanged' | 'rejected';
    readonly revision: string;
    readonly diagnostics: readonly ShownDiagnostic[];
    readonly reason: string | null;
  } | null;
  /** A revision that is served although the files say another one. */
  readonly rolled_back_to: string | null;
  readonly restart_needed: readonly string[];
  readonly in_flight: number;
  readonly open_streams: number;
  readonly draining: boolean;
  readonly memory: { readonly rss: number; readonly heap: number; readonly bodies: number; readonly bodies_limit: number };
  readonly loop_delay_ms: { readonly p50: number; readonly p99: number };
  readonly store: StoreState;
  readonly notes: readonly string[];
  /** With `server.workers` above 1: the worker processes. */
  readonly workers: readonly WorkerView[];
  readonly plugins: readonly {
    readonly name: string;
    readonly moments: readonly string[];
    readonly p50_ms: number | null;
    readonly p95_ms: number | null;
  }[];
  readonly providers: readonly ProviderHealth[];
}

export interface WorkerView {
  /** From 1 on; who comes in place of a dead one has its number. */
  readonly worker: number;
  readonly pid: number | null;
  readonly state: 'starting' | 'serving' | 'silent' | 'waiting' | 'stopping';
  readonly restarts: number;
  /** When (Unix milliseconds) and why the last one ended; null where none has. */
  readonly last_end: { readonly at: number; readonly why: string } | null;
  /** Finished requests, with those of the ones before it. */
  readonly requests: number;
  readonly in_flight: number;
  /** Bytes; null while it has not responded yet. */
  readonly memory: { readonly rss: number; readonly heap: number } | null;
  readonly loop_delay_ms: { readonly p50: number; readonly p99: number } | null;
}

/** `POST /api/reload`, `POST /api/rollback`. */
export interface ReloadVerdict {
  readonly result: 'applied' | 'unchanged' | 'rejected';
  /** What serves now. */
  readonly revision: string;
  /** As `+providers.claude`. */
  readonly changes: readonly string[];
  readonly restart_needed: readonly string[];
  readonly diagnostics: readonly ShownDiagnostic[];
  readonly reason: string | null;
}

export interface ProviderHealth {
  readonly slug: string;
  /** Of the attempts of the last five minutes: `idle` without any, `down` when all failed. */
  readonly state: 'ok' | 'degraded' | 'down' | 'idle' | 'off';
  readonly figures: Figures;
  readonly last_error: { readonly at: number; readonly message: string; readonly id: string } | null;
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

/** `GET /api/configs`. */
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
  /** `on 429, 500–599`; a condition's text; the share of its weight. */
  readonly when: string | null;
  readonly weight: number | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly targets: readonly TargetView[];
  /** Attempts of the last hour. */
  readonly live: {
    readonly share: number | null;
    readonly requests: number;
    readonly errors: number;
    /** How often a plugin left it out, as one does whose circuit is open. */
    readonly left_out: number;
    readonly p95: number | null;
  };
}

/** `GET /api/config`: every value with its origin; secrets as references. */
export interface EffectiveConfig {
  readonly revision: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly values: readonly { readonly path: string; readonly value: string; readonly origin: Origin | 'default' }[];
  readonly diagnostics: readonly ShownDiagnostic[];
}

/** `POST /api/check`. */
export interface CheckResult {
  readonly ok: boolean;
  /** That the texts would have. */
  readonly revision: string;
  readonly diagnostics: readonly ShownDiagnostic[];
}

/** `POST /api/plan`: what changes when the texts are saved. */
export interface PlanResult extends CheckResult {
  /** The revision that serves. */
  readonly against: string;
  /** As `+providers.claude`; empty where the texts are not valid. */
  readonly changes: readonly string[];
  /** Keys whose new value waits for a restart. */
  readonly restart_needed: readonly string[];
  /** Unified difference of the texts. */
  readonly diff: string;
}

/** `GET /api/revisions`, newest first. */
export interface RevisionView {
  readonly revision: string;
  readonly applied_at: number;
  readonly serves: boolean;
  /** Files and when they were written. */
  readonly files: readonly { readonly path: string; readonly modified_at: number }[];
  /** As `+providers.claude`. */
  readonly changes: readonly string[];
  /** Unified difference of the texts to the revision before. */
  readonly diff: string;
}

/** `GET /api/providers`. */
export interface ProviderView {
  readonly slug: string;
  readonly type: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly at: Origin | null;
  readonly host: string | null;
  readonly enabled: boolean;
  readonly problem: string | null;
  /** `${env:OPENAI_API_KEY}`: never a value. */
  readonly credential: string;
  readonly models: readonly string[];
  readonly deployments: readonly { readonly alias: string; readonly deployment: string; readonly foundation_model: string | null }[];
  readonly health: ProviderHealth;
  /** Since midnight UTC; null: the request log cannot say. */
  readonly cost_today_usd: string | null;
}

/** `POST /api/providers/{slug}/test`. */
export interface ProviderTest {
  readonly ok: boolean;
  readonly message: string;
  readonly hint: string | null;
  readonly ms: number;
}

/** `GET /api/keys`. */
export interface KeyView {
  readonly name: string;
  readonly at: Origin | null;
  readonly secrets: readonly {
    readonly id: string;
    readonly prefix: string | null;
    /** Null: never, or the request log cannot say, as where the figures are null. */
    readonly last_used: number | null;
    readonly retires: number | null;
  }[];
  readonly configs: readonly string[] | null;
  readonly providers: readonly string[] | null;
  readonly models: readonly string[] | null;
  readonly prompts: readonly string[] | null;
  readonly default_config: string | null;
  /** True where every other choice than its config is rejected. */
  readonly enforce_config: boolean;
  /** What is kept of its bodies; null: what the gateway keeps of all. */
  readonly bodies: string | null;
  readonly created: number | null;
  readonly expires: number | null;
  readonly revoked: number | null;
  /** Since midnight UTC, and since the first of the month; null: the request log cannot say. */
  readonly requests_today: number | null;
  readonly cost_month_usd: string | null;
}

/** `POST /api/keys`, `POST /api/keys/{name}/rotate`, `POST /api/keys/{name}/revoke`: the secret is shown once. */
export interface KeyChange {
  readonly secret: string | null;
  readonly yaml: string;
  /** The file that was written; null: it has to be pasted. */
  readonly written_to: string | null;
  /** Why what was written is not in effect: the files are rejected; null: it is, or nothing was written. */
  readonly rejected: string | null;
}

/** `GET /api/prompts`. */
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
  /** Of the published version, like model and config. */
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
  /** `welcome@2`. */
  readonly name: string;
  readonly config: string | null;
  /** JSON text of the body that a call would send. */
  readonly body: string;
  readonly warnings: readonly string[];
}

/** `POST /api/prompts/{id}/try`. */
export interface PromptTry {
  readonly status: number;
  /** Of the request, as in the log. */
  readonly id: string | null;
  readonly body: string;
}

/** `GET /api/requests/{id}/differences`: what the client sent against what was sent upstream. */
export interface RequestDifferences {
  readonly differences: readonly Difference[];
  /** Why there are none, or why causes are incomplete. */
  readonly why_absent: string | null;
}

/** `POST /api/requests/read`. */
export interface StoredRecords {
  /** `request`: its body as it is kept, in base64; null where none is kept or asked for. */
  readonly records: readonly { readonly stored: StoredRecord; readonly request: string | null }[];
  /** The first id that did not fit into the response. */
  readonly next: string | null;
}

/** `POST /api/replay`. */
export interface ReplayRequest {
  readonly id: string;
  /** `provider/model`; absent: as it was. */
  readonly to?: string | undefined;
  readonly config?: string | undefined;
  /** Secret of a gateway key, where callers need one. It is used for this request and not kept. */
  readonly api_key?: string | undefined;
  /** Also where what was masked in the body is sent as it is kept. */
  readonly force?: boolean | undefined;
}

/** How long `POST /api/replay` may take, in milliseconds. */
export const replayLimitMs = 310_000;

export interface ReplayResult {
  readonly id: string;
  readonly status: number;
  readonly body: string;
  /** Old response against the new one. */
  readonly differences: readonly Difference[];
  /** Why there is nothing to compare with. */
  readonly why_absent: string | null;
}
