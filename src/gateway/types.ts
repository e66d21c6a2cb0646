import type { Diagnostic } from '../config/report/diagnostic.ts';
import type { LoadedConfig } from '../config/reload/load.ts';
import type { Loader } from '../config/reload/loader.ts';
import type { Plugin } from '../core/plugin.ts';
import type { Provider } from '../core/provider.ts';
import type { LogReader } from '../core/logs/reader.ts';
import type { LogRecord } from '../core/records/record.ts';
import type { Mask } from '../core/secrets/mask.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { Log } from '../telemetry/log.ts';
import type { AdminState } from './admin/state.ts';
import type { HeartbeatTimes } from './workers/messages.ts';
import type { ChainStep } from '../pipeline/generation.ts';
import type { WorkerState } from './serving.ts';

/** The parts that this build of the gateway contains: the providers and the stages of the chain, as listed in `plugins/index.ts`. */
export interface Registry {
  readonly providers: readonly Provider[];
  readonly stages: readonly Plugin[];
}

export interface GatewayOptions {
  /** A file, or a text with a display name. */
  readonly source: { readonly path: string } | { readonly text: string; readonly name: string };
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Overrides `server.listen`. */
  readonly listen?: string | undefined;
  /** Overrides `server.probe_listen`. */
  readonly probeListen?: string | undefined;
  /** Opens the dashboard and the admin API. Default: false. `server.admin.enabled: false` takes precedence. */
  readonly admin?: boolean | undefined;
  /** Overrides `server.admin.listen`. */
  readonly adminListen?: string | undefined;
  /** Reloads when a file changes. Default: true. Only if the source is a file. */
  readonly watch?: boolean | undefined;
  readonly allowMissingSecrets?: boolean | undefined;
  /** Starts from the last good copy in the state directory if the source is invalid. */
  readonly lastGood?: boolean | undefined;
  /** Overrides `server.state_dir`. */
  readonly stateDir?: string | undefined;
  /** Overrides `server.workers`: a number, or `auto`. */
  readonly workers?: string | undefined;
  /** The file that a worker process runs. Without it this process serves alone, and more than one worker is an error. */
  readonly workerEntry?: URL | undefined;
  /** Timing of the replacement of workers that do not respond. */
  readonly workerTimes?: Partial<HeartbeatTimes> | undefined;
  /** Milliseconds within which large bodies must be masked after the end of their request. Default: 5000. */
  readonly maskingMs?: number | undefined;
  /** Operational log, and the request log lines of a chain with the `logging` plugin. */
  readonly log: Log;
  readonly registry: Registry;
  /** Loads the configuration, and is closed with the gateway. Without it the gateway opens one. */
  readonly loader?: Loader | undefined;
  /** Aborts a start in progress: it opens nothing more, closes what it has opened, and rejects. */
  readonly stop?: AbortSignal | undefined;
  onEvent(event: GatewayEvent): void;
}

/** Events of a running gateway that may be shown to a person. */
export type GatewayEvent =
  | {
      readonly type: 'reloaded';
      readonly revision: string;
      /** Changed keys: `+providers.claude`, `~configs.support`, `-api_keys.old`. */
      readonly changes: readonly string[];
      readonly ms: number;
      /** Changed keys that need a restart to take effect. */
      readonly restart: readonly string[];
      /** Warnings that the previous configuration did not have. */
      readonly warnings: readonly Diagnostic[];
      /** True if an earlier revision was put into use instead of the files. */
      readonly isRollback?: boolean | undefined;
    }
  /** `recovered`: the previous load was rejected, and the files now match the active configuration again. */
  | { readonly type: 'unchanged'; readonly revision: string; readonly recovered?: boolean | undefined }
  | {
      readonly type: 'rejected';
      /** The revision that stays active. */
      readonly revision: string;
      readonly diagnostics: readonly Diagnostic[];
      /** Reason of the rejection if the texts are valid, such as a plugin that failed to set up. */
      readonly reason?: string | undefined;
      /** True if an earlier revision is invalid now: the files may be valid. */
      readonly isRollback?: boolean | undefined;
    }
  /** Sent before the start is complete: the files are invalid, and the copy saved at `savedAt` (Unix milliseconds) is used. */
  | {
      readonly type: 'last-good';
      readonly revision: string;
      readonly savedAt: number;
      readonly diagnostics: readonly Diagnostic[];
      readonly reason?: string | undefined;
    }
  | { readonly type: 'request'; readonly record: LogRecord }
  /** Worker processes have finished this many more requests. Their records are delivered only to subscribers. */
  | { readonly type: 'requests'; readonly count: number };

/** A running gateway. */
export interface Gateway {
  /** Base URL of the data listener, with `/v1`; `unix:/path` for a socket. */
  readonly url: string;
  readonly loaded: LoadedConfig;
  /** Current deviations from the configuration, one sentence each. */
  readonly notes: readonly string[];
  /** Duration of the first load, in milliseconds. */
  readonly checkedMs?: number | undefined;
  /** The request log; undefined if it is off (`logging.requests: off`). */
  readonly logs: LogReader | undefined;
  /** The dashboard and the admin API; undefined if they are disabled. */
  readonly admin?: AdminState | undefined;
  /** Address of the listener for probes, with the port that the system chose for 0; undefined if there is none. */
  readonly probes?: string | undefined;
  snapshot(): Snapshot;
  /** Masks the secrets of the active configuration, and of earlier ones that requests may still use. */
  readonly mask: Mask;
  /** The active plugins, in order. */
  steps(): readonly ChainStep[];
  /** The worker processes; undefined if this process serves alone. */
  workers(): readonly WorkerState[] | undefined;
  /**
   * Handles an error that no code caught (`uncaughtException`, `unhandledRejection`). It is logged with the id of the
   * request that the failing code belongs to. That request fails if it has no response yet; all others continue. Never
   * throws.
   */
  defect(error: unknown): void;
  /** Reads the source again now. Never rejects: an invalid source gives a `rejected` event. */
  reload(): Promise<GatewayEvent>;
  /** Resolves when an authorized caller requests a shutdown. The code that runs the gateway must then call `drain`. */
  readonly shutdownRequested: Promise<void>;
  /** Stops accepting requests, lets running ones finish within `server.drain`, aborts the rest, and closes everything. */
  drain(): Promise<void>;
  /** Closes everything at once. */
  close(): Promise<void>;
}

export type StartGateway = (options: GatewayOptions) => Promise<Gateway>;

/** Describes why a gateway can't start. */
export interface StartFault {
  /** 1: a failure at run time, such as a port in use; 3: the configuration does not permit it. */
  readonly exitCode: 1 | 3;
  readonly message: string;
  /** What the user should do. May have several lines. */
  readonly hint?: string | undefined;
  readonly diagnostics?: readonly Diagnostic[] | undefined;
  readonly cause?: unknown;
}

/** Thrown by `startGateway`. Any other error that it throws is a defect. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: 1 | 3;
  readonly hint: string | undefined;
  readonly diagnostics: readonly Diagnostic[];

  constructor(fault: StartFault) {
    super(fault.message, fault.cause === undefined ? undefined : { cause: fault.cause });
    this.exitCode = fault.exitCode;
    this.hint = fault.hint;
    this.diagnostics = fault.diagnostics ?? [];
  }
}
