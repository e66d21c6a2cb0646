import type { MessagePort } from 'node:worker_threads';
import { errorMessage } from '../../../core/error.ts';
import { unknownStore } from '../../../core/logs/unknown-store.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import { plural } from '../../../core/text/wording.ts';
import { createSequence, serveThreadCalls, type Sequence } from '../rpc/protocol.ts';
import { SpoolDrain } from '../drain/drain.ts';
import { SpoolEviction } from '../drain/eviction.ts';
import { type Rejected, storeBatch } from '../drain/store-batch.ts';
import type { LogStore, Retention, StoreSize } from '../log-store.ts';
import { createQueries } from '../queries/index.ts';
import { deleteLogOfReplaced, fileIdentity, isCorruptionError, logIdentities, renameDamagedFile } from '../../damage/damaged-file.ts';
import { createSqliteSource } from '../sqlite/source.ts';
import { type SqliteStore, sizeOfUnwritable } from '../sqlite/store.ts';
import { AppendedFrames } from './appended.ts';
import { openStore } from './open-store.ts';
import { queryHandlers } from './reader.ts';
import { RetentionClock } from './retention-clock.ts';
import type { ThreadData, WriterState } from './settings.ts';

const replacedFile =
  'The file of the request log was deleted or replaced while the gateway ran: records that are no longer in the spool may be missing.';

type WriterData = ThreadData & { readonly role: 'writer' };

/** Milliseconds between checks of the spool. A batch is what arrived in the meantime; large batches cost less per record. */
const pause = { busy: 500, idle: 1000, failed: 2000 } as const;
/** Number of transactions, and milliseconds, after which pending calls are handled. A call that waits too long ends this thread. */
const stepsOfTurn = 4;
const turnMs = 1000;
/** Milliseconds between checks for records to delete. */
const retainIntervalMs = 30_000;
/** Milliseconds without records after which words are indexed, because indexing can wait until the writer is idle. */
const quietMs = 10_000;
/**
 * Milliseconds between two times that words are indexed for searches. Indexing a few records at a time makes the index slow
 * to write, and a search reads the records of some seconds quickly without it.
 */
const indexIntervalMs = 5_000;
/** Milliseconds to drain the spool: longer than a query after the first waits for it, and shorter than the shutdown of a gateway. */
const drainTimeoutMs = { query: 2000, end: 4000 } as const;
/** Milliseconds between slices of work that is not urgent. */
const slicePause = 20;

/** Starts the only thread that writes to the store. */
export function startWriter(port: MessagePort, data: WriterData): void {
  const writer = new LogWriter(data, createSequence());
  writer.serve(port);
}

class LogWriter {
  readonly #data: WriterData;
  readonly #sequence: Sequence;
  readonly #drain: SpoolDrain | undefined;
  #store: LogStore | undefined;
  /** The last known kind and size of the store. */
  #kind: string;
  #size: StoreSize | undefined;
  /** Identify the open file, and its write-ahead log. */
  #openFileIdentity: string | undefined;
  #openLogIdentities: ReadonlySet<string> = new Set();
  #retention: Retention;
  readonly #retentionClock = new RetentionClock(Date.now, () => performance.now());
  #timer: NodeJS.Timeout | undefined;
  #storeFault: string | undefined;
  readonly #notices: string[] = [];
  #retainedAt = Number.NEGATIVE_INFINITY;
  #isShrinking = false;
  /** How often deleting old records failed since it last succeeded, and why. */
  #retentionFailure = { times: 0, why: '' };
  /** Monotonic milliseconds of when the spool was last empty, and of when a record was last stored. */
  #idleAt = performance.now();
  #busyAt = performance.now();
  /** True if a query searched for words, so that rows not indexed yet are indexed now. */
  #isIndexRequested = false;
  /** Monotonic milliseconds of when the index was last complete. */
  #indexedAt = Number.NEGATIVE_INFINITY;
  readonly #eviction: SpoolEviction | undefined;
  readonly #appended = new AppendedFrames();
  /** Records that were sent as messages and cannot be stored because of their content. */
  readonly #rejected: Rejected = { count: 0, why: '' };
  /** Number of transactions of the last turn. */
  #steps = 0;
  #port: MessagePort | undefined;
  /** The last problems sent. Undefined before the first report: those of an earlier writer may still be shown. */
  #reportedProblems: string | undefined;

  constructor(data: WriterData, sequence: Sequence) {
    this.#data = data;
    this.#sequence = sequence;
    this.#retention = data.retention;
    this.#kind = kindOf(data.database);
    this.#drain = data.spool === undefined ? undefined : new SpoolDrain(data.spool);
    this.#eviction = data.spool === undefined ? undefined : new SpoolEviction(data.spool, data.spoolLimit);
  }

  serve(port: MessagePort): void {
    this.#port = port;
    const handlers = {
      drain: () => this.#drainAll(drainTimeoutMs.query),
      append: (bytes: Uint8Array) => this.#append(bytes),
      words: () => this.#index(),
      retention: (retention: Retention) => {
        this.#retention = retention;
        this.#retainedAt = Number.NEGATIVE_INFINITY;
        this.#scheduleTurn(0);
      },
      state: () => this.#state(),
      close: () => this.#close(),
    };
    // A store in memory belongs to this thread, so it also handles the queries.
    const memoryQueryHandlers = this.#data.database.kind === 'memory' ? queryHandlers(() => this.#memoryQueries()) : {};
    serveThreadCalls(port, { ...handlers, ...memoryQueryHandlers }, this.#sequence);
    this.#scheduleTurn(0);
  }

  #scheduleTurn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sequence(() => this.#turn()), ms);
  }

  async #turn(): Promise<void> {
    try {
      this.#scheduleTurn(await this.#work(await this.#open()));
      this.#storeFault = undefined;
    } catch (error) {
      await this.#handleFailure(error);
      this.#evictOldest();
      this.#scheduleTurn(pause.failed);
    }
    this.#reportProblems();
  }

  /** Reports changed problems, so that the status of the gateway shows them without a call. */
  #reportProblems(): void {
    const warning = this.#store?.warning;
    if (warning !== undefined && !this.#notices.includes(warning)) this.#notices.push(warning);
    const problems = this.#problems();
    const text = problems.join('\n');
    if (text === this.#reportedProblems) return;
    this.#reportedProblems = text;
    this.#port?.postMessage({ problems });
  }

  #problems(): string[] {
    const { count, why } = this.#drain?.rejected ?? this.#rejected;
    const rejected = count === 0 ? [] : [`The database rejected ${plural(count, 'record')}: ${why}`];
    const bytes = this.#drain?.damagedBytes ?? 0;
    const damaged = bytes === 0 ? [] : [`The spool was damaged: ${bytes} bytes of it are not records and were skipped.`];
    const { times, why: reason } = this.#retentionFailure;
    // A single failure is usually caused by a long statement, and is not reported.
    const unretained = times < 2 ? [] : [`Old records cannot be deleted, or past hours not be summed up: ${reason}`];
    return [...this.#notices, ...damaged, ...rejected, ...unretained, ...(this.#storeFault === undefined ? [] : [this.#storeFault])];
  }

  /** Nothing can be stored at present, so the oldest data is evicted. */
  #evictOldest(): void {
    try {
      this.#eviction?.evict((segment) => this.#drain?.offsetOf(segment));
    } catch (error) {
      // On a full disk nothing can be evicted. The spool itself still enforces its size limit.
      this.#storeFault = `${this.#storeFault ?? ''} The spool: ${errorMessage(error)}`;
    }
  }

  /** @returns milliseconds until the next turn */
  async #work(store: LogStore): Promise<number> {
    // First, and also while records keep arriving or cannot be stored: otherwise the store would exceed its limits, and a
    // full disk would stay full.
    await this.#retainIfDue(store);
    await this.#flush(store);
    this.#steps = 0;
    const until = performance.now() + turnMs;
    for (;;) {
      const step = await this.#drain?.step(store);
      if (step === 'more' || step === 'last') this.#steps += 1;
      if (step !== 'more') break;
      if (this.#steps === stepsOfTurn || performance.now() >= until) return 0;
    }
    this.#idleAt = performance.now();
    if (this.#isShrinking) return slicePause;
    if (this.#steps > 0) this.#busyAt = performance.now();
    const isQuiet = this.#mayIndex || performance.now() - this.#busyAt >= quietMs;
    // With records that never stop, too many would wait for the index, and a search for words would take too long.
    if (await store.index(isQuiet ? 'all' : 'many')) return slicePause;
    if (isQuiet) {
      this.#isIndexRequested = false;
      this.#indexedAt = performance.now();
    }
    return this.#steps > 0 ? pause.busy : pause.idle;
  }

  /** Deletes at least as much as the last turn stored, so that the store shrinks also under load. */
  async #retainIfDue(store: LogStore): Promise<void> {
    const isDue = this.#data.database.kind === 'memory' || performance.now() - this.#retainedAt >= retainIntervalMs;
    if (!isDue && !this.#isShrinking) return;
    this.#retainedAt = performance.now();
    let slices = 0;
    do {
      this.#isShrinking = await this.#retain(store);
      slices += 1;
    } while (this.#isShrinking && slices <= this.#steps);
  }

  /**
   * Deletes old records. If that fails, new records are still stored.
   *
   * @returns whether there is more to delete
   * @throws Error if the database is damaged or unavailable, because then nothing can be stored either
   */
  async #retain(store: LogStore): Promise<boolean> {
    try {
      const isMore = await store.retain(this.#retention, this.#retentionClock.now());
      this.#retentionFailure = { times: 0, why: '' };
      return isMore;
    } catch (error) {
      if (isCorruptionError(error) || errorCode(error) === 'log_unavailable') throw error;
      this.#retentionFailure = { times: this.#retentionFailure.times + 1, why: errorMessage(error) };
      return false;
    }
  }

  async #open(): Promise<LogStore> {
    const { database } = this.#data;
    if (this.#store !== undefined && database.kind === 'sqlite' && fileIdentity(database.path) !== this.#openFileIdentity) {
      // Data written to it would be lost when this process ends.
      await this.#store.close().catch(() => {});
      this.#store = undefined;
      deleteLogOfReplaced(database.path, this.#openLogIdentities);
      if (!this.#notices.includes(replacedFile)) this.#notices.push(replacedFile);
    }
    if (this.#store !== undefined) return this.#store;
    try {
      this.#store = await openStore(this.#data.database, this.#data.spool);
    } catch (error) {
      if (!this.#renameIfDamaged(error)) throw error;
      this.#store = await openStore(this.#data.database, this.#data.spool);
    }
    if (database.kind === 'sqlite') {
      this.#openFileIdentity = fileIdentity(database.path);
      this.#openLogIdentities = logIdentities(database.path);
    }
    this.#drain?.reset();
    return this.#store;
  }

  /** Renames a damaged file, so that further records are stored in a new one. @returns whether that was possible */
  #renameIfDamaged(error: unknown): boolean {
    const { database } = this.#data;
    if (database.kind !== 'sqlite' || !isCorruptionError(error)) return false;
    try {
      const newPath = renameDamagedFile(database.path, Date.now());
      this.#notices.push(`The request log was damaged: it was renamed to ${newPath}, and a new one was created.`);
      return true;
    } catch (failure) {
      const why = errorMessage(failure);
      this.#storeFault = `The request log is damaged and cannot be renamed, so records wait in the spool: ${why}`;
      return false;
    }
  }

  async #handleFailure(error: unknown): Promise<void> {
    const waitingIn = this.#data.spool === undefined ? 'memory' : 'the spool';
    this.#storeFault = `Records wait in ${waitingIn}: ${errorMessage(error)}`;
    // Only a Postgres connection can be broken. A store in memory would be lost if it were closed.
    if ((this.#data.database.kind !== 'postgres' && !isCorruptionError(error)) || this.#store?.isMigrating === true) return;
    await this.#store?.close().catch(() => {});
    this.#store = undefined;
    if (this.#renameIfDamaged(error)) this.#storeFault = undefined;
  }

  /** Drains what is in the spool, up to a time limit. @returns whether everything was drained */
  async #drainAll(ms: number): Promise<boolean> {
    const store = await this.#open();
    await this.#flush(store);
    if (this.#drain === undefined) return true;
    // After a database outage the spool may be large. Do not wait for its end, so that other calls are handled.
    const until = performance.now() + ms;
    for (;;) {
      if ((await this.#drain.step(store)) !== 'more') return true;
      if (performance.now() >= until) return false;
    }
  }

  /** True if a search for words came, and the index was not complete a moment ago. */
  get #mayIndex(): boolean {
    return this.#isIndexRequested && performance.now() - this.#indexedAt >= indexIntervalMs;
  }

  #index(): void {
    this.#isIndexRequested = true;
    if (this.#mayIndex) this.#scheduleTurn(0);
  }

  #append(bytes: Uint8Array): void {
    this.#appended.add(bytes);
    if (this.#appended.hasFullBatch && this.#storeFault === undefined) this.#scheduleTurn(0);
  }

  /** Stores the frames that were sent as messages. */
  #flush(store: LogStore): Promise<void> {
    return this.#appended.store((batch) => {
      this.#busyAt = performance.now();
      return storeBatch(store, batch, this.#rejected);
    });
  }

  #memoryQueries(): ReturnType<typeof createQueries> {
    if (this.#store === undefined) throw new Error('the store is not open');
    return createQueries(createSqliteSource((this.#store as SqliteStore).db), Date.now);
  }

  async #state(): Promise<WriterState> {
    // If the database is unavailable, report its last known size. It is not empty.
    this.#size = (await this.#store?.size().catch(() => undefined)) ?? this.#size ?? this.#sizeOfUnopened();
    this.#kind = this.#store?.kind ?? this.#kind;
    const bytes = this.#drain?.pendingBytes() ?? 0;
    return {
      kind: this.#size === undefined ? unknownStore : this.#kind,
      ...(this.#size ?? { records: 0, bytes: 0, oldest: null }),
      behind: { bytes, ms: bytes === 0 ? 0 : Math.round(performance.now() - this.#idleAt) },
      dropped_bodies: this.#eviction?.droppedBodies ?? 0,
      dropped: (this.#eviction?.droppedRecords ?? 0) + (this.#drain?.rejected ?? this.#rejected).count + this.#appended.dropped,
      stored_of_gone: this.#drain?.storedFramesOfEvicted() ?? {},
      problems: this.#problems(),
    };
  }

  /** Of a file that could not be opened for writing yet. Queries return its records. */
  #sizeOfUnopened(): StoreSize | undefined {
    const { database } = this.#data;
    return database.kind === 'sqlite' && this.#storeFault !== undefined ? sizeOfUnwritable(database.path) : undefined;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#drainAll(drainTimeoutMs.end);
    } finally {
      clearTimeout(this.#timer);
      await this.#store?.close();
      this.#store = undefined;
    }
  }
}

function kindOf(database: WriterData['database']): string {
  if (database.kind === 'sqlite') return `sqlite ${database.path}`;
  return database.kind;
}
