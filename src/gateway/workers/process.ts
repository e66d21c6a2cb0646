import { type ChildProcess, fork, type SendHandle } from 'node:child_process';
import { Channel, type Handlers } from './channel.ts';
import type { Beat } from './messages.ts';
import { WholeLines } from './whole-lines.ts';

export interface ProcessEvents {
  /** Whole lines of its standard output. */
  onLines(lines: Buffer): void;
  onErrorText(text: Buffer): void;
  /** It has ended, and all that it wrote has been read. */
  onEnd(why: string): void;
}

/** Flags of this process that are not for its workers: a debugger's port can't be opened twice. */
const own = /^--(?:inspect|watch|eval|print|test|input-type|cpu-prof|heap-prof)/;
/** How long a process that has ended may keep its outputs open, in milliseconds. */
const patience = 1000;

/** One worker process, from its start to its end. */
export class WorkerProcess {
  /** From 1 on: whoever comes in place of a dead one has its number, and is another process. */
  readonly worker: number;
  readonly channel: Channel;
  readonly startedAt = performance.now();
  readonly ended: Promise<void>;
  /** Beats that were due since the last one. */
  missed = 0;
  isServing = false;
  /** What it told last. */
  last: Beat | undefined;
  readonly #child: ChildProcess;

  constructor(worker: number, entry: URL, handlers: Handlers, events: ProcessEvents) {
    this.worker = worker;
    const child = fork(entry, {
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: process.execArgv.filter((flag) => !own.test(flag)),
    });
    this.#child = child;
    this.channel = new Channel((message, handle) => this.#send(message, handle), handlers);
    const lines = new WholeLines(events.onLines);
    child.stdout?.on('data', (piece: Buffer) => lines.add(piece));
    child.stderr?.on('data', events.onErrorText);
    child.on('message', (message, handle) => void this.channel.take(message, handle));
    child.on('error', () => child.kill('SIGKILL'));
    this.ended = new Promise((resolve) => {
      let why = 'it could not be started';
      const over = (): void => {
        clearTimeout(timer);
        child.off('close', over);
        lines.end();
        events.onEnd(why);
        resolve();
      };
      let timer: NodeJS.Timeout | undefined;
      child.once('exit', (code, signal) => {
        why = code === null ? `ended by ${signal}` : `ended with code ${code}`;
        this.isServing = false;
        this.channel.close(`worker ${worker} ${why}`);
        timer = setTimeout(over, patience);
      });
      child.once('close', over);
      if (child.pid === undefined) child.once('error', over);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** It is to end now, and is ended when it does not. @param withinMs milliseconds */
  async end(withinMs: number): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.kill(), withinMs);
    await this.ended;
    clearTimeout(timer);
  }

  #send(message: object, handle: SendHandle | undefined): boolean {
    if (!this.#child.connected) return true;
    // Whoever can't be reached is about to end, and that is heard.
    return this.#child.send(message, handle, {}, () => {});
  }
}
