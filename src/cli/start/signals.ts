/** Exit codes of a process ended by these signals, as used by shells. */
export const stopCodes = { SIGINT: 130, SIGTERM: 143 } as const;
export type StopSignal = keyof typeof stopCodes;

/** Ignored: Node would open its debugger on SIGUSR1, and the system would end the process on SIGUSR2. */
const ignored = ['SIGUSR1', 'SIGUSR2'] as const;

/** npm repeats an interrupt within this time, in milliseconds. No user presses the keys twice as fast. */
const repeatMs = 100;

/**
 * Handles signals for the whole run of `gateway start`. Only a stop signal ends the process, and signals that arrive
 * during the start are not lost.
 */
export class Signals {
  /** Resolves with the first SIGINT or SIGTERM. */
  readonly stopped: Promise<StopSignal>;
  /** Resolves with the second one. */
  readonly stoppedAgain: Promise<StopSignal>;
  #hungUp = false;
  #onHangUp: (() => void) | undefined;
  readonly #process: NodeJS.Process;
  readonly #stopSignals: StopSignal[] = [];
  readonly #resolvers: ((signal: StopSignal) => void)[] = [];
  /** True under npm on a terminal: npm repeats the Ctrl-C that the terminal has already sent to its script. */
  readonly #mayRepeat: boolean;
  #interruptedAt = Number.NEGATIVE_INFINITY;

  constructor(process: NodeJS.Process) {
    this.#process = process;
    this.#mayRepeat = process.env.npm_lifecycle_event !== undefined && process.stdin.isTTY;
    this.stopped = new Promise((resolve) => this.#resolvers.push(resolve));
    this.stoppedAgain = new Promise((resolve) => this.#resolvers.push(resolve));
    process.on('SIGINT', this.#stop).on('SIGTERM', this.#stop).on('SIGHUP', this.#hangUp);
    for (const signal of ignored) process.on(signal, ignore);
  }

  get isStopping(): boolean {
    return this.#stopSignals.length > 0;
  }

  /** Sets the handler of SIGHUP. Calls it at once if the signal has already arrived. */
  onHangUp(call: () => void): void {
    this.#onHangUp = call;
    if (this.#hungUp) call();
    this.#hungUp = false;
  }

  /** Removes the signal handlers. */
  close(): void {
    this.#process.off('SIGINT', this.#stop).off('SIGTERM', this.#stop).off('SIGHUP', this.#hangUp);
    for (const signal of ignored) this.#process.off(signal, ignore);
  }

  readonly #stop = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGINT' && this.#mayRepeat) {
      const since = performance.now() - this.#interruptedAt;
      this.#interruptedAt = performance.now();
      if (since < repeatMs) return;
    }
    this.#resolvers[this.#stopSignals.length]?.(signal as StopSignal);
    this.#stopSignals.push(signal as StopSignal);
  };

  readonly #hangUp = (): void => {
    if (this.#onHangUp === undefined) this.#hungUp = true;
    else this.#onHangUp();
  };
}

const ignore = (): void => {};
