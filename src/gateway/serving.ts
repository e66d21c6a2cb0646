import type { Activity } from '../admin/subject.ts';
import type { ProcessFigures } from '../admin/process-view.ts';
import type { ValidConfig } from '../config/reload/load.ts';
import type { ListenSetting } from '../core/http/listen-address.ts';
import type { LogRecord } from '../core/records/record.ts';
import type { Mask } from '../core/secrets/mask.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { ChainStep, Generation } from '../pipeline/generation.ts';
import type { MetricsPage } from '../transport/inbound/metrics-page.ts';
import type { Probes } from '../transport/inbound/probes.ts';
import type { DrainPlan } from './drain.ts';

/** What serves clients: this process (`Runtime`), or worker processes that it looks after (`workers/fleet.ts`). */
export interface Serving {
  /** Hides the secrets of every configuration that still serves a request. */
  readonly mask: Mask;
  /** The metrics, for listeners that only operators reach. */
  readonly page: MetricsPage;
  /** The worker processes; undefined where this process serves. */
  readonly workers: (() => readonly WorkerState[]) | undefined;
  /** Of the worker processes, where there are some. */
  processes?(): readonly ProcessFigures[];
  snapshot(): Snapshot;
  /** The plugins that serve, in order. */
  steps(): readonly ChainStep[];
  activity(): Activity;
  /** Brings up to date what is read of other processes. Resolves within a second, whoever does not answer. */
  gather(): Promise<void>;
  /** @param isOperators only operators reach the listener */
  probes(isOperators: boolean): Probes;
  /**
   * Serves with another generation from the next request on; requests in progress keep theirs.
   *
   * @throws Error where a process can't: then nothing has changed
   */
  swap(generation: Generation, loaded: ValidConfig): Promise<void> | void;
  /** Opens the data listener. Resolves to its address as clients write it. @throws StartError */
  listen(setting: ListenSetting): Promise<string>;
  /** Records of finished requests are wanted from now on, as long as it serves. */
  follow(onRecord: (record: LogRecord) => void): void;
  /** Something threw where nobody caught it. See `Gateway.defect`. */
  defect(error: unknown): void;
  drain(plan: DrainPlan): Promise<void>;
  /** Ends everything at once; records that wait are written. */
  close(): Promise<void>;
}

/** A worker process as operators see it. */
export interface WorkerState {
  /** From 1 on; who comes in place of a dead one has its number. */
  readonly worker: number;
  /** Undefined while none runs. */
  readonly pid: number | undefined;
  readonly state: 'starting' | 'serving' | 'silent' | 'waiting' | 'stopping';
  /** How often it was replaced. */
  readonly restarts: number;
  /** When (Unix milliseconds) and why the last one ended; undefined where none has. */
  readonly lastEnd: { readonly at: number; readonly why: string } | undefined;
  /** Requests that it and those before it have finished. */
  readonly requests: number;
  readonly inFlight: number;
  /** When it was asked last. */
  readonly figures: ProcessFigures | undefined;
}
