import type { LoadedConfig, ValidConfig, WrittenPlaces } from '../config/reload/load.ts';
import type { SavedFiles } from '../config/read/merge-files.ts';
import type { Overridden } from '../config/check/context.ts';
import type { AdminEntry } from '../config/schema/index.ts';
import type { LogReader } from '../core/logs/reader.ts';
import type { Mask } from '../core/secrets/mask.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { Probes } from '../transport/inbound/probes.ts';
import type { Explanation, ExplainRequest } from '../core/logs/explanation.ts';
import type { CatalogEntry } from '../manage/providers/entry.ts';
import type { Tested } from '../manage/providers/try.ts';
import type { AttemptFigures } from './attempts.ts';
import type { ProcessFigures } from './process-view.ts';
import type { LiveHub } from './live/hub.ts';
import type { ProviderHealth, ReloadVerdict, ReplayRequest, ReplayResult, RequestDifferences, Status, WorkerView } from './api-types.ts';

/** The gateway that the admin API shows and controls. */
export interface Subject {
  /** What the flags of the start decide, whatever the file says. */
  readonly overridden: readonly Overridden[];
  readonly version: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Where the data listener serves. */
  readonly url: string;
  /** Undefined where the configuration is not a file. */
  readonly configPath: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly probes: Probes;
  /** `server.admin` as it holds now. */
  settings(): AdminEntry;
  snapshot(): Snapshot;
  loaded(): ValidConfig;
  /** Hides the secrets of every configuration that still serves a request. */
  mask(): Mask;
  /** Undefined where no request log is kept. */
  logs(): LogReader | undefined;
  /** Finished requests as they come. */
  readonly hub: LiveHub;
  /** Brings up to date what is read of worker processes: before `activity`, `plugins`, `health` and `attempts`. */
  gather(): Promise<void>;
  /** The worker processes; undefined where one process does all. */
  workers(): readonly WorkerFacts[] | undefined;
  /** Memory and event loops. */
  processes(): ProcessFigures;
  /** What the gateway does right now. */
  activity(): Activity;
  /** How the configuration that serves came to be. */
  configState(): ConfigStateFacts;
  /** Times of the last requests. */
  plugins(): Status['plugins'];
  health(): readonly ProviderHealth[];
  /** At targets together within the last hour, by their paths as `configs.support.targets[1]`. */
  attempts(paths: readonly string[]): AttemptFigures;
  /** Loaded when somebody asks for an explanation. */
  explaining(): Promise<Explaining>;
  /** Reads the files again now. */
  reload(): Promise<ReloadVerdict>;
  /**
   * Serves an earlier revision until the files change; undefined: the one before.
   *
   * @throws GatewayError `revision_not_found`
   */
  rollback(revision: string | undefined): Promise<ReloadVerdict>;
  readonly revisions: RevisionHistory;
  /** Where each value of what serves is written. */
  written(): Promise<WrittenPlaces>;
  /**
   * Loads other texts without serving with them.
   *
   * @param entry text in place of the first file
   */
  inspect(texts: SavedFiles, entry?: string): Promise<LoadedConfig>;
  /** The providers of what serves. */
  catalog(): readonly CatalogEntry[];
  tryProvider(entry: CatalogEntry, deep: boolean): Promise<Tested>;
  /** Sends a request to the gateway's own data listener. */
  request(request: OwnRequest): Promise<{ readonly status: number; readonly id: string | null; readonly body: string }>;
  /** Ends the gateway as a signal does; undefined: within `server.drain.timeout`. */
  drain(timeoutMs: number | undefined): void;
  /** Something threw where nobody caught it. */
  onDefect(error: unknown): void;
}

/** Tells and repeats requests. What a configuration and the request log don't allow is a GatewayError. */
export interface Explaining {
  explain(request: ExplainRequest): Promise<Explanation>;
  /** What the client of a recorded request sent against what was sent upstream. */
  differences(id: string): Promise<RequestDifferences>;
  /** What was sent upstream, where the record has it as the client's body with changes; undefined: it has not. */
  upstreamBody(id: string): Promise<Uint8Array | undefined>;
  /** Sends a recorded request to the data listener, as a client does. */
  replay(request: ReplayRequest): Promise<ReplayResult>;
}

/** A worker process. */
export interface WorkerFacts {
  readonly worker: number;
  readonly pid: number | undefined;
  readonly state: WorkerView['state'];
  readonly restarts: number;
  /** When (Unix milliseconds) and why the last one ended. */
  readonly lastEnd: { readonly at: number; readonly why: string } | undefined;
  readonly requests: number;
  readonly inFlight: number;
  readonly figures: ProcessFigures | undefined;
}

export interface Activity {
  readonly inFlight: number;
  readonly openStreams: number;
  readonly isDraining: boolean;
  /** Bytes of bodies in memory, and their limit. */
  readonly bodies: number;
  readonly bodiesLimit: number;
}

export interface ConfigStateFacts {
  readonly lastReload: Status['last_reload'];
  readonly rolledBackTo: string | null;
  readonly restartNeeded: readonly string[];
  /** What is not as it was asked for, in a sentence each. */
  readonly notes: readonly string[];
}

/** The configurations that served, newest first; texts with secrets masked. */
export interface RevisionHistory {
  /** Ends when everything that was applied is in the list. */
  settled(): Promise<void>;
  list(): readonly {
    readonly revision: string;
    /** Unix milliseconds. */
    readonly appliedAt: number;
    readonly changes: readonly string[];
    /** Absolute path → when it was written (Unix milliseconds), and its text. */
    readonly files: Readonly<Record<string, { readonly modifiedAt: number; readonly text: string }>>;
  }[];
}

/** A request of a person who tries something out: it goes the way of every other one, and is in the log. */
export interface OwnRequest {
  readonly path: string;
  readonly body: object;
  /** An API key of the gateway, where it asks for one. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}
