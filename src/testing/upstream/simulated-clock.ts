import type { Clock } from '../../core/context.ts';
import { DenseSet } from '../../core/memory/dense-set.ts';
import type { Sweeper, Sweepable } from '../../transport/wire/sweeper.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Interval of the checks of timeouts, in milliseconds. The same as for real traffic. */
const sweepIntervalMs = 100;

/** Time that passes only when somebody waits for it. It checks the timeouts of attempts too, like the sweeper of real traffic. */
export class SimulatedClock implements Clock {
  readonly #startedAt = Date.now();
  /** Monotonic milliseconds. Not 0, which some readers take for "never". */
  #time = 1000;
  readonly #timers = new Set<Timer>();
  readonly #attempts = new DenseSet<Sweepable>();

  readonly now = (): number => Math.round(this.#startedAt + this.#time);
  readonly monotonic = (): number => this.#time;

  /** Calls a function when this many milliseconds have passed. Returns a function that cancels the call. */
  readonly later = (ms: number, run: () => void): (() => void) => {
    const timer = { at: this.#time + Math.max(0, ms), run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  readonly sweeper: Sweeper = this.#sweeper();

  /** Lets the time pass until the next timer or timeout ends. Returns false if nothing waits for the time to pass. */
  advance(): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.at < next.at) next = timer;
    if (next === undefined) return false;
    while (this.#attempts.size > 0 && this.#time + sweepIntervalMs < next.at) {
      this.#time += sweepIntervalMs;
      if (this.#sweep()) return true;
    }
    this.#time = Math.max(this.#time, next.at);
    // A timeout that ends at the same moment comes first, because the response would be too late.
    if (this.#sweep()) return true;
    this.#timers.delete(next);
    next.run();
    return true;
  }

  /** Returns true if it has ended an attempt. */
  #sweep(): boolean {
    const before = this.#attempts.size;
    this.#attempts.each((attempt) => {
      try {
        attempt.sweep(this.#time);
      } catch (thrown) {
        attempt.crashed(thrown);
      }
    });
    return this.#attempts.size < before;
  }

  #sweeper(): Sweeper {
    const attempts = this.#attempts;
    return {
      add: (item) => attempts.add(item),
      delete: (item) => attempts.delete(item),
      get size() {
        return attempts.size;
      },
      close: () => undefined,
    };
  }
}
