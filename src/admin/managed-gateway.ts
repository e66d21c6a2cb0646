import type { LoadedConfig, ValidConfig } from '../config/reload/load.ts';
import type { WrittenLocations } from '../config/report/origins.ts';
import type { SavedFiles } from '../config/read/files.ts';
import type { Overridden } from '../config/check/context.ts';
import type { AdminEntry } from '../config/schema/index.ts';
import type { WindowLimit } from '../core/limits/caller-limits.ts';
import type { LogReader } from '../core/logs/reader.ts';
import type { Mask } from '../core/secrets/mask.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { Probes } from '../transport/inbound/probes.ts';
import type { Explanation, ExplainRequest } from '../core/logs/explanation.ts';
import type { CatalogEntry } from '../manage/providers/catalog-entry.ts';
import type { ProviderTestResult } from '../manage/providers/test-provider.ts';
import type { AttemptFigures } from './attempts.ts';
import type { ProcessFigures } from './process-monitor.ts';
import type { LiveHub } from './live/hub.ts';
import type {
  PromptTry,
  ProviderHealth,
  ReloadVerdict,
  ReplayRequest,
  ReplayResult,
  RequestDifferences,
  Status,
  WorkerView,
} from './api-types.ts';

/** The gateway that the admin API shows and controls. */
export interface ManagedGateway {
  /** Settings overridden by command line flags. */
  readonly overridden: readonly Overridden[];
  readonly version: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Base URL of the data listener. */
  readonly url: string;
  /** Undefined if the configuration is not a file. */
  readonly configPath: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly probes: Probes;
  /** The current `server.admin`. */
  settings(): AdminEntry;
  snapshot(): Snapshot;
  loaded(): ValidConfig;
  /** Masks the secrets of every configuration that still has requests. */
  mask(): Mask;
  /** Undefined if no request log is kept. */
  logs(): LogReader | undefined;
  /** Stream of finished requests. */
  readonly hub: LiveHub;
  /** Refreshes the figures of worker processes: call before `activity`, `plugins`, `health` and `attempts`. */
  refreshWorkerFigures(): Promise<void>;
  /** The worker processes; undefined if one process serves alone. */
  workers(): readonly WorkerFacts[] | undefined;
  /** Memory and event loop delays. */
  processes(): ProcessFigures;
  /** Requests of an API key that count against its rate now. */
  requestsUsed(key: string, rate: WindowLimit): number;
  /** Current load. */
  activity(): Activity;
  /** Result of the last reload, rollback and pending restart. */
  configState(): ConfigStateFacts;
  /** Plugin times of recent requests. */
  plugins(): Status['plugins'];
  health(): readonly ProviderHealth[];
  /** Combined figures of targets within the last hour, by their paths, such as `configs.support.targets[1]`. */
  attempts(paths: readonly string[]): AttemptFigures;
  /** Loaded with the first request for an explanation. */
  explainer(): Promise<RequestExplainer>;
  /** Reads the files again now. */
  reload(): Promise<ReloadVerdict>;
  /**
   * Activates an earlier revision until the files change; undefined: the previous one.
   *
   * @throws GatewayError `revision_not_found`
   */
  rollback(revision: string | undefined): Promise<ReloadVerdict>;
  readonly revisions: RevisionHistory;
  /** Source position of each value of the active configuration. */
  written(): Promise<WrittenLocations>;
  /** Its source positions for lists that are shown without them, too: empty if they are not found within this time. */
  locations(waitMs: number): Promise<WrittenLocations['locations']>;
  /**
   * Loads other texts without activating them.
   *
   * @param entry text that replaces the first file
   */
  inspect(texts: SavedFiles, entry?: string): Promise<LoadedConfig>;
  /** The providers of the active configuration. */
  catalog(): readonly CatalogEntry[];
  testProvider(entry: CatalogEntry, deep: boolean): Promise<ProviderTestResult>;
  /** Sends a request to the gateway's own data listener. */
  request(request: DashboardRequest): Promise<PromptTry>;
  /** Stops the gateway as a signal does; undefined: within `server.drain.timeout`. */
  drain(timeoutMs: number | undefined): void;
  /** Called with an uncaught error. */
  onDefect(error: unknown): void;
}

/** Explains and replays requests. Throws GatewayError if the configuration or the request log does not permit it. */
export interface RequestExplainer {
  explain(request: ExplainRequest): Promise<Explanation>;
  /** The client's recorded request compared with the upstream request. */
  differences(id: string): Promise<RequestDifferences>;
  /** The upstream body, if it was recorded as changes to the client's body; otherwise undefined. */
  upstreamBody(id: string): Promise<Uint8Array | undefined>;
  /** Sends a recorded request to the data listener as a client does. */
  replay(request: ReplayRequest): Promise<ReplayResult>;
}

/** A worker process. */
export interface WorkerFacts {
  readonly worker: number;
  readonly pid: number | undefined;
  readonly state: WorkerView['state'];
  readonly restarts: number;
  /** Time (Unix milliseconds) and reason of the last exit. */
  readonly lastEnd: { readonly at: number; readonly why: string } | undefined;
  readonly requests: number;
  readonly inFlight: number;
  readonly figures: ProcessFigures | undefined;
}

export interface Activity {
  readonly inFlight: number;
  readonly openStreams: number;
  readonly isDraining: boolean;
  /** Memory used by bodies and its limit, in bytes. */
  readonly bodies: number;
  readonly bodiesLimit: number;
}

export interface ConfigStateFacts {
  readonly lastReload: Status['last_reload'];
  readonly rolledBackTo: string | null;
  readonly restartNeeded: readonly string[];
  /** Current deviations from the configuration, one sentence each. */
  readonly notes: readonly string[];
}

/** Configurations that were active, newest first; texts with secrets masked. */
export interface RevisionHistory {
  /** Resolves when every applied configuration is in the list. */
  settled(): Promise<void>;
  list(): readonly {
    readonly revision: string;
    /** Unix milliseconds. */
    readonly appliedAt: number;
    readonly changes: readonly string[];
    /** Absolute path → modification time (Unix milliseconds) and text. */
    readonly files: Readonly<Record<string, { readonly modifiedAt: number; readonly text: string }>>;
  }[];
}

/** A test request of a user. It is processed and logged like any other request. */
export interface DashboardRequest {
  readonly path: string;
  readonly body: object;
  /** A gateway API key, if the gateway requires one. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}
