import type { Activity } from '../admin/managed-gateway.ts';
import type { ProcessFigures } from '../admin/process-monitor.ts';
import type { ValidConfig } from '../config/reload/load.ts';
import type { ListenSetting } from '../core/http/listen-address.ts';
import type { SpendingTotals } from '../core/limits/recorded-spending.ts';
import type { Mask } from '../core/secrets/mask.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { ChainStep, Generation } from '../pipeline/generation.ts';
import type { MetricsPage } from '../transport/inbound/metrics-page.ts';
import type { Probes } from '../transport/inbound/probes.ts';
import type { DrainPlan } from './drain.ts';

/** The serving side of a gateway: this process (`Runtime`), or its worker processes (`workers/fleet.ts`). */
export interface Serving {
  /** Masks the secrets of every configuration that still has requests. */
  readonly mask: Mask;
  /** Metrics page, for listeners that only operators reach. */
  readonly page: MetricsPage;
  /** State of the worker processes; undefined if this process serves itself. */
  readonly workers: (() => readonly WorkerState[]) | undefined;
  /** Figures of each worker process, if there are workers. */
  processes?(): readonly ProcessFigures[];
  snapshot(): Snapshot;
  /** The active plugins, in order. */
  steps(): readonly ChainStep[];
  activity(): Activity;
  /** Refreshes the figures of other processes. Resolves within a second, even if some do not respond. */
  refresh(): Promise<void>;
  /** @param isOperators true if only operators can reach the listener */
  probes(isOperators: boolean): Probes;
  /**
   * Makes a new generation active for the following requests. Requests in progress keep theirs.
   *
   * @throws Error if a process can't apply it; then nothing has changed
   */
  swap(generation: Generation, loaded: ValidConfig): Promise<void> | void;
  /** Informs other processes of a new reading of the request log. */
  useSpending?(totals: SpendingTotals): void;
  /** Opens the data listener. Resolves to its address in the form clients use. @throws StartError */
  listen(setting: ListenSetting): Promise<string>;
  /** Handles an uncaught error. See `Gateway.defect`. */
  defect(error: unknown): void;
  drain(plan: DrainPlan): Promise<void>;
  /** Closes everything at once; waiting records are written. */
  close(): Promise<void>;
}

/** State of a worker process, for operators. */
export interface WorkerState {
  /** Worker number, from 1. A replacement keeps the number. */
  readonly worker: number;
  /** Undefined if no process is running. */
  readonly pid: number | undefined;
  readonly state: 'starting' | 'serving' | 'silent' | 'waiting' | 'stopping';
  /** Number of times it was replaced. */
  readonly restarts: number;
  /** Time (Unix milliseconds) and reason of the last exit; undefined if there was none. */
  readonly lastEnd: { readonly at: number; readonly why: string } | undefined;
  /** Requests finished by all processes with this number. */
  readonly requests: number;
  readonly inFlight: number;
  /** The figures it last reported. */
  readonly figures: ProcessFigures | undefined;
}
