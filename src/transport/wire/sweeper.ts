import { GatewayError } from '../../core/error.ts';
import { type DenseSetMember, DenseSet } from '../../core/memory/dense-set.ts';
import type { Wheel } from './wheel.ts';

/** Something with deadlines that is looked at every so often instead of having timers of its own. */
export interface Swept extends DenseSetMember {
  /** `now` is the monotonic clock in milliseconds. */
  sweep(now: number): void;
  /** A look at it threw: it is ended, and only it. */
  crashed(thrown: unknown): void;
}

/** All that is live and has deadlines: a spoke of the wheel. */
export interface Sweeper {
  add(item: Swept): void;
  delete(item: Swept): void;
  /** Live items. */
  readonly size: number;
  close(): void;
}

/** Deadlines are met to within this many milliseconds. */
const everyMs = 100;

/** @param onDefect told of what even `crashed` threw: such an item is not looked at again */
export function createSweeper(wheel: Wheel, monotonic: () => number, onDefect: (error: unknown) => void): Sweeper {
  const items = new DenseSet<Swept>();
  const spoke = {
    everyMs,
    look() {
      const now = monotonic();
      items.each((item) => {
        try {
          look(item, now);
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
      wheel.add(spoke);
    },
    delete: (item) => items.delete(item),
    get size() {
      return items.size;
    },
    close: () => wheel.delete(spoke),
  };
}

function look(item: Swept, now: number): void {
  try {
    item.sweep(now);
  } catch (thrown) {
    item.crashed(thrown);
  }
}

/** Why one more attempt may not join those in flight; undefined while there is room. */
export function overload(sweeper: Sweeper, limit = Number.POSITIVE_INFINITY): GatewayError | undefined {
  if (sweeper.size < limit) return undefined;
  return new GatewayError('overloaded', {
    message: `${sweeper.size} attempts are in flight, the limit.`,
    hint: 'Send the request again in a moment. Setting: server.max_in_flight',
  });
}
