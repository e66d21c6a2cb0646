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
import type { FleetTimes } from './workers/messages.ts';
import type { ChainStep } from '../pipeline/generation.ts';
import type { WorkerState } from './serving.ts';

/** What the product is made of: the providers and the stages of the chain, as `plugins/index.ts` lists them. */
export interface Registry {
  readonly providers: readonly Provider[];
  readonly stages: readonly Plugin[];
}

export interface GatewayOptions {
  /** A file, or text with a name to show for it. */
  readonly source: { readonly path: string } | { readonly text: string; readonly name: string };
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Overrides `server.listen`. */
  readonly listen?: string | undefined;
  /** Overrides `server.probe_listen`. */
  readonly probeListen?: string | undefined;
  /** Opens the dashboard and the admin API; false unless said otherwise. `server.admin.enabled: false` wins. */
  readonly admin?: boolean | undefined;
  /** Overrides `server.admin.listen`. */
  readonly adminListen?: string | undefined;
  /** Reload when a file changes; true unless said otherwise, and only where the source is a file. */
  readonly watch?: boolean | undefined;
  readonly allowMissingSecrets?: boolean | undefined;
  /** Start from the last good copy in the state directory when the source is invalid. */
  readonly lastGood?: boolean | undefined;
  /** Overrides `server.state_dir`. */
  readonly stateDir?: string | undefined;
  /** Overrides `server.workers`: a number, or `auto`. */
  readonly workers?: string | undefined;
  /** The file that a worker process runs; without it this process serves alone, and more workers are an error. */
  readonly workerEntry?: URL | undefined;
  /** How soon a worker that does not respond is replaced. */
  readonly workerTimes?: Partial<FleetTimes> | undefined;
  /** Operational lines, and the request lines of a chain with the `logging` plugin. */
  readonly log: Log;
  readonly registry: Registry;
  /** Loads the configuration, and is closed with the gateway; without it the gateway opens one. */
  readonly loader?: Loader | undefined;
  /** Ends a start in progress: it opens nothing more, closes what it has opened, and rejects. */
  readonly stop?: AbortSignal | undefined;
  onEvent(event: GatewayEvent): void;
}

/** What happens while the gateway runs and a person may want to see. */
export type GatewayEvent =
  | {
      readonly type: 'reloaded';
      readonly revision: string;
      /** As `+providers.claude`, `~configs.support`, `-api_keys.old`. */
      readonly changes: readonly string[];
      readonly ms: number;
      /** Keys whose new value waits for a restart. */
      readonly restart: readonly string[];
    }
  /** `recovered`: the load before was rejected, and the files are again what serves. */
  | { readonly type: 'unchanged'; readonly revision: string; readonly recovered?: boolean | undefined }
  | {
      readonly type: 'rejected';
      /** The revision that keeps serving. */
      readonly revision: string;
      readonly diagnostics: readonly Diagnostic[];
      /** Why, where the text itself is good: a plugin's set-up failed. */
      readonly reason?: string | undefined;
    }
  /** Before the start is done: the files are invalid, and their copy of `savedAt` (Unix milliseconds) serves. */
  | {
      readonly type: 'last-good';
      readonly revision: string;
      readonly savedAt: number;
      readonly diagnostics: readonly Diagnostic[];
      readonly reason?: string | undefined;
    }
  | { readonly type: 'request'; readonly record: LogRecord }
  /** Worker processes have finished so many more requests. Their records come where somebody subscribed to them. */
  | { readonly type: 'requests'; readonly count: number };

/** A gateway that serves. */
export interface Gateway {
  /** Where the data listener answers, with `/v1`; `unix:/path` for a socket. */
  readonly url: string;
  readonly loaded: LoadedConfig;
  /** What is not as it was asked for although the gateway serves, as a sentence each. */
  readonly notes: readonly string[];
  /** How long the first load took, in milliseconds. */
  readonly checkedMs?: number | undefined;
  /** The request log; undefined where none is kept (`logging.requests: off`). */
  readonly logs: LogReader | undefined;
  /** The dashboard and the admin API; undefined where they are switched off. */
  readonly admin?: AdminState | undefined;
  snapshot(): Snapshot;
  /** Hides the secrets of what serves, and of earlier configurations that requests may still run with. */
  readonly mask: Mask;
  /** The plugins that serve, in order. */
  steps(): readonly ChainStep[];
  /** The worker processes; undefined where this process serves alone. */
  workers(): readonly WorkerState[] | undefined;
  /**
   * Tells of each record when its request is over; the function that is returned ends that. What a listener throws is
   * logged and reaches nobody else.
   */
  subscribe(onRecord: (record: LogRecord) => void): () => void;
  /**
   * The last guard: takes what reached the process because nobody caught it. It is logged with the id of the request in
   * whose course it was begun, and that request fails when it is not answered yet; all others go on. Never throws.
   */
  defect(error: unknown): void;
  /** Reads the source again now. Never rejects: a bad source is a `rejected` event. */
  reload(): Promise<GatewayEvent>;
  /** Resolves when somebody with the right to it asks for a stop: whoever runs the gateway then drains it. */
  readonly stopAsked: Promise<void>;
  /** Stops taking requests, lets the running ones finish within `server.drain`, ends the rest, closes everything. */
  drain(): Promise<void>;
  /** Ends everything at once. */
  close(): Promise<void>;
}

export type StartGateway = (options: GatewayOptions) => Promise<Gateway>;

/** What to say when a gateway can't start. */
export interface StartFault {
  /** 1: it could not (a port in use); 3: the configuration forbids it. */
  readonly exitCode: 1 | 3;
  readonly message: string;
  /** What to do about it; may have several lines. */
  readonly hint?: string | undefined;
  readonly diagnostics?: readonly Diagnostic[] | undefined;
  readonly cause?: unknown;
}

/** Thrown by `startGateway`. Everything else that it throws is a defect. */
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
