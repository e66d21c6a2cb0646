import { join } from 'node:path';
import type { RequestLogSettings } from '../../config/compile/logging/request-log.ts';
import { schedule } from '../../core/async/schedule.ts';
import type { RecordStore } from '../../store/frame.ts';
import type { Retention } from '../../store/log/log-store.ts';
import { RpcClient } from '../../store/log/rpc/client.ts';
import { startProcess } from '../../store/log/rpc/process.ts';
import { startThread } from '../../store/log/rpc/thread.ts';
import { queryTimeoutMs } from '../../store/log/worker/query-timeout.ts';
import { createMemorySpool, type MemorySpool } from '../../store/log/worker/memory-spool.ts';
import type { LogDatabase, ThreadData } from '../../store/log/worker/settings.ts';
import { openSpool } from '../../store/spool.ts';
import { logFile, spoolFolder, type StateDir } from '../../store/state-dir.ts';
import type { Log } from '../../telemetry/log.ts';
import type { RecordDestination } from '../workers/messages.ts';
import { dropReporter, errorReporter, problemReporter } from './reporters.ts';
import { RequestLog } from './request-log.ts';

export interface LogRequest {
  readonly state: StateDir;
  readonly settings: RequestLogSettings;
  /** Current deviations from the configuration, one sentence each. Updated while the gateway runs. */
  readonly notes: string[];
  /** Operational log. */
  readonly log: Log;
  readonly monotonic: () => number;
  /** Set if other processes write the spool: the combined store of those processes. */
  readonly workersStore?: RecordStore | undefined;
}

/** The opened request log: the store for records, and the reader for queries. */
export interface OpenedLog {
  readonly spool: RecordStore;
  /** Destination for the records of worker processes. */
  readonly destination: RecordDestination;
  /** Receives frames from worker processes when nothing is kept on disk. */
  readonly memory: MemorySpool | undefined;
  /** Undefined if no records are kept. */
  readonly reader: RequestLog | undefined;
  close(): Promise<void>;
}

/** Maximum size of the in-memory store, in bytes. */
const memorySize = 32 * 1024 * 1024;
/**
 * Limits of queries: how many may wait and how long, and after how many milliseconds the reader is replaced. A query times
 * out earlier, but on a busy machine the reader waits long for a processor, and another reader would have to start first.
 */
const queryLimits = { maxPending: 64, maxWaitMs: 10_000, limitMs: 3 * queryTimeoutMs, idleMs: 60_000, isPure: true } as const;
/** Limits for calls to the writer. Records sent as messages count as calls. */
const writerCallLimits = { maxPending: 4096, limitMs: 30_000 } as const;
/** Heap limit of the writer and of the reader, in megabytes. */
const heapMb = 192;
const entry = new URL('./log-worker.js', import.meta.url);
const readerEntry = new URL('./log-reader.js', import.meta.url);
/** Milliseconds before a writer that died, or was killed because it did not respond, is started again. */
const restartMs = 1000;

/** Opens the request log: its spool, the writer thread, and the reader process. */
export function openLog(request: LogRequest): OpenedLog {
  const { state, settings, log, monotonic, notes } = request;
  const warnings = state.warning === undefined ? [] : [state.warning];
  for (const warning of warnings) log.warn({}, warning);
  notes.push(...warnings);
  if (settings.isOff)
    return { spool: noStore(), destination: { kind: 'off' }, memory: undefined, reader: undefined, close: () => Promise.resolve() };
  const database = databaseOf(state, settings);
  const dir = state.kind === 'disk' ? join(state.path, spoolFolder) : undefined;
  const bounded = (kept: Retention): Retention =>
    database.kind === 'memory' ? { ...kept, size: Math.min(kept.size, memorySize), rows: settings.memoryRows } : kept;
  let retention = bounded(settings.retention);
  const writerThreadData = (): ThreadData => ({ role: 'writer', database, spool: dir, spoolLimit: settings.spoolSize, retention });
  let isClosing = false;
  const onDeath = errorReporter(log, monotonic, 'the thread that stores records ended; it is started again');
  let restart: NodeJS.Timeout | undefined;
  const writer: RpcClient = new RpcClient({
    start: (events) => startThread({ entry, data: writerThreadData(), heapMb }, events),
    ...writerCallLimits,
    onProblems: problemReporter([notes], log),
    onPeerFailure: (error) => {
      if (isClosing) return;
      onDeath(error);
      clearTimeout(restart);
      if (dir !== undefined) restart = setTimeout(() => isClosing || writer.start(), restartMs).unref();
    },
  });
  const reports = dropReporter(log, monotonic, dir === undefined ? [] : [notes, warnings]);
  const memory = dir === undefined ? createMemorySpool(writer, reports.onDrop) : undefined;
  const openStore = (): RecordStore => memory ?? openSpool({ dir: dir ?? '', maxTotal: settings.spoolSize, ...reports });
  const spool = request.workersStore ?? openStore();
  const destination: RecordDestination = dir === undefined ? { kind: 'supervisor' } : { kind: 'spool', dir, maxTotal: settings.spoolSize };
  const reader = database.kind === 'memory' ? writer : openReader(database, log, problemReporter([notes, warnings], log));
  if (dir !== undefined) writer.start();
  const spoolLimit = dir === undefined ? 0 : settings.spoolSize;
  const requestLog = new RequestLog({
    writer,
    reader,
    spool,
    spoolLimit,
    notes: warnings,
    later: schedule,
    bounded: (kept) => {
      retention = bounded(kept);
      return retention;
    },
  });
  const close = (): Promise<void> => {
    isClosing = true;
    return requestLog.close();
  };
  return { spool, destination: destination, memory, reader: requestLog, close };
}

/** Queries run in a separate process, or in a thread if no process can be started. */
function openReader(database: LogDatabase, log: Log, onProblems: (problems: readonly string[]) => void): RpcClient {
  let isThread = false;
  const thread: ThreadData = { role: 'reader', database };
  return new RpcClient({
    start: (events) =>
      isThread
        ? startThread({ entry, data: thread, heapMb }, events)
        : startProcess({ entry: readerEntry, data: database, heapMb }, events),
    ...queryLimits,
    onProblems,
    onStartFailure: (error) => {
      isThread = true;
      log.warn({ err: error }, 'no process can be started for queries to the request log: a thread runs them, which slows down traffic');
    },
  });
}

function databaseOf(state: StateDir, { postgres }: RequestLogSettings): LogDatabase {
  if (postgres !== undefined) return { kind: 'postgres', url: postgres };
  return state.kind === 'disk' ? { kind: 'sqlite', path: join(state.path, logFile) } : { kind: 'memory' };
}

/** Store for `logging.requests: off`: discards all records. */
function noStore(): RecordStore {
  return { append() {}, stats: { frames: 0, bytes: 0, dropped: 0, evicted: 0 }, close() {}, isOff: true };
}
