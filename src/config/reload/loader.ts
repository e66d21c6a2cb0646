import { type ChildProcess, fork } from 'node:child_process';
import { Socket } from 'node:net';
import type { OriginSource, WrittenLocations } from '../report/origins.ts';
import type { LoadedConfig, LoadRequest } from './load.ts';

/** A load request as sent to the worker process, which has its own providers and plugins. */
export type PostedRequest = Omit<LoadRequest, 'providers' | 'plugins' | 'importPlugin' | 'onSecrets' | 'validators' | 'rehearse'>;

/** What to locate, as sent to the worker process. */
export type PostedSource = Omit<OriginSource, 'providers'>;

/** Message to the worker; `LoadResponse` is its response. */
export type LoadMessage = { readonly id: number } & ({ readonly request: PostedRequest } | { readonly locate: PostedSource });
export type LoadResponse =
  | { readonly id: number; readonly result: LoadedConfig | WrittenLocations }
  /** A defect of the loader. The content of files never causes a failure. */
  | { readonly id: number; readonly failure: string };

/**
 * Loads configurations outside the event loop, where parsing and checking would delay streams. It uses a process, not a
 * thread, because the memory of a thread is not returned to the system when it ends.
 */
export interface Loader {
  /**
   * Rejects with a `LoaderFailure` when the worker dies or exceeds the time limit.
   *
   * @param limitMs time limit of this load, in milliseconds
   */
  load(request: PostedRequest, limitMs?: number): Promise<LoadedConfig>;
  /** Finds the location of each value of a loaded configuration. Rejects as `load` does. */
  locate(source: PostedSource, limitMs: number): Promise<WrittenLocations>;
  /** Starts the worker ahead of an expected load. */
  prepare(): void;
  close(): Promise<void>;
}

/** The worker died, timed out or has a defect. The files may be valid. */
export class LoaderFailure extends Error {
  override readonly name = 'LoaderFailure';
}

interface PendingLoad {
  resolve(result: never): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout;
}

/** Times of a loader, in milliseconds. */
export interface LoaderTimes {
  /** Time limit of one load. */
  readonly limitMs?: number;
  /** Time that an idle worker waits for another load before it is ended. An idle worker uses tens of megabytes. */
  readonly idleMs?: number;
}

const defaultLimitMs = 10_000;
const defaultIdleMs = 10_000;

/**
 * Creates a loader. Its worker is reused for loads shortly after each other, and replaced when it dies or hangs.
 *
 * @param entry file that the worker runs; it responds to each `LoadMessage` with a `LoadResponse`
 */
export function createLoader(entry: URL, times: LoaderTimes = {}): Loader {
  return new ProcessLoader(entry, times);
}

class ProcessLoader implements Loader {
  readonly #entry: URL;
  readonly #limitMs: number;
  readonly #idleMs: number;
  readonly #pending = new Map<number, PendingLoad>();
  #worker: ChildProcess | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #closed = false;

  constructor(entry: URL, { limitMs = defaultLimitMs, idleMs = defaultIdleMs }: LoaderTimes) {
    this.#entry = entry;
    this.#limitMs = limitMs;
    this.#idleMs = idleMs;
  }

  load(request: PostedRequest, limitMs = this.#limitMs): Promise<LoadedConfig> {
    return this.#ask({ request }, limitMs);
  }

  locate(locate: PostedSource, limitMs: number): Promise<WrittenLocations> {
    return this.#ask({ locate }, limitMs);
  }

  #ask<T>(task: { readonly request: PostedRequest } | { readonly locate: PostedSource }, limitMs: number): Promise<T> {
    if (this.#closed) return Promise.reject(new LoaderFailure('the loader is closed'));
    clearTimeout(this.#idleTimer);
    const worker = (this.#worker ??= this.#start());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#discardWorker(worker, `loading took longer than ${limitMs} ms`), limitMs);
      this.#pending.set(id, { resolve, reject, timer });
      // The system could not start the process, for example without a free descriptor. Its event 'error' follows.
      if (worker.channel === undefined) return;
      // Only a pending load keeps this process alive, not an idle worker.
      worker.channel?.ref();
      worker.send({ id, ...task } satisfies LoadMessage, (error) => {
        if (error !== null) this.#discardWorker(worker, `the loader cannot be reached: ${error.message}`);
      });
    });
  }

  prepare(): void {
    if (this.#closed || this.#worker !== undefined) return;
    this.#worker = this.#start();
    this.#startIdleTimer();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#rejectAll('the loader is closed');
    if (worker !== undefined) await killWorker(worker);
  }

  #start(): ChildProcess {
    // Passes only the flags that affect module resolution: a debugger's port, for example, cannot be opened twice.
    const worker = fork(this.#entry, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--disable-sigusr1', ...process.execArgv.filter((flag) => flag.startsWith('--conditions='))],
    });
    worker.unref();
    // Piped instead of inherited: otherwise the system would make writes to standard error block in this process.
    worker.stderr?.on('data', (text: Buffer) => process.stderr.write(text));
    if (worker.stderr instanceof Socket) worker.stderr.unref();
    worker.on('message', (response) => this.#handleResponse(response as LoadResponse));
    worker.on('error', (error) => this.#discardWorker(worker, `the loader failed: ${error.message}`));
    worker.on('exit', (code, signal) => this.#discardWorker(worker, `the loader ended with ${code === null ? signal : `code ${code}`}`));
    return worker;
  }

  #handleResponse(response: LoadResponse): void {
    const pending = this.#pending.get(response.id);
    if (pending === undefined) return;
    this.#pending.delete(response.id);
    clearTimeout(pending.timer);
    if (this.#pending.size === 0) this.#startIdleTimer();
    if ('result' in response) pending.resolve(response.result as never);
    else pending.reject(new LoaderFailure(response.failure));
  }

  /** Called when no load is pending: starts the idle timer. */
  #startIdleTimer(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.channel?.unref();
    this.#idleTimer = setTimeout(() => this.#discardWorker(worker, 'the loader is idle'), this.#idleMs);
    this.#idleTimer.unref();
  }

  /** Discards the worker. The next load starts another. */
  #discardWorker(worker: ChildProcess, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    void killWorker(worker);
    this.#rejectAll(why);
  }

  #rejectAll(why: string): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const waiting of all) {
      clearTimeout(waiting.timer);
      waiting.reject(new LoaderFailure(why));
    }
  }
}

/** Kills a worker at once, even if it hangs. It has no data to save. */
async function killWorker(worker: ChildProcess): Promise<void> {
  if (worker.pid === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  worker.ref();
  worker.kill('SIGKILL');
  await ended;
}
