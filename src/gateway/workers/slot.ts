import type { Log } from '../../telemetry/log.ts';
import type { WorkerProcess } from './process.ts';

export interface SlotDeps {
  /** From 1 on. */
  readonly worker: number;
  readonly log: Log;
  open(onEnd: (why: string) => void): WorkerProcess;
  /** Has it serve. Rejects where it can't. */
  begin(process: WorkerProcess): Promise<void>;
  /** It has ended: nothing of it is left. */
  ended(process: WorkerProcess): void;
}

/** Milliseconds that a worker must have lived: one that died earlier is replaced after a pause. */
const shortLifeMs = 10_000;
/** The first pause, which is doubled each time, and the longest, in milliseconds. */
const pauses = { first: 100, longest: 2000 } as const;

/** The place of a worker: whoever dies there is replaced. */
export class Slot {
  readonly worker: number;
  process: WorkerProcess | undefined;
  restarts = 0;
  /** Resolves when a start in progress has ended, whatever came of it. */
  settled: Promise<void> = Promise.resolve();
  readonly #deps: SlotDeps;
  /** Short lives in a row. */
  #short = 0;
  #isFirst = true;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: SlotDeps) {
    this.worker = deps.worker;
    this.#deps = deps;
  }

  /** The first start. Rejects where it fails: nothing is tried again then. */
  async begin(): Promise<void> {
    await this.#start();
    this.#isFirst = false;
  }

  /** Nobody is replaced any more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #start(): Promise<void> {
    const started = this.#startOne();
    this.settled = started.catch(() => {});
    return started;
  }

  async #startOne(): Promise<void> {
    const process: WorkerProcess = this.#deps.open((why) => this.#ended(process, why));
    this.process = process;
    try {
      await this.#deps.begin(process);
    } catch (error) {
      process.kill();
      throw error;
    }
  }

  #ended(process: WorkerProcess, why: string): void {
    this.#deps.ended(process);
    if (this.#isStopped || this.#isFirst) return;
    const { log, worker } = this.#deps;
    this.restarts += 1;
    this.#short = performance.now() - process.startedAt < shortLifeMs ? this.#short + 1 : 0;
    const pause = this.#short < 2 ? 0 : Math.min(pauses.first * 2 ** (this.#short - 2), pauses.longest);
    log.error({ worker, pid: process.pid, why, pause_ms: pause }, 'a worker process ended: it is replaced');
    this.#timer = setTimeout(() => void this.#replace(), pause);
  }

  async #replace(): Promise<void> {
    const { log, worker } = this.#deps;
    try {
      await this.#start();
      log.warn({ worker, pid: this.process?.pid }, 'a worker process was replaced');
    } catch (error) {
      // Its end is heard, and the next one follows.
      if (!this.#isStopped) log.error({ err: error, worker }, 'a worker process could not start');
    }
  }
}
