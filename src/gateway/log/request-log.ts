import { withTimeout } from '../../core/async/with-timeout.ts';
import type { Schedule } from '../../core/async/schedule.ts';
import { tryParseObject } from '../../core/json/scan.ts';
import type {
  BodyPart,
  JsonForm,
  LogQuery,
  LogReader,
  SearchPage,
  SearchRequest,
  Spent,
  Stats,
  StatsRequest,
  StoredRecord,
  StoreState,
} from '../../core/logs/reader.ts';
import { unknownStore } from '../../core/logs/unknown-store.ts';
import type { RecordStore } from '../../store/frame.ts';
import type { RpcClient } from '../../store/log/rpc/client.ts';
import type { Retention } from '../../store/log/log-store.ts';
import type { WorkerQuery, WriterState } from '../../store/log/worker/settings.ts';

export interface RequestLogParts {
  readonly writer: RpcClient;
  /** Same as the writer if the store is the writer's memory. */
  readonly reader: RpcClient;
  /** Records are appended here first. */
  readonly spool: RecordStore;
  readonly spoolLimit: number;
  /** Applies the limits of this kind of store. */
  bounded(retention: Retention): Retention;
  /** Problems found when it was opened. */
  readonly notes: readonly string[];
  readonly later: Schedule;
}

/**
 * Milliseconds that a query waits for spooled records to be stored. The first time is longer: the store is opened and
 * its tables are created.
 */
const drainMs = { first: 10_000, later: 1500 } as const;
/**
 * Milliseconds between two drains for queries. Each is a transaction, and the fewer records it stores, the more each record
 * costs. A single query does not wait.
 */
const drainPauseMs = 200;
/** Milliseconds after which the writer is reported as not responding. Metrics collectors time out after ten seconds. */
const stateMs = 5000;
/** Milliseconds to store the rest of the spool at shutdown. */
const closeMs = 5000;

/** The request log of a running gateway: spool, writer and reader behind one interface. */
export class RequestLog implements LogReader {
  readonly #parts: RequestLogParts;
  /** Number of spool frames when everything was last stored. */
  #storedFrames = -1;
  /** How the last drain ended. */
  #lastDrain: 'none' | 'ended' | 'failed' = 'none';
  #draining: Promise<void> | undefined;
  /** The pause after the last drain. */
  #pause: Promise<void> | undefined;
  /** The drain call to the writer, kept after queries have stopped waiting. Resolves to true if everything was stored. */
  #storing: Promise<boolean> | undefined;
  /** State last reported by the writer. */
  #lastState: WriterState = unknown;
  /** Losses of writers before it: one that is started again counts anew. */
  readonly #previousWriters = { dropped: 0, dropped_bodies: 0 };
  /** The running call for the writer's state. */
  #refreshing: Promise<void> | undefined;
  #isUnresponsive = false;

  constructor(parts: RequestLogParts) {
    this.#parts = parts;
  }

  async search(request: SearchRequest): Promise<SearchPage> {
    return (await this.#query(['search', request])) as unknown as SearchPage;
  }

  async get(id: string): Promise<StoredRecord | undefined> {
    return (await this.#query(['get', id])) as unknown as StoredRecord | undefined;
  }

  async body(id: string, part: BodyPart): Promise<Uint8Array | undefined> {
    await this.#storeRecent();
    return (await this.#parts.reader.call('body', { id, part })) as Uint8Array | undefined;
  }

  async stats(request: StatsRequest): Promise<Stats> {
    return (await this.#query(['stats', request])) as unknown as Stats;
  }

  async keysUsed(): Promise<Readonly<Record<string, number>>> {
    return (await this.#query(['keysUsed'])) as unknown as Readonly<Record<string, number>>;
  }

  async spent(since: number, keys?: readonly string[]): Promise<Readonly<Record<string, Spent>>> {
    return Object.setPrototypeOf(await this.#query(['spent', { since, keys }]), null) as Readonly<Record<string, Spent>>;
  }

  async state(waitMs = stateMs): Promise<StoreState> {
    const { spool, spoolLimit, notes } = this.#parts;
    await this.#refreshState(waitMs);
    const { behind, stored_of_gone: stored, ...state } = this.#lastState;
    spool.reportStored?.(stored);
    return {
      ...state,
      spool: { bytes: behind.bytes, limit: spoolLimit, behind_ms: behind.ms },
      dropped: this.#previousWriters.dropped + state.dropped + spool.stats.dropped,
      dropped_bodies: this.#previousWriters.dropped_bodies + state.dropped_bodies,
      problems: [...notes, ...(spool.problems ?? []), ...state.problems, ...(this.#isUnresponsive ? [notResponding] : [])],
    };
  }

  #keepState(reported: WriterState): void {
    for (const what of ['dropped', 'dropped_bodies'] as const)
      if (reported[what] < this.#lastState[what]) this.#previousWriters[what] += this.#lastState[what];
    this.#lastState = reported;
  }

  /** Waits for the writer's state. A writer that does not respond is not queried again until it has responded or ended. */
  async #refreshState(waitMs: number): Promise<void> {
    if (this.#refreshing !== undefined && this.#isUnresponsive) return;
    this.#refreshing ??= this.#startRefresh();
    await withTimeout<unknown>(this.#refreshing, waitMs, timedOut);
  }

  async #startRefresh(): Promise<void> {
    const timer = setTimeout(() => {
      this.#isUnresponsive = true;
    }, stateMs);
    try {
      this.#keepState((await this.#parts.writer.call('state', undefined)) as WriterState);
      this.#isUnresponsive = false;
    } catch {
      this.#isUnresponsive = true;
    } finally {
      clearTimeout(timer);
      this.#refreshing = undefined;
    }
  }

  async json(question: LogQuery, form: JsonForm = {}): Promise<Uint8Array | undefined> {
    const [name, argument] = question;
    await this.#storeRecent();
    try {
      return (await this.#parts.reader.call(name, { of: argument, ...form } satisfies WorkerQuery<unknown>)) as Uint8Array | undefined;
    } finally {
      // Also after a search that took too long: the next one then has an index.
      if (question[0] === 'search' && hasTextTerms(question[1].query)) this.#parts.writer.call('words', undefined).catch(() => {});
    }
  }

  /** Applies a retention that a reload changed. */
  keep(retention: Retention): void {
    this.#parts.writer.call('retention', this.#parts.bounded(retention)).catch(() => {});
  }

  /** Stores what is in the spool within the time limit, then closes the writer and the reader. */
  async close(): Promise<void> {
    const { writer, reader } = this.#parts;
    if (reader !== writer) await reader.close();
    await writer.call('close', undefined, { limitMs: closeMs }).catch(() => {});
    await writer.close();
  }

  async #query(question: LogQuery): Promise<unknown> {
    const bytes = await this.json(question);
    if (bytes === undefined) return undefined;
    // The JSON is produced by this project: a page, a list or an object from a query.
    return tryParseObject(`{"value":${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')}}`)?.['value'];
  }

  /** Makes earlier records visible to a query. If the store is not ready in time, the query sees only what is stored. */
  async #storeRecent(): Promise<void> {
    const { frames } = this.#parts.spool.stats;
    if (this.#storedFrames >= frames) return;
    // A running drain may have read the spool before the latest records were appended.
    await this.#draining;
    if (this.#storedFrames >= frames) return;
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
    await this.#draining;
  }

  async #drain(): Promise<void> {
    const { spool, writer, later } = this.#parts;
    await this.#pause;
    await spool.settle?.();
    const isFirst = this.#storedFrames < 0;
    // A drain of a backlog is running: a second call would store no more, and every call to the writer would wait for both.
    if (this.#storing !== undefined) {
      if (isFirst && this.#lastDrain === 'none') await withTimeout(this.#storing, drainMs.first, timedOut);
      return;
    }
    const { frames } = spool.stats;
    const isFailing = this.#lastDrain === 'failed';
    this.#storing = writer
      .call('drain', undefined)
      .then(
        (isAll) => {
          this.#lastDrain = 'ended';
          return isAll !== false;
        },
        () => {
          this.#lastDrain = 'failed';
          return false;
        },
      )
      .finally(() => {
        this.#storing = undefined;
        this.#pause = new Promise((resolve) => later(drainPauseMs, resolve));
      });
    // While nothing can be stored, a query has nothing to wait for.
    if (isFailing) return;
    const isStored = await withTimeout(this.#storing, isFirst ? drainMs.first : drainMs.later, timedOut);
    if (isStored) this.#storedFrames = frames;
  }
}

/** Result of a call that takes too long. */
const timedOut = (): boolean => false;

const notResponding = 'The store of the request log does not respond: its statistics may be outdated.';

const unknown: WriterState = {
  kind: unknownStore,
  records: 0,
  bytes: 0,
  oldest: null,
  behind: { bytes: 0, ms: 0 },
  dropped_bodies: 0,
  dropped: 0,
  stored_of_gone: {},
  problems: [],
};

/** A term without a field is searched in the text index. */
const hasTextTerms = (query: string): boolean => /(?:^|\s)-?(?:"|[^\s:"]+(?=\s|$))/.test(query);
