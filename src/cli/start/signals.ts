/** Exit codes of a process that was ended by these signals, as shells count them. */
export const stopCodes = { SIGINT: 130, SIGTERM: 143 } as const;
export type Stop = keyof typeof stopCodes;

/** Ignored: Node would open its debugger on SIGUSR1, and the system would end the process on SIGUSR2. */
const ignored = ['SIGUSR1', 'SIGUSR2'] as const;

/** Within this time npm repeats an interrupt; nobody presses the keys twice as fast. */
const repeatMs = 100;

/**
 * The signals of `gateway start`, followed from its beginning to its end: none but a stop ends the process, and what
 * comes while the gateway starts is not lost.
 */
export class Signals {
  /** The first SIGINT or SIGTERM. */
  readonly stopped: Promise<Stop>;
  /** The second one. */
  readonly stoppedAgain: Promise<Stop>;
  #hungUp = false;
  #onHangUp: (() => void) | undefined;
  readonly #process: NodeJS.Process;
  readonly #stops: Stop[] = [];
  readonly #waiting: ((signal: Stop) => void)[] = [];
  /** npm repeats the Ctrl-C of a terminal for its script, which has it from the terminal already. */
  readonly #isRepeated: boolean;
  #interruptedAt = Number.NEGATIVE_INFINITY;

  constructor(process: NodeJS.Process) {
    this.#process = process;
    this.#isRepeated = process.env.npm_lifecycle_event !== undefined && process.stdin.isTTY;
    this.stopped = new Promise((resolve) => this.#waiting.push(resolve));
    this.stoppedAgain = new Promise((resolve) => this.#waiting.push(resolve));
    process.on('SIGINT', this.#stop).on('SIGTERM', this.#stop).on('SIGHUP', this.#hangUp);
    for (const signal of ignored) process.on(signal, ignore);
  }

  get isStopping(): boolean {
    return this.#stops.length > 0;
  }

  /** From now on SIGHUP calls this; at once when one came before. */
  onHangUp(call: () => void): void {
    this.#onHangUp = call;
    if (this.#hungUp) call();
    this.#hungUp = false;
  }

  /** Gives the signals back to the system. */
  close(): void {
    this.#process.off('SIGINT', this.#stop).off('SIGTERM', this.#stop).off('SIGHUP', this.#hangUp);
    for (const signal of ignored) this.#process.off(signal, ignore);
  }

  readonly #stop = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGINT' && this.#isRepeated) {
      const since = performance.now() - this.#interruptedAt;
      this.#interruptedAt = performance.now();
      if (since < repeatMs) return;
    }
    this.#waiting[this.#stops.length]?.(signal as Stop);
    this.#stops.push(signal as Stop);
  };

  readonly #hangUp = (): void => {
    if (this.#onHangUp === undefined) this.#hungUp = true;
    else this.#onHangUp();
  };
}

const ignore = (): void => {};
