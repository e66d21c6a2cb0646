import { Worker } from 'node:worker_threads';
import { GatewayError } from '../../../core/error.ts';
import { type Call, type Reply, restored, type Told } from './calls.ts';
import { tooSlow } from './clock.ts';

export interface ThreadOptions {
  /** What the thread runs; it responds to calls (`respond`). */
  readonly entry: URL;
  /** Given to each thread that is started. */
  data(): unknown;
  /** Calls that may wait; more are refused. */
  readonly most: number;
  /** Milliseconds that a call may take: from when it was made, or where calls are pure from when it is next. */
  readonly limitMs: number;
  /**
   * Calls change nothing: where one takes too long or its thread dies with it, that one fails, and the ones behind it are
   * made again to another thread.
   */
  readonly isPure?: boolean;
  /** Milliseconds without calls after which the thread ends; absent: it stays. */
  readonly idleMs?: number;
  /** Heap of the thread in megabytes: beyond it the thread dies, and nothing else. */
  readonly heapMb: number;
  /** What is wrong now, whenever that changes. */
  onProblems?(problems: readonly string[]): void;
  /** The thread died by itself. */
  onDeath?(why: Error): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly call: Call;
  readonly limitMs: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * A thread that is asked things: started by the first call, replaced when it dies or does not respond in time. It never
 * keeps the process alive.
 */
export class Thread {
  readonly #options: ThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * @param transfer memory that is handed over
   * @throws GatewayError `log_unavailable`; what the thread's handler threw
   */
  call(name: string, argument: unknown, { limitMs = this.#options.limitMs, transfer = [] as ArrayBuffer[] } = {}): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(unavailable('The gateway is shutting down.'));
    if (this.#waiting.size >= this.#options.most) return Promise.reject(unavailable('Too many questions to the request log wait.'));
    clearTimeout(this.#idle);
    const worker = this.start();
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { resolve, reject, call: { id, name, argument }, limitMs, timer: undefined };
      this.#waiting.set(id, waiting);
      if (this.#options.isPure !== true || this.#waiting.size === 1) this.#arm(waiting);
      worker.ref();
      worker.postMessage(waiting.call, transfer);
    });
  }

  /** The thread does one call after the other, in the order in which they came. */
  #arm(waiting: Waiting | undefined): void {
    if (waiting === undefined) return;
    const { limitMs } = waiting;
    waiting.timer ??= setTimeout(() => {
      if (this.#worker !== undefined) this.#drop(this.#worker, tooSlow(limitMs));
    }, limitMs);
  }

  start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const { entry, data, heapMb } = this.#options;
    const worker = new Worker(entry, {
      workerData: data(),
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      execArgv: process.execArgv.filter((flag) => flag.startsWith('--conditions=')),
    });
    worker.unref();
    worker.on('message', (message) => this.#take(message as Reply | Told));
    worker.on('error', (error) => this.#died(worker, error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', (code) => this.#died(worker, new Error(`the thread ended with code ${code}`)));
    this.#worker = worker;
    return worker;
  }

  /** Ends the thread; the next call starts another. */
  stop(): void {
    if (this.#worker !== undefined) this.#drop(this.#worker, unavailable('The request log was opened again.'));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#rejectAll(unavailable('The gateway is shutting down.'));
    await worker?.terminate();
  }

  #take(reply: Reply | Told): void {
    if ('problems' in reply) {
      this.#options.onProblems?.(reply.problems);
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.id);
    clearTimeout(waiting.timer);
    if (this.#waiting.size === 0) this.#rest();
    else this.#arm(this.#waiting.values().next().value);
    if ('error' in reply) waiting.reject(restored(reply.error));
    else waiting.resolve(reply.value);
  }

  #rest(): void {
    this.#worker?.unref();
    const { idleMs } = this.#options;
    if (idleMs !== undefined) this.#idle = setTimeout(() => this.stop(), idleMs).unref();
  }

  #died(worker: Worker, why: Error): void {
    if (this.#worker !== worker) return;
    this.#drop(worker, unavailable('The request log failed on this question.', why));
    this.#options.onDeath?.(why);
  }

  #drop(worker: Worker, why: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    clearTimeout(this.#idle);
    if (this.#options.isPure === true) this.#rejectFirst(why);
    else this.#rejectAll(why);
    void worker.terminate();
  }

  /** Another thread does what waited behind it. */
  #rejectFirst(why: Error): void {
    const [first, ...others] = this.#waiting.values();
    if (first === undefined) return;
    this.#waiting.delete(first.call.id);
    clearTimeout(first.timer);
    first.reject(why);
    const [next] = others;
    if (next === undefined) return;
    const worker = this.start();
    worker.ref();
    for (const { call } of others) worker.postMessage(call);
    this.#arm(next);
  }

  #rejectAll(why: Error): void {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(why);
    }
    this.#waiting.clear();
  }
}

function unavailable(message: string, cause?: Error): GatewayError {
  return new GatewayError('log_unavailable', { message, cause });
}
