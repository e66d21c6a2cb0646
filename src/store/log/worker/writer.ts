import type { MessagePort } from 'node:worker_threads';
import type { GivenFeedback } from '../../../core/logs/reader.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import { plural } from '../../../core/text/plural.ts';
import { createSequence, respond, type Sequence } from '../rpc/protocol.ts';
import { SpoolDrain } from '../drain/drain.ts';
import { SpoolEviction } from '../drain/eviction.ts';
import { type Rejected, storeBatch } from '../drain/store-batch.ts';
import type { LogStore, Retention, StoreSize } from '../log-store.ts';
import { createQueries } from '../queries/index.ts';
import { fileAt, isDamage, setAside } from '../../damaged-file.ts';
import { createSqliteSource } from '../sqlite/source.ts';
import type { SqliteStore } from '../sqlite/store.ts';
import { AppendedFrames } from './appended.ts';
import { openStore } from './open-store.ts';
import { questionHandlers } from './reader.ts';
import type { ThreadData, WriterState } from './settings.ts';

type WriterData = ThreadData & { readonly role: 'writer' };

/** Milliseconds between checks of the spool. A batch is what arrived in the meantime; large batches cost less per record. */
const pause = { busy: 500, idle: 1000, failed: 2000 } as const;
/** Number of transactions, and milliseconds, after which pending calls are handled. A call that waits too long ends this thread. */
const stepsOfTurn = 4;
const turnMs = 1000;
/** Milliseconds between checks for records to delete. */
const retainEvery = 30_000;
/** Milliseconds without records after which words are indexed, because indexing can wait until the writer is idle. */
const quietMs = 10_000;
/**
 * Milliseconds between two times that words are indexed for searches. Indexing a few records at a time makes the index slow
 * to write, and a search reads the records of some seconds quickly without it.
 */
const wordsEvery = 5_000;
/** Milliseconds to drain the spool: longer than a query after the first waits for it, and shorter than the shutdown of a gateway. */
const drainMs = { question: 2000, end: 4000 } as const;
/** Milliseconds between slices of work that is not urgent. */
const slicePause = 20;

/** Starts the only thread that writes to the store. */
export function startWriter(port: MessagePort, data: WriterData): void {
  const writer = new Writer(data, createSequence());
  writer.serve(port);
}

class Writer {
  readonly #data: WriterData;
  readonly #sequence: Sequence;
  readonly #drain: SpoolDrain | undefined;
  #store: LogStore | undefined;
  /** The last known kind and size of the store. */
  #kind: string;
  #size: StoreSize = { records: 0, bytes: 0, oldest: null };
  /** Identifies the open file. */
  #file: string | undefined;
  #retention: Retention;
  #timer: NodeJS.Timeout | undefined;
  #fault: string | undefined;
  readonly #notices: string[] = [];
  #retainedAt = Number.NEGATIVE_INFINITY;
  #isShrinking = false;
  /** How often deleting old records failed since it last succeeded, and why. */
  #unretained = { times: 0, why: '' };
  /** Monotonic milliseconds of when the spool was last empty, and of when a record was last stored. */
  #idleAt = performance.now();
  #busyAt = performance.now();
  /** True if a query searched for words, so that rows not indexed yet are indexed now. */
  #wantsWords = false;
  /** Monotonic milliseconds of when the index was last complete. */
  #indexedAt = Number.NEGATIVE_INFINITY;
  readonly #room: SpoolEviction | undefined;
  readonly #appended = new AppendedFrames();
  /** Records that were sent as messages and cannot be stored because of their content. */
  readonly #rejected: Rejected = { count: 0, why: '' };
  /** Number of transactions of the last turn. */
  #steps = 0;
  #port: MessagePort | undefined;
  /** The last problems sent. Undefined before the first report: those of an earlier writer may still be shown. */
  #reported: string | undefined;

  constructor(data: WriterData, sequence: Sequence) {
    this.#data = data;
    this.#sequence = sequence;
    this.#retention = data.retention;
    this.#kind = kindOf(data.database);
    this.#drain = data.spool === undefined ? undefined : new SpoolDrain(data.spool);
    this.#room = data.spool === undefined ? undefined : new SpoolEviction(data.spool, data.spoolLimit);
  }

  serve(port: MessagePort): void {
    this.#port = port;
    const handlers = {
      drain: () => this.#drainAll(drainMs.question),
      append: (bytes: Uint8Array) => this.#append(bytes),
      feedback: async (feedback: GivenFeedback) => (await this.#open()).feedback(feedback),
      words: () => this.#index(),
      retention: (retention: Retention) => {
        this.#retention = retention;
        this.#retainedAt = Number.NEGATIVE_INFINITY;
        this.#wake(0);
      },
      state: () => this.#state(),
      close: () => this.#close(),
    };
    // A store in memory belongs to this thread, so it also handles the queries.
    const own = this.#data.database.kind === 'memory' ? questionHandlers(() => this.#ownQueries()) : {};
    respond(port, { ...handlers, ...own }, this.#sequence);
    this.#wake(0);
  }

  #wake(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sequence(() => this.#turn()), ms);
  }

  async #turn(): Promise<void> {
    try {
      this.#wake(await this.#work(await this.#open()));
      this.#fault = undefined;
    } catch (error) {
      await this.#failed(error);
      this.#makeRoom();
      this.#wake(pause.failed);
    }
    this.#reportProblems();
  }

  /** Reports changed problems, so that the status of the gateway shows them without a call. */
  #reportProblems(): void {
    const problems = this.#problems();
    const text = problems.join('\n');
    if (text === this.#reported) return;
    this.#reported = text;
    this.#port?.postMessage({ problems });
  }

  #problems(): string[] {
    const { count, why } = this.#drain?.rejected ?? this.#rejected;
    const rejected = count === 0 ? [] : [`The database rejected ${plural(count, 'record')}: ${why}`];
    const bytes = this.#drain?.damaged ?? 0;
    const damaged = bytes === 0 ? [] : [`The spool was damaged: ${bytes} bytes of it are not records and were skipped.`];
    const { times, why: reason } = this.#unretained;
    // A single failure is usually caused by a long statement, and is not reported.
    const unretained = times < 2 ? [] : [`Old records cannot be deleted: ${reason}`];
    return [...this.#notices, ...damaged, ...rejected, ...unretained, ...(this.#fault === undefined ? [] : [this.#fault])];
  }

  /** Nothing can be stored at present, so the oldest data is evicted. */
  #makeRoom(): void {
    try {
      this.#room?.make((segment) => this.#drain?.offsetOf(segment));
    } catch (error) {
      // On a full disk nothing can be evicted. The spool itself still enforces its size limit.
      this.#fault = `${this.#fault ?? ''} The spool: ${error instanceof Error ? error.message : String(error)}`;
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
    while ((await this.#drain?.step(store)) === 'more') {
      this.#steps += 1;
      if (this.#steps === stepsOfTurn || performance.now() >= until) return 0;
    }
    this.#idleAt = performance.now();
    if (this.#isShrinking) return slicePause;
    if (this.#steps > 0) this.#busyAt = performance.now();
    const isQuiet = this.#mayIndex || performance.now() - this.#busyAt >= quietMs;
    // With records that never stop, too many would wait for the index, and a search for words would take too long.
    if (await store.index(isQuiet ? 'all' : 'many')) return slicePause;
    if (isQuiet) {
      this.#wantsWords = false;
      this.#indexedAt = performance.now();
    }
    return this.#steps > 0 ? pause.busy : pause.idle;
  }

  /** Deletes at least as much as the last turn stored, so that the store shrinks also under load. */
  async #retainIfDue(store: LogStore): Promise<void> {
    const isDue = this.#data.database.kind === 'memory' || performance.now() - this.#retainedAt >= retainEvery;
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
      const isMore = await store.retain(this.#retention, Date.now());
      this.#unretained = { times: 0, why: '' };
      return isMore;
    } catch (error) {
      if (isDamage(error) || errorCode(error) === 'log_unavailable') throw error;
      this.#unretained = { times: this.#unretained.times + 1, why: error instanceof Error ? error.message : String(error) };
      return false;
    }
  }

  async #open(): Promise<LogStore> {
    if (this.#store !== undefined && this.#isGone()) {
      await this.#store.close().catch(() => {});
      this.#store = undefined;
    }
    if (this.#store !== undefined) return this.#store;
    try {
      this.#store = await openStore(this.#data.database, this.#data.spool);
    } catch (error) {
      if (!this.#replaced(error)) throw error;
      this.#store = await openStore(this.#data.database, this.#data.spool);
    }
    const { database } = this.#data;
    this.#file = database.kind === 'sqlite' ? fileAt(database.path) : undefined;
    this.#drain?.reset();
    return this.#store;
  }

  /** True if the file was deleted or replaced. Data written to it would be lost when this process ends. */
  #isGone(): boolean {
    const { database } = this.#data;
    return database.kind === 'sqlite' && fileAt(database.path) !== this.#file;
  }

  /** Renames a damaged file, so that further records are stored in a new one. @returns whether that was possible */
  #replaced(error: unknown): boolean {
    const { database } = this.#data;
    if (database.kind !== 'sqlite' || !isDamage(error)) return false;
    try {
      const aside = setAside(database.path, Date.now());
      this.#notices.push(`The request log was damaged: it was renamed to ${aside}, and a new one was created.`);
      return true;
    } catch (failure) {
      const why = failure instanceof Error ? failure.message : String(failure);
      this.#fault = `The request log is damaged and cannot be renamed, so records wait in the spool: ${why}`;
      return false;
    }
  }

  async #failed(error: unknown): Promise<void> {
    const place = this.#data.spool === undefined ? 'memory' : 'the spool';
    this.#fault = `Records wait in ${place}: ${error instanceof Error ? error.message : String(error)}`;
    // Only a Postgres connection can be broken. A store in memory would be lost if it were closed.
    if ((this.#data.database.kind !== 'postgres' && !isDamage(error)) || this.#store?.isMigrating === true) return;
    await this.#store?.close().catch(() => {});
    this.#store = undefined;
    if (this.#replaced(error)) this.#fault = undefined;
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
    return this.#wantsWords && performance.now() - this.#indexedAt >= wordsEvery;
  }

  #index(): void {
    this.#wantsWords = true;
    if (this.#mayIndex) this.#wake(0);
  }

  #append(bytes: Uint8Array): void {
    this.#appended.add(bytes);
    if (this.#appended.isBatch && this.#fault === undefined) this.#wake(0);
  }

  /** Stores the frames that were sent as messages. */
  #flush(store: LogStore): Promise<void> {
    return this.#appended.store((batch) => {
      this.#busyAt = performance.now();
      return storeBatch(store, batch, this.#rejected);
    });
  }

  #ownQueries(): ReturnType<typeof createQueries> {
    if (this.#store === undefined) throw new Error('the store is not open');
    return createQueries(createSqliteSource((this.#store as SqliteStore).db), Date.now);
  }

  async #state(): Promise<WriterState> {
    // If the database is unavailable, report its last known size. It is not empty.
    this.#size = (await this.#store?.size().catch(() => undefined)) ?? this.#size;
    this.#kind = this.#store?.kind ?? this.#kind;
    const bytes = this.#drain?.behind() ?? 0;
    return {
      kind: this.#kind,
      ...this.#size,
      behind: { bytes, ms: bytes === 0 ? 0 : Math.round(performance.now() - this.#idleAt) },
      dropped_bodies: this.#room?.droppedBodies ?? 0,
      dropped: (this.#room?.droppedRecords ?? 0) + (this.#drain?.rejected ?? this.#rejected).count + this.#appended.dropped,
      stored_of_gone: this.#drain?.storedOfGone() ?? {},
      problems: this.#problems(),
    };
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#drainAll(drainMs.end);
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
