import { withTimeout } from '../../core/async/with-timeout.ts';
import type { Lease, SnapshotHolder } from '../../core/snapshot.ts';
import type { Awaitable } from '../../core/plugin.ts';

/** A snapshot holder with the methods of its owner. */
export interface OwnedHolder<S> extends SnapshotHolder<S> {
  /** Current value without a lease: only for use within the same tick. */
  current(): S;
  /** Resolves when every replaced value has been disposed. */
  whenIdle(): Promise<void>;
  /**
   * Disposes the current value too, once its leases are released. `acquire` and `swap` throw afterwards. Resolves in any case
   * after `closeLimitMs`, because the process must end.
   */
  close(): Promise<void>;
}

/** Longer than plugins may take to shut down, each with its own limit. */
export const closeLimitMs = 60_000;

/** One value and the number of its leases. */
interface LeasedValue<S> {
  readonly value: S;
  leases: number;
  replaced: boolean;
}

/**
 * Holds the current configuration. A replaced value is disposed exactly once, after its last lease is released.
 * Releasing a lease twice counts once.
 *
 * @param onFault called with errors of `dispose`, which no caller awaits, and if `close` ends without all leases
 */
export function createHolder<S>(
  first: S,
  dispose: (value: S) => Awaitable<void>,
  onFault: (error: unknown) => void = () => {},
): OwnedHolder<S> {
  let cell: LeasedValue<S> = { value: first, leases: 0, replaced: false };
  let closed = false;
  let undisposed = 0;
  let idleResolvers: (() => void)[] = [];

  const disposeOld = async (old: LeasedValue<S>): Promise<void> => {
    try {
      await dispose(old.value);
    } catch (error) {
      onFault(error);
    }
    undisposed -= 1;
    if (undisposed > 0) return;
    const resolvers = idleResolvers;
    idleResolvers = [];
    for (const resolve of resolvers) resolve();
  };
  const replace = (old: LeasedValue<S>): void => {
    old.replaced = true;
    undisposed += 1;
    if (old.leases === 0) void disposeOld(old);
  };
  const whenIdle = (): Promise<void> => (undisposed === 0 ? Promise.resolve() : new Promise((resolve) => idleResolvers.push(resolve)));

  return {
    current: () => cell.value,
    acquire: () => {
      if (closed) throw new Error('acquire after close');
      return new CountedLease(cell, disposeOld);
    },
    swap(next) {
      if (closed) throw new Error('swap after close');
      const old = cell;
      cell = { value: next, leases: 0, replaced: false };
      replace(old);
    },
    whenIdle,
    close() {
      if (!closed) {
        closed = true;
        replace(cell);
      }
      return withTimeout(whenIdle(), closeLimitMs, () => onFault(new Error('a request or a plugin still uses a configuration')));
    },
  };
}

class CountedLease<S> implements Lease<S> {
  readonly value: S;
  #cell: LeasedValue<S> | undefined;
  readonly #finish: (cell: LeasedValue<S>) => Promise<void>;

  constructor(cell: LeasedValue<S>, finish: (cell: LeasedValue<S>) => Promise<void>) {
    this.value = cell.value;
    this.#cell = cell;
    this.#finish = finish;
    cell.leases += 1;
  }

  release(): void {
    const cell = this.#cell;
    if (cell === undefined) return;
    this.#cell = undefined;
    cell.leases -= 1;
    if (cell.leases === 0 && cell.replaced) void this.#finish(cell);
  }
}
