import { type ChildProcess, fork, type SendHandle } from 'node:child_process';
import { Channel, type Handlers } from './channel.ts';
import type { Heartbeat } from './messages.ts';
import { WholeLines } from './whole-lines.ts';

export interface ProcessEvents {
  /** Called with complete lines of its standard output. */
  onLines(lines: Buffer): void;
  onErrorText(text: Buffer): void;
  /** Called when the process has ended and all its output has been read. */
  onEnd(why: string): void;
}

/** Node flags that are not passed to workers: for example, a debugger's port can't be opened twice. */
const notInherited = /^--(?:inspect|watch|eval|print|test|input-type|cpu-prof|heap-prof)/;
/** How long output pipes of an exited process may stay open, in milliseconds. */
const patience = 1000;

/** One worker process, from its start to its end. */
export class WorkerProcess {
  /** Worker number, from 1. A replacement has the same number, but is another process. */
  readonly worker: number;
  readonly channel: Channel;
  readonly startedAt = performance.now();
  /** True if the process was asked to exit while it ran. */
  isEnding = false;
  readonly ended: Promise<void>;
  /** Beats due since the last one received. */
  missedBeats = 0;
  isServing = false;
  /** Set shortly before it serves: it has built its plugins and gets the messages of those in the other workers. */
  sharesState = false;
  /** The last beat received. */
  lastBeat: Heartbeat | undefined;
  readonly #child: ChildProcess;

  constructor(worker: number, entry: URL, handlers: Handlers, events: ProcessEvents) {
    this.worker = worker;
    const child = fork(entry, {
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: process.execArgv.filter((flag) => !notInherited.test(flag)),
    });
    this.#child = child;
    this.channel = new Channel((message, handle) => this.#send(message, handle), handlers);
    const lines = new WholeLines(events.onLines);
    child.stdout?.on('data', (piece: Buffer) => lines.add(piece));
    child.stderr?.on('data', events.onErrorText);
    child.on('message', (message, handle) => void this.channel.receive(message, handle));
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

  /** Asks the process to exit, and kills it if it has not. @param withinMs milliseconds */
  async end(withinMs: number): Promise<void> {
    if (this.isAlive) this.isEnding = true;
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.kill(), withinMs);
    await this.ended;
    clearTimeout(timer);
  }

  #send(message: object, handle: SendHandle | undefined): boolean {
    if (!this.#child.connected) return true;
    // If the send fails, the process is about to exit, which is handled by its exit event.
    return this.#child.send(message, handle, {}, () => {});
  }
}
