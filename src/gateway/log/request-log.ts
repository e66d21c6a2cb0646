import { objectIn } from '../../core/json/scan.ts';
import type {
  BodyPart,
  GivenFeedback,
  JsonForm,
  LogQuestion,
  LogReader,
  SearchPage,
  SearchRequest,
  Stats,
  StatsRequest,
  StoredRecord,
  StoreState,
  SuggestRequest,
  Suggestion,
} from '../../core/logs/reader.ts';
import type { LogRow } from '../../core/logs/row.ts';
import type { RecordStore } from '../../store/frame.ts';
import type { RpcClient } from '../../store/log/rpc/client.ts';
import type { Retention } from '../../store/log/log-store.ts';
import type { Question, WriterState } from '../../store/log/worker/settings.ts';

export interface RequestLogParts {
  readonly writer: RpcClient;
  /** The writer itself where the store is its memory. */
  readonly reader: RpcClient;
  /** Where records go first. */
  readonly spool: RecordStore;
  readonly spoolLimit: number;
  /** What a store of this kind can keep of it. */
  bounded(retention: Retention): Retention;
  /** What was wrong when it was opened. */
  readonly notes: readonly string[];
}

/** Milliseconds that a question waits until what is in the spool is stored; at first the store has to be opened, and has no tables yet. */
const drainMs = { first: 10_000, later: 1500 } as const;
/** Milliseconds until what was known last is shown: whoever collects metrics waits for ten seconds. */
const stateMs = 5000;
/** Milliseconds for the rest of the spool when the gateway ends. */
const closeMs = 5000;

/** The request log of a running gateway: its parts, as one thing that can be asked. */
export class RequestLog implements LogReader {
  readonly #parts: RequestLogParts;
  /** Spool frames at the last time everything was stored. */
  #storedFrames = -1;
  #draining: Promise<void> | undefined;
  /** The call for it, also after questions have stopped waiting: whether everything was stored. */
  #storing: Promise<boolean> | undefined;
  /** What the writer said of itself last. */
  #told: WriterState = unknown;
  /** Losses of writers before it: one that is started again counts anew. */
  readonly #earlier = { dropped: 0, dropped_bodies: 0 };
  #isSilent = false;

  constructor(parts: RequestLogParts) {
    this.#parts = parts;
  }

  async search(request: SearchRequest): Promise<SearchPage> {
    return (await this.#asked(['search', request])) as unknown as SearchPage;
  }

  async get(id: string): Promise<StoredRecord | undefined> {
    return (await this.#asked(['get', id])) as unknown as StoredRecord | undefined;
  }

  async body(id: string, part: BodyPart): Promise<Uint8Array | undefined> {
    await this.#current();
    return (await this.#parts.reader.call('body', { id, part })) as Uint8Array | undefined;
  }

  async trace(traceId: string): Promise<readonly LogRow[]> {
    return (await this.#asked(['trace', traceId])) as unknown as readonly LogRow[];
  }

  async stats(request: StatsRequest): Promise<Stats> {
    return (await this.#asked(['stats', request])) as unknown as Stats;
  }

  async suggest(request: SuggestRequest): Promise<readonly Suggestion[]> {
    return (await this.#asked(['suggest', request])) as unknown as readonly Suggestion[];
  }

  async names(): Promise<{ readonly meta: readonly string[]; readonly label: readonly string[] }> {
    return (await this.#asked(['names'])) as unknown as { readonly meta: readonly string[]; readonly label: readonly string[] };
  }

  async keysUsed(): Promise<Readonly<Record<string, number>>> {
    return (await this.#asked(['keysUsed'])) as unknown as Readonly<Record<string, number>>;
  }

  async state(): Promise<StoreState> {
    const { spool, spoolLimit, notes } = this.#parts;
    const isTold = !this.#isSilent && (await this.#tell());
    const { behind, stored_of_gone: stored, ...state } = this.#told;
    spool.wereStored?.(stored);
    return {
      ...state,
      spool: { bytes: behind.bytes, limit: spoolLimit, behind_ms: behind.ms },
      dropped: this.#earlier.dropped + state.dropped + spool.stats.dropped,
      dropped_bodies: this.#earlier.dropped_bodies + state.dropped_bodies,
      problems: [...notes, ...state.problems, ...(isTold ? [] : [silent])],
    };
  }

  #took(told: WriterState): void {
    for (const what of ['dropped', 'dropped_bodies'] as const) if (told[what] < this.#told[what]) this.#earlier[what] += this.#told[what];
    this.#told = told;
  }

  /** False where the writer does not respond in time: then it is not asked again until it has, or was ended. */
  async #tell(): Promise<boolean> {
    const telling = this.#parts.writer.call('state', undefined).then((told) => {
      this.#took(told as WriterState);
    });
    if (await inTime(telling, stateMs)) return true;
    this.#isSilent = true;
    const over = (): void => {
      this.#isSilent = false;
    };
    telling.then(over, over);
    return false;
  }

  async feedback(feedback: GivenFeedback): Promise<void> {
    await this.#parts.writer.call('feedback', feedback);
  }

  async json(question: LogQuestion, form: JsonForm = {}): Promise<Uint8Array | undefined> {
    const [name, argument] = question;
    await this.#current();
    const found = (await this.#parts.reader.call(name, { of: argument, ...form } satisfies Question<unknown>)) as Uint8Array | undefined;
    if (question[0] === 'search' && hasWords(question[1].query)) this.#parts.writer.call('words', undefined).catch(() => {});
    return found;
  }

  /** Takes what a reload changed. */
  keep(retention: Retention): void {
    this.#parts.writer.call('retention', this.#parts.bounded(retention)).catch(() => {});
  }

  /** Stores what is in the spool, as far as there is time, and ends its parts. */
  async close(): Promise<void> {
    const { writer, reader } = this.#parts;
    if (reader !== writer) await reader.close();
    await writer.call('close', undefined, { limitMs: closeMs }).catch(() => {});
    await writer.close();
  }

  async #asked(question: LogQuestion): Promise<unknown> {
    const bytes = await this.json(question);
    if (bytes === undefined) return undefined;
    // Both ends of this are ours: a page, a list or an object as the queries made it.
    return objectIn(`{"value":${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')}}`)?.['value'];
  }

  /** What was recorded before a question is found by it; where the store cannot take it now, what is stored is asked. */
  async #current(): Promise<void> {
    const { frames } = this.#parts.spool.stats;
    if (this.#storedFrames >= frames) return;
    // One that runs may have looked into the spool before the last of these records came.
    await this.#draining;
    if (this.#storedFrames >= frames) return;
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
    await this.#draining;
  }

  async #drain(): Promise<void> {
    const { spool, writer } = this.#parts;
    await spool.settle?.();
    const isFirst = this.#storedFrames < 0;
    // Of a backlog: another call would store no more, and whatever is asked of the writer would wait for both.
    if (this.#storing !== undefined) {
      if (isFirst) await inTime(this.#storing, drainMs.first).catch(() => false);
      return;
    }
    const { frames } = spool.stats;
    this.#storing = writer
      .call('drain', undefined)
      .then((isAll) => isAll !== false)
      .finally(() => {
        this.#storing = undefined;
      });
    const isStored = await inTime(this.#storing, isFirst ? drainMs.first : drainMs.later).catch(() => false);
    if (isStored) this.#storedFrames = frames;
  }
}

/** False where it takes longer, and where the work says so. Rejects as the work does. */
async function inTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then((done) => done !== false), late]);
  } finally {
    clearTimeout(timer);
  }
}

const silent = 'The store of the request log does not respond: figures of it are those from before.';

const unknown: WriterState = {
  kind: 'not known yet',
  records: 0,
  bytes: 0,
  oldest: null,
  behind: { bytes: 0, ms: 0 },
  dropped_bodies: 0,
  dropped: 0,
  stored_of_gone: {},
  problems: [],
};

/** A term without a field: it is looked for among words. */
const hasWords = (query: string): boolean => /(?:^|\s)-?(?:"|[^\s:"]+(?=\s|$))/.test(query);
