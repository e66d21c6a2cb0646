import type { Log } from '../../telemetry/log.ts';
import type { WorkerProcess } from './process.ts';

export interface WorkerEnd {
  /** Unix milliseconds. */
  readonly at: number;
  readonly why: string;
}

export interface SlotDeps {
  /** From 1 on. */
  readonly worker: number;
  readonly log: Log;
  /** Unix milliseconds. */
  now(): number;
  open(onEnd: (why: string) => void): WorkerProcess;
  /** Has it serve. Rejects where it can't. */
  begin(process: WorkerProcess): Promise<void>;
  /** It has ended: nothing of it is left. */
  ended(process: WorkerProcess): void;
}

/** Milliseconds that a worker must have lived: one that died earlier is replaced after a pause. */
const shortLifeMs = 10_000;
/** The first pause, which is doubled each time, and the longest, behind a worker that served and behind one that could not. */
const pauses = { first: 100, longest: 2000, longestUnstarted: 20_000 } as const;
/** Short lives in a row from which a person should look. */
const manyShort = 3;

/** The place of a worker: whoever dies there is replaced. */
export class Slot {
  readonly worker: number;
  process: WorkerProcess | undefined;
  restarts = 0;
  /** When and why the last one ended. */
  lastEnd: WorkerEnd | undefined;
  /** Resolves when a start in progress has ended, whatever came of it. */
  settled: Promise<void> = Promise.resolve();
  readonly #deps: SlotDeps;
  /** Short lives in a row. */
  #short = 0;
  /** Why the last one that started could not serve; undefined where it could. */
  #fault: string | undefined;
  #isFirst = true;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: SlotDeps) {
    this.worker = deps.worker;
    this.#deps = deps;
  }

  /** Who starts here can't, or ends soon, again and again; undefined otherwise. */
  get trouble(): string | undefined {
    const lives = this.process?.isServing === true && performance.now() - this.process.startedAt > shortLifeMs;
    if (lives || (this.#short < manyShort && this.#fault === undefined)) return undefined;
    const worker = `Worker ${this.worker}`;
    if (this.#fault !== undefined) return `${worker} could not be replaced: ${this.#fault}.`;
    return `${worker} ended ${this.#short} times in a row soon after its start: ${this.lastEnd?.why ?? ''}.`;
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
      this.#fault = undefined;
    } catch (error) {
      this.#fault = error instanceof Error ? error.message : String(error);
      process.kill();
      throw error;
    }
  }

  #ended(process: WorkerProcess, how: string): void {
    this.#deps.ended(process);
    if (this.#isStopped || this.#isFirst) return;
    const { log, worker, now } = this.#deps;
    const why = this.#fault === undefined ? how : `it could not start: ${this.#fault}`;
    this.lastEnd = { at: now(), why };
    this.restarts += 1;
    this.#short = performance.now() - process.startedAt < shortLifeMs ? this.#short + 1 : 0;
    const longest = this.#fault === undefined ? pauses.longest : pauses.longestUnstarted;
    const pause = this.#short < 2 ? 0 : Math.min(pauses.first * 2 ** (this.#short - 2), longest);
    log.error({ worker, pid: process.pid, why, pause_ms: pause }, 'a worker process ended: it is replaced');
    this.#timer = setTimeout(() => void this.#replace(), pause);
  }

  async #replace(): Promise<void> {
    const { log, worker } = this.#deps;
    try {
      await this.#start();
      log.warn({ worker, pid: this.process?.pid }, 'a worker process was replaced');
    } catch {
      // Its end is heard and logged, and the next one follows.
    }
  }
}
