import type { SerializedAttempts } from '../../admin/attempts.ts';
import type { ProcessFigures } from '../../admin/process-monitor.ts';
import type { Activity } from '../../admin/managed-gateway.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import type { ListenSetting } from '../../core/http/listen-address.ts';
import type { WindowLimit } from '../../core/limits/caller-limits.ts';
import type { CountedRequests } from '../../core/limits/rates.ts';
import type { SpendingTotals } from '../../core/limits/recorded-spending.ts';
import type { PluginRecord } from '../../core/records/record.ts';
import type { LogStyle } from '../../telemetry/log.ts';
import type { ConfigState } from '../reload/state.ts';

/** Data that a worker needs to serve. Sent after its listening sockets. */
export interface WorkerStart {
  /** Worker number, from 1. */
  readonly worker: number;
  readonly workers: number;
  readonly loaded: ValidConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Address to listen on, as configured. */
  readonly listen: ListenSetting;
  readonly log: LogStyle;
  readonly records: RecordDestination;
  /** Directory of the table of object owners; undefined: in memory. */
  readonly ownersDir: string | undefined;
  readonly spending: SpendingTotals;
  readonly shown: ReadinessState;
  /** Milliseconds between two beats. */
  readonly beatMs: number;
}

/** Question of a worker: how many requests of a caller it may accept. */
export interface RateQuestion {
  readonly caller: string;
  readonly rate: WindowLimit;
  readonly count: number;
  /** What is left of its last grant, which it does not use any more. */
  readonly unused: CountedRequests | undefined;
}

/** Destination of records: none, a spool, or the supervisor. */
export type RecordDestination =
  | { readonly kind: 'off' }
  /** `maxTotal`: maximum size of the spools of all workers, in bytes. */
  | { readonly kind: 'spool'; readonly dir: string; readonly maxTotal: number }
  | { readonly kind: 'supervisor' };

/** Parts of `/readyz` of the data listener that only the supervisor knows. */
export interface ReadinessState {
  readonly notes: readonly string[];
  /** State without file names (`brief`) and with them (`detailed`). */
  readonly brief: ConfigState;
  readonly detailed: ConfigState;
}

/** Report of a worker, sent once a second and on request: counts since the last report, and current state. */
export interface Heartbeat {
  readonly activity: Activity;
  /** Finished requests, and how many of them are not sent as records. */
  readonly finished: number;
  readonly unsent: number;
  readonly attempts: SerializedAttempts;
  /** Plugin times of recent requests. */
  readonly plugins: readonly (readonly PluginRecord[])[];
  /** Counts since the start of the worker. */
  readonly spool: { readonly frames: number; readonly bytes: number; readonly dropped: number; readonly evicted: number };
  /** Number of records since the start of the worker whose bodies could not be masked in time. */
  readonly unmasked: number;
  /** Only in a beat that was requested. */
  readonly process?: ProcessFigures | undefined;
  /** Current problems of the worker, one sentence each. */
  readonly problems: readonly string[];
  /** Those of its spool. */
  readonly spoolProblems: readonly string[];
}

export interface HeartbeatTimes {
  /** Milliseconds between two beats of a worker. */
  readonly beatMs: number;
  /** Number of beats that a worker may miss before it is replaced. */
  readonly maxMissed: number;
}
