import type { AttemptsTaken } from '../../admin/attempts.ts';
import type { ProcessFigures } from '../../admin/process-view.ts';
import type { Activity } from '../../admin/subject.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import type { ListenSetting } from '../../core/http/listen-address.ts';
import type { PluginRecord } from '../../core/records/record.ts';
import type { LogStyle } from '../../telemetry/log.ts';
import type { ConfigState } from '../reload/state.ts';

/** What a worker needs to serve: sent with the socket to listen on. */
export interface WorkerStart {
  /** From 1 on, of how many. */
  readonly worker: number;
  readonly workers: number;
  readonly loaded: ValidConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What is listened on, as it was written. */
  readonly listen: ListenSetting;
  readonly log: LogStyle;
  readonly records: RecordDestination;
  /** Folder of the table of who made which object; undefined: in memory. */
  readonly ownersDir: string | undefined;
  readonly shown: ShownState;
  /** Milliseconds between two beats. */
  readonly beatMs: number;
}

/** Where records go: nowhere, into a spool, or to the supervisor. */
export type RecordDestination =
  | { readonly kind: 'off' }
  /** `maxTotal`: bytes of the spool of all workers. */
  | { readonly kind: 'spool'; readonly dir: string; readonly maxTotal: number }
  | { readonly kind: 'supervisor' };

/** What `/readyz` of the data listener shows and only the supervisor knows. */
export interface ShownState {
  readonly notes: readonly string[];
  /** Without and with names of files. */
  readonly brief: ConfigState;
  readonly detailed: ConfigState;
}

/** What a plugin of one worker says to the same plugin of the others. */
export interface PluginMessage {
  readonly key: string;
  readonly message: unknown;
}

/** What a worker tells once a second, and when it is asked: what came since the last time, and how it is. */
export interface Beat {
  readonly activity: Activity;
  /** Requests that were finished, and those of them that are not sent as records. */
  readonly finished: number;
  readonly unsent: number;
  readonly attempts: AttemptsTaken;
  /** Of the last requests. */
  readonly plugins: readonly (readonly PluginRecord[])[];
  /** Counts since the start of the worker. */
  readonly spool: { readonly frames: number; readonly bytes: number; readonly dropped: number; readonly evicted: number };
  /** Records whose bodies could not be masked in time, since the start of the worker. */
  readonly unmasked: number;
  /** Only where somebody asked for the beat. */
  readonly process?: ProcessFigures | undefined;
  /** What is wrong with it, as a sentence each. */
  readonly problems: readonly string[];
}

export interface FleetTimes {
  /** Milliseconds between two beats of a worker. */
  readonly beatMs: number;
  /** Beats that a worker may miss before it is replaced. */
  readonly mostMissed: number;
}
