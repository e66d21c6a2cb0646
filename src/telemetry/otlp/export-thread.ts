import { Worker } from 'node:worker_threads';
import { charactersOf, type Entry, type ExportSettings, type FromThread, type ToThread } from './messages.ts';
import type { Signal } from './payload.ts';
import type { Result } from './pipe.ts';

export interface ExportThreadOptions {
  /** The file that the thread runs. */
  readonly entry: URL;
  onResult(signal: Signal, items: number, result: Result, why: string | undefined): void;
  /** The thread died; the next record starts another. */
  onFault(error: Error): void;
}

/** Entries that are handed over at once, and how long they wait for others, in milliseconds. */
const most = 128;
const lingerMs = 100;
/** Characters that may be on their way to the thread. */
const mostCharacters = 16_000_000;
/** Two full queues of texts with two bytes a character, what is on its way to them, and queues of replaced settings. */
const heapMb = 320;
/** Milliseconds for a thread that does not respond any more. */
const graceMs = 500;

/**
 * Hands records to a thread that encodes and sends them. Its work on the event loop is a push to a list, and a message for
 * each hundred records.
 */
export class ExportThread {
  readonly #options: ExportThreadOptions;
  #settings: ExportSettings | undefined;
  #worker: Worker | undefined;
  #entries: Entry[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ExportThreadOptions) {
    this.#options = options;
  }

  /** Characters that wait to be encoded. */
  get waiting(): number {
    return this.#characters;
  }

  /** Holds from the next record on. Without a collector the thread ends when it has sent what it has. */
  use(settings: ExportSettings | undefined): void {
    if (settings === undefined) {
      this.#handOver();
      void this.#end(5000);
    } else if (this.#worker !== undefined) this.#post({ kind: 'settings', settings });
    this.#settings = settings;
  }

  add(entry: Entry): void {
    const size = charactersOf(entry);
    if (this.#isClosed || this.#settings === undefined || this.#characters + size > mostCharacters) {
      this.#lost([entry], 'dropped', 'the queue is full');
      return;
    }
    this.#characters += size;
    this.#entries.push(entry);
    if (this.#entries.length >= most) this.#handOver();
    else this.#timer ??= setTimeout(this.#handOver, lingerMs).unref();
  }

  /** Sends what waits, for so long at most, and ends the thread. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    this.#handOver();
    await this.#end(withinMs);
  }

  readonly #handOver = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = this.#entries;
    this.#entries = [];
    if (entries.length > 0) this.#post({ kind: 'records', entries });
  };

  #post(message: ToThread): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  #start(): Worker {
    const worker = new Worker(this.#options.entry, {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      execArgv: process.execArgv.filter((flag) => flag.startsWith('--conditions=')),
    });
    worker.unref();
    worker.on('message', (message) => this.#take(message as FromThread));
    worker.on('error', (error) => this.#died(worker, error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => this.#died(worker, new Error('the thread ended')));
    if (this.#settings !== undefined) worker.postMessage({ kind: 'settings', settings: this.#settings } satisfies ToThread);
    return worker;
  }

  #take(message: FromThread): void {
    if (message.kind === 'read') this.#characters = Math.max(0, this.#characters - message.characters);
    else if (message.kind === 'result') this.#options.onResult(message.signal, message.items, message.result, message.why);
  }

  #died(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#forgetUnread();
    this.#options.onFault(error);
  }

  /** Has the thread send what it has, and ends it; what comes meanwhile starts another. */
  async #end(withinMs: number): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs + graceMs);
    worker.on('message', (message) => (message as FromThread).kind === 'flushed' && resolve()).once('exit', resolve);
    worker.postMessage({ kind: 'flush', withinMs } satisfies ToThread);
    await promise;
    clearTimeout(timer);
    await worker.terminate();
    if (this.#worker === undefined) this.#forgetUnread();
  }

  /** No thread is left that could read what was handed over. */
  #forgetUnread(): void {
    this.#characters = this.#entries.reduce((sum, entry) => sum + charactersOf(entry), 0);
  }

  #lost(entries: readonly Entry[], result: Result, why: string): void {
    const { traces, logs } = this.#settings ?? {};
    for (const { isTraced } of entries) {
      if (isTraced && traces !== undefined) this.#options.onResult('traces', 1, result, why);
      if (logs !== undefined) this.#options.onResult('logs', 1, result, why);
    }
  }
}
