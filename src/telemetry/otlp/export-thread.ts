import { Worker } from 'node:worker_threads';
import { charactersOf, type Entry, type ExportSettings, type FromThread, type ToThread } from './messages.ts';
import type { Signal } from './payload.ts';
import type { ExportResult } from './export-queue.ts';

export interface ExportThreadOptions {
  /** Entry file of the thread. */
  readonly entry: URL;
  onResult(signal: Signal, items: number, result: ExportResult, why: string | undefined): void;
  /** An export failed and is retried. */
  onRetry(signal: Signal, why: string): void;
  /** Called when the thread died. Another one is started after a pause. */
  onFault(error: Error): void;
  /** Shortest and longest pause, in milliseconds. It doubles until a thread delivers something. */
  readonly pauses?: readonly [shortest: number, longest: number];
}

/** Maximum number of entries per message to the thread, and how long an entry waits for others, in milliseconds. */
const batchSize = 128;
const lingerMs = 100;
/** Maximum number of characters that the thread has not read yet. */
const maxCharacters = 16_000_000;
/**
 * Heap limit of the thread: two full queues of texts with two bytes per character, the messages to the thread, and queues of
 * replaced settings.
 */
const heapMb = 320;
/** A thread that dies at its start would otherwise be started with each batch. */
const defaultPauses = [1000, 60_000] as const;
/** Milliseconds granted to a thread that does not respond. */
const graceMs = 500;

/** Records that were sent to a thread and not read yet. */
interface Unread {
  readonly characters: number;
  readonly items: Readonly<Record<Signal, number>>;
}

/** A thread and its pending records. If it ends without reporting their results, they are counted as failed. */
interface RunningThread {
  readonly worker: Worker;
  readonly unread: Unread[];
  /** Items that were read and have no result yet. */
  readonly queued: Record<Signal, number>;
}

const signals = ['traces', 'logs'] as const;

/**
 * Passes records to a thread that encodes and sends them. On the event loop this costs an append to a list, and one message
 * for up to 128 records.
 */
export class ExportThread {
  readonly #options: ExportThreadOptions;
  #settings: ExportSettings | undefined;
  #running: RunningThread | undefined;
  #entries: Entry[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Set during the pause after the death of a thread. */
  #pause: NodeJS.Timeout | undefined;
  #pauseMs = 0;
  #isClosed = false;

  constructor(options: ExportThreadOptions) {
    this.#options = options;
  }

  /** Number of characters waiting to be encoded. */
  get waiting(): number {
    return this.#characters;
  }

  /** Applies from the next record on. Without a collector the thread ends after sending its pending records. */
  use(settings: ExportSettings | undefined): void {
    if (settings === undefined) {
      this.#resume();
      void this.#end(5000);
    } else this.#running?.worker.postMessage({ kind: 'settings', settings } satisfies ToThread);
    this.#settings = settings;
  }

  add(entry: Entry): void {
    const size = charactersOf(entry);
    if (this.#isClosed || this.#settings === undefined || this.#characters + size > maxCharacters) {
      this.#reportLost(this.#itemsOf([entry]), 'dropped', this.#isClosed ? 'the exporter is closed' : 'the queue is full');
      return;
    }
    this.#characters += size;
    this.#entries.push(entry);
    if (this.#entries.length >= batchSize) this.#postEntries();
    else this.#timer ??= setTimeout(this.#postEntries, lingerMs).unref();
  }

  /** Sends the pending records for at most `withinMs` milliseconds, and ends the thread. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    this.#resume();
    await this.#end(withinMs);
  }

  readonly #resume = (): void => {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#postEntries();
  };

  readonly #postEntries = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pause !== undefined) return;
    const entries = this.#entries;
    this.#entries = [];
    if (entries.length === 0) return;
    this.#running ??= this.#start();
    const { worker, unread } = this.#running;
    unread.push({ characters: entries.reduce((sum, entry) => sum + charactersOf(entry), 0), items: this.#itemsOf(entries) });
    worker.postMessage({ kind: 'records', entries } satisfies ToThread);
  };

  #start(): RunningThread {
    const worker = new Worker(this.#options.entry, {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      execArgv: process.execArgv.filter((flag) => flag.startsWith('--conditions=')),
    });
    const running: RunningThread = { worker, unread: [], queued: { traces: 0, logs: 0 } };
    let failure = new Error('the thread ended');
    worker.unref();
    worker.on('message', (message) => this.#onMessage(running, message as FromThread));
    worker.on('error', (error) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    // Emitted after its last message.
    worker.on('exit', () => this.#onExit(running, failure));
    if (this.#settings !== undefined) worker.postMessage({ kind: 'settings', settings: this.#settings } satisfies ToThread);
    return running;
  }

  #onMessage({ unread, queued }: RunningThread, message: FromThread): void {
    if (message.kind === 'read') {
      this.#characters -= unread.shift()?.characters ?? 0;
      for (const signal of signals) queued[signal] += message.items[signal];
    } else if (message.kind === 'result') {
      queued[message.signal] -= message.items;
      this.#pauseMs = 0;
      this.#options.onResult(message.signal, message.items, message.result, message.why);
    } else if (message.kind === 'retry') this.#options.onRetry(message.signal, message.why);
  }

  #onExit(running: RunningThread, error: Error): void {
    const isUnexpected = this.#running === running;
    if (isUnexpected) this.#pauseAfterDeath();
    const left = { ...running.queued };
    for (const { characters, items } of running.unread.splice(0)) {
      this.#characters -= characters;
      for (const signal of signals) left[signal] += items[signal];
    }
    this.#reportLost(left, 'failed', error.message);
    if (isUnexpected) this.#options.onFault(error);
  }

  #pauseAfterDeath(): void {
    this.#running = undefined;
    const [shortest, longest] = this.#options.pauses ?? defaultPauses;
    this.#pauseMs = Math.min(longest, Math.max(shortest, 2 * this.#pauseMs));
    this.#pause = setTimeout(this.#resume, this.#pauseMs).unref();
  }

  /** Lets the thread send its pending records, then ends it. New records start another thread. */
  async #end(withinMs: number): Promise<void> {
    const worker = this.#running?.worker;
    if (worker === undefined) return;
    this.#running = undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs + graceMs);
    worker.on('message', (message) => (message as FromThread).kind === 'flushed' && resolve()).once('exit', resolve);
    worker.postMessage({ kind: 'flush', withinMs } satisfies ToThread);
    await promise;
    clearTimeout(timer);
    await worker.terminate();
  }

  /** Returns the number of items that records will produce; for a trace, only its one certain span is counted. */
  #itemsOf(entries: readonly Entry[]): Record<Signal, number> {
    const { traces, logs } = this.#settings ?? {};
    return {
      traces: traces === undefined ? 0 : entries.filter(({ isTraced }) => isTraced).length,
      logs: logs === undefined ? 0 : entries.length,
    };
  }

  #reportLost(items: Readonly<Record<Signal, number>>, result: ExportResult, why: string): void {
    for (const signal of signals) if (items[signal] > 0) this.#options.onResult(signal, items[signal], result, why);
  }
}
