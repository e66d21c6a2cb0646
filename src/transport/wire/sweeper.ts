import { GatewayError } from '../../core/error.ts';
import { type DenseSetMember, DenseSet } from '../../core/memory/dense-set.ts';
import type { TimerWheel } from './timer-wheel.ts';

/** An object with deadlines that is checked periodically, instead of having its own timers. */
export interface Sweepable extends DenseSetMember {
  /** Checks the deadlines. `now` is monotonic time in milliseconds. */
  sweep(now: number): void;
  /** Called if `sweep` threw: must end this object only. */
  crashed(thrown: unknown): void;
}

/** The set of active objects with deadlines; one group of the wheel. */
export interface Sweeper {
  add(item: Sweepable): void;
  delete(item: Sweepable): void;
  /** Number of active objects. */
  readonly size: number;
  close(): void;
}

/** Interval of the checks in milliseconds, and so the precision of deadlines. */
const everyMs = 100;

/** @param onDefect called with an error that `crashed` threw; the object is not checked again */
export function createSweeper(wheel: TimerWheel, monotonic: () => number, onDefect: (error: unknown) => void): Sweeper {
  const items = new DenseSet<Sweepable>();
  const group = {
    everyMs,
    check() {
      const now = monotonic();
      items.each((item) => {
        try {
          sweepOne(item, now);
        } catch (error) {
          items.delete(item);
          onDefect(error);
        }
      });
      return items.size > 0;
    },
  };
  return {
    add(item) {
      items.add(item);
      wheel.add(group);
    },
    delete: (item) => items.delete(item),
    get size() {
      return items.size;
    },
    close: () => wheel.delete(group),
  };
}

function sweepOne(item: Sweepable, now: number): void {
  try {
    item.sweep(now);
  } catch (thrown) {
    item.crashed(thrown);
  }
}

/** Returns the error if the limit of attempts in flight is reached; otherwise undefined. */
export function overload(sweeper: Sweeper, limit: number): GatewayError | undefined {
  if (sweeper.size < limit) return undefined;
  return new GatewayError('overloaded', {
    message: `${sweeper.size} attempts are in flight, the limit.`,
    hint: 'Send the request again in a moment, or raise server.max_in_flight.',
  });
}
