import { Worker } from 'node:worker_threads';
import type { LoadedConfig, LoadRequest } from './load.ts';

/** A load as it is posted: the worker knows providers and plugins itself. */
export type PostedRequest = Omit<LoadRequest, 'providers' | 'plugins' | 'importPlugin'>;

/** What the worker is sent, and what it answers. */
export interface LoadQuestion {
  readonly id: number;
  readonly request: PostedRequest;
}
export type LoadAnswer =
  | { readonly id: number; readonly loaded: LoadedConfig }
  /** A defect of the loader: what a file says is never a failure. */
  | { readonly id: number; readonly failure: string };

/** Loads configurations beside the event loop: parsing and checking would stall streams. */
export interface Loader {
  /** Rejects with an Error when the worker dies or does not answer in time. */
  load(request: PostedRequest): Promise<LoadedConfig>;
  close(): Promise<void>;
}

interface Waiting {
  resolve(loaded: LoadedConfig): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout;
}

/** Times of a loader, in milliseconds. */
export interface LoaderTimes {
  /** How long one load may take. */
  readonly limitMs?: number;
  /** How long the worker waits for another load before it is ended: idle it keeps tens of megabytes. */
  readonly idleMs?: number;
}

const defaultLimitMs = 10_000;
const defaultIdleMs = 10_000;

/**
 * Creates a loader whose worker serves loads that come close together, and is replaced when it dies or hangs.
 *
 * @param entry the worker's file; it answers a `LoadQuestion` with a `LoadAnswer`
 */
export function createLoader(entry: URL, times: LoaderTimes = {}): Loader {
  return new WorkerLoader(entry, times);
}

class WorkerLoader implements Loader {
  readonly #entry: URL;
  readonly #limitMs: number;
  readonly #idleMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #closed = false;

  constructor(entry: URL, { limitMs = defaultLimitMs, idleMs = defaultIdleMs }: LoaderTimes) {
    this.#entry = entry;
    this.#limitMs = limitMs;
    this.#idleMs = idleMs;
  }

  load(request: PostedRequest): Promise<LoadedConfig> {
    if (this.#closed) return Promise.reject(new Error('the loader is closed'));
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#drop(worker, `loading took longer than ${this.#limitMs} ms`), this.#limitMs);
      this.#waiting.set(id, { resolve, reject, timer });
      // Only a load keeps the process alive, not a worker that waits for one.
      worker.ref();
      worker.postMessage({ id, request } satisfies LoadQuestion);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#rejectAll('the loader is closed');
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#entry);
    worker.unref();
    worker.on('message', (answer: LoadAnswer) => this.#take(answer));
    worker.on('error', (error) => this.#drop(worker, `the loader failed: ${error instanceof Error ? error.message : String(error)}`));
    worker.on('exit', (code) => this.#drop(worker, `the loader ended with code ${code}`));
    return worker;
  }

  #take(answer: LoadAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    if (this.#waiting.size === 0) this.#rest();
    if ('loaded' in answer) waiting.resolve(answer.loaded);
    else waiting.reject(new Error(answer.failure));
  }

  /** Nothing is under way. */
  #rest(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.unref();
    this.#idle = setTimeout(() => this.#drop(worker, 'the loader is idle'), this.#idleMs);
    this.#idle.unref();
  }

  /** The worker is of no use any more; the next load starts another. */
  #drop(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    void worker.terminate();
    this.#rejectAll(why);
  }

  #rejectAll(why: string): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of all) {
      clearTimeout(waiting.timer);
      waiting.reject(new Error(why));
    }
  }
}
