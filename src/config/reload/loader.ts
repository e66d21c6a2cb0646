import { type ChildProcess, fork } from 'node:child_process';
import { Socket } from 'node:net';
import type { LoadedConfig, LoadRequest } from './load.ts';

/** A load as it is sent: the worker process knows providers and plugins itself. */
export type PostedRequest = Omit<LoadRequest, 'providers' | 'plugins' | 'importPlugin' | 'validators' | 'rehearse'>;

/** What the worker is sent, and what it answers. */
export interface LoadQuestion {
  readonly id: number;
  readonly request: PostedRequest;
}
export type LoadAnswer =
  | { readonly id: number; readonly loaded: LoadedConfig }
  /** A defect of the loader: what a file says is never a failure. */
  | { readonly id: number; readonly failure: string };

/**
 * Loads configurations beside the event loop: parsing and checking would stall streams. A process and not a thread,
 * since the memory of a thread does not go back to the system when the thread ends.
 */
export interface Loader {
  /**
   * Rejects with a `LoaderFailure` when the worker dies or does not answer in time.
   *
   * @param limitMs how long this load may take, in milliseconds
   */
  load(request: PostedRequest, limitMs?: number): Promise<LoadedConfig>;
  /** Starts the worker: a load is about to be asked for. */
  prepare(): void;
  close(): Promise<void>;
}

/** The worker died, took too long or has a defect: the files may be good. */
export class LoaderFailure extends Error {
  override readonly name = 'LoaderFailure';
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
 * @param entry the file that the worker runs; it answers each message a `LoadQuestion` with a `LoadAnswer`
 */
export function createLoader(entry: URL, times: LoaderTimes = {}): Loader {
  return new ProcessLoader(entry, times);
}

class ProcessLoader implements Loader {
  readonly #entry: URL;
  readonly #limitMs: number;
  readonly #idleMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #worker: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #closed = false;

  constructor(entry: URL, { limitMs = defaultLimitMs, idleMs = defaultIdleMs }: LoaderTimes) {
    this.#entry = entry;
    this.#limitMs = limitMs;
    this.#idleMs = idleMs;
  }

  load(request: PostedRequest, limitMs = this.#limitMs): Promise<LoadedConfig> {
    if (this.#closed) return Promise.reject(new LoaderFailure('the loader is closed'));
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#drop(worker, `loading took longer than ${limitMs} ms`), limitMs);
      this.#waiting.set(id, { resolve, reject, timer });
      // Only a load keeps this process alive, not a worker that waits for one.
      worker.channel?.ref();
      worker.send({ id, request } satisfies LoadQuestion, (error) => {
        if (error !== null) this.#drop(worker, `the loader cannot be reached: ${error.message}`);
      });
    });
  }

  prepare(): void {
    if (this.#closed || this.#worker !== undefined) return;
    this.#worker = this.#start();
    this.#rest();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#rejectAll('the loader is closed');
    if (worker !== undefined) await end(worker);
  }

  #start(): ChildProcess {
    // Of this process's own flags only those that say where imports lead: a debugger's port can't be opened twice.
    const worker = fork(this.#entry, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--disable-sigusr1', ...process.execArgv.filter((flag) => flag.startsWith('--conditions='))],
    });
    worker.unref();
    // Not inherited: the system would make our own standard error wait for its reader.
    worker.stderr?.on('data', (text: Buffer) => process.stderr.write(text));
    if (worker.stderr instanceof Socket) worker.stderr.unref();
    worker.on('message', (answer) => this.#take(answer as LoadAnswer));
    worker.on('error', (error) => this.#drop(worker, `the loader failed: ${error.message}`));
    worker.on('exit', (code, signal) => this.#drop(worker, `the loader ended with ${code === null ? signal : `code ${code}`}`));
    return worker;
  }

  #take(answer: LoadAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    if (this.#waiting.size === 0) this.#rest();
    if ('loaded' in answer) waiting.resolve(answer.loaded);
    else waiting.reject(new LoaderFailure(answer.failure));
  }

  /** Nothing is in progress. */
  #rest(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.channel?.unref();
    this.#idle = setTimeout(() => this.#drop(worker, 'the loader is idle'), this.#idleMs);
    this.#idle.unref();
  }

  /** The worker is of no use any more; the next load starts another. */
  #drop(worker: ChildProcess, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    void end(worker);
    this.#rejectAll(why);
  }

  #rejectAll(why: string): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of all) {
      clearTimeout(waiting.timer);
      waiting.reject(new LoaderFailure(why));
    }
  }
}

/** Ends a worker at once, also one that hangs; it has nothing to write. */
async function end(worker: ChildProcess): Promise<void> {
  if (worker.pid === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  worker.ref();
  worker.kill('SIGKILL');
  await ended;
}
