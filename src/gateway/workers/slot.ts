import type { Log } from '../../telemetry/log.ts';
import type { WorkerProcess } from './process.ts';
import { errorMessage } from '../../core/error.ts';

export interface WorkerEnd {
  /** Unix milliseconds. */
  readonly at: number;
  readonly why: string;
}

export interface SlotDeps {
  /** Worker number, from 1. */
  readonly worker: number;
  readonly log: Log;
  /** Unix milliseconds. */
  now(): number;
  open(onEnd: (why: string) => void): WorkerProcess;
  /** Makes the process serve. Rejects if it can't. */
  begin(process: WorkerProcess): Promise<void>;
  /** Called after the process and its output have ended. */
  ended(process: WorkerProcess): void;
}

/** A worker that died sooner than this is replaced after a pause, in milliseconds. */
const shortLifeMs = 10_000;
/** Pauses in milliseconds: the first one, doubled each time, and the maximum after a worker that served and after one that could not. */
const pauses = { first: 100, longest: 2000, longestUnstarted: 20_000 } as const;
/** Number of consecutive early exits from which the problem is reported. */
const manyShort = 3;

/** The slot of one worker: a process that dies is replaced. */
export class Slot {
  readonly worker: number;
  process: WorkerProcess | undefined;
  restarts = 0;
  /** Time and reason of the last exit. */
  lastEnd: WorkerEnd | undefined;
  /** Resolves when a start in progress has ended, with or without success. */
  settled: Promise<void> = Promise.resolve();
  readonly #deps: SlotDeps;
  /** Consecutive early exits. */
  #earlyExits = 0;
  /** Why the last started process could not serve; undefined if it could. */
  #fault: string | undefined;
  #isFirst = true;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: SlotDeps) {
    this.worker = deps.worker;
    this.#deps = deps;
  }

  /** Set if processes here repeatedly fail to start or exit early; undefined otherwise. */
  get trouble(): string | undefined {
    const isStable = this.process?.isServing === true && performance.now() - this.process.startedAt > shortLifeMs;
    if (isStable || (this.#earlyExits < manyShort && this.#fault === undefined)) return undefined;
    const worker = `Worker ${this.worker}`;
    if (this.#fault !== undefined) return `${worker} could not be replaced: ${this.#fault}.`;
    return `${worker} ended ${this.#earlyExits} times in a row soon after its start: ${this.lastEnd?.why ?? ''}.`;
  }

  /** The first start. Rejects if it fails; there is no retry then. */
  async begin(): Promise<void> {
    await this.#start();
    this.#isFirst = false;
  }

  /** Stops replacing processes. */
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
      this.#fault = errorMessage(error);
      process.kill();
      throw error;
    }
  }

  #ended(process: WorkerProcess, how: string): void {
    this.#deps.ended(process);
    if (this.#isFirst) return;
    const { log, worker, now } = this.#deps;
    if (this.#isStopped) {
      if (!process.isEnding) log.error({ worker, pid: process.pid, why: how }, 'a worker process ended before its requests');
      return;
    }
    const why = this.#fault === undefined ? how : `it could not start: ${this.#fault}`;
    this.lastEnd = { at: now(), why };
    this.restarts += 1;
    this.#earlyExits = performance.now() - process.startedAt < shortLifeMs ? this.#earlyExits + 1 : 0;
    const longest = this.#fault === undefined ? pauses.longest : pauses.longestUnstarted;
    const pause = this.#earlyExits < 2 ? 0 : Math.min(pauses.first * 2 ** (this.#earlyExits - 2), longest);
    log.error({ worker, pid: process.pid, why, pause_ms: pause }, 'a worker process ended: it is replaced');
    this.#timer = setTimeout(() => void this.#replace(), pause);
  }

  async #replace(): Promise<void> {
    const { log, worker } = this.#deps;
    try {
      await this.#start();
      log.warn({ worker, pid: this.process?.pid }, 'a worker process was replaced');
    } catch {
      // The exit event logs the failure and schedules the next start.
    }
  }
}
