import type { Rates } from '../../core/limits/rates.ts';
import type { RecordedSpending } from '../../core/limits/recorded-spending.ts';
import type { LogReader } from '../../core/logs/reader.ts';
import type { LogRecord } from '../../core/records/record.ts';
import type { MemorySpool } from '../../store/log/worker/memory-spool.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ConfigState } from '../reload/state.ts';
import type { Heartbeat, HeartbeatTimes, RecordDestination } from './messages.ts';
import type { WorkersSpool } from './spool.ts';

/** Dependencies of the supervisor of worker processes. */
export interface FleetDeps {
  readonly count: number;
  readonly entry: URL;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly spool: WorkersSpool;
  readonly memory: MemorySpool | undefined;
  readonly records: RecordDestination;
  /** Directory of the table of object owners. */
  readonly ownersDir: string | undefined;
  readonly notes: string[];
  readonly configState: (isDetailed: boolean) => ConfigState;
  readonly logs: () => LogReader | undefined;
  readonly spending: RecordedSpending;
  readonly rates: Rates;
  readonly times?: Partial<HeartbeatTimes> | undefined;
  /** Unix milliseconds. */
  now(): number;
  /** Called with a worker's report on finished requests. */
  onBeat(beat: Heartbeat): void;
  onRecord(record: LogRecord): void;
  /** True while a reader wants the records. */
  isFollowed(): boolean;
}
