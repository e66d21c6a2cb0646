import type { LogReader } from '../../core/logs/reader.ts';
import type { LogRecord } from '../../core/records/record.ts';
import type { MemorySpool } from '../../store/log/worker/memory-spool.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ConfigState } from '../reload/state.ts';
import type { Beat, FleetTimes, RecordDestination } from './messages.ts';
import type { WorkersSpool } from './spool.ts';

/** What the supervisor of worker processes needs. */
export interface FleetDeps {
  readonly count: number;
  readonly entry: URL;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly spool: WorkersSpool;
  readonly memory: MemorySpool | undefined;
  readonly records: RecordDestination;
  /** Folder of the table of who made which object. */
  readonly ownersDir: string | undefined;
  readonly notes: string[];
  readonly configState: (isDetailed: boolean) => ConfigState;
  readonly logs: () => LogReader | undefined;
  readonly times?: Partial<FleetTimes> | undefined;
  /** Unix milliseconds. */
  now(): number;
  /** What a worker told of finished requests. */
  onBeat(beat: Beat): void;
  onRecord(record: LogRecord): void;
  /** Records are still wanted. */
  isFollowed(): boolean;
}
