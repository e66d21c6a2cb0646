import { withTimeout } from '../../../core/async/with-timeout.ts';
import { GatewayError } from '../../../core/error.ts';
import type { WindowLimit } from '../../../core/limits/caller-limits.ts';
import { type CountedRequests, maxCallers, type RateGrant, type RateLimiter } from '../../../core/limits/rates.ts';
import { BoundedCache } from '../../../core/memory/bounded-cache.ts';
import type { RateQuestion } from '../messages.ts';

/** The part of a rate that was leased to this process: it counts as used already. */
interface Lease {
  left: number;
  /** When it was counted, in Unix milliseconds. */
  at: number;
  /** Unix milliseconds: what is left then is given back, so that it is not used long after it was counted. */
  until: number;
  /** Requests that wait for the next grant. */
  waiting: number;
  pending: Promise<RateGrant> | undefined;
}

/** A lease is a hundredth of this process's share of a rate, for a hundredth of the window: a busy process asks rarely. */
const leaseDivisor = 100;
/** Milliseconds that a request waits for the supervisor. */
const leaseTimeoutMs = 5000;

/** Resolves to what the supervisor has counted for this process. */
export type AskForRate = (question: RateQuestion) => Promise<RateGrant>;

/**
 * Rates in one of several processes. The supervisor counts, so a rate holds for all processes together. Within its lease a
 * process decides alone; beyond it, a request waits for one round trip.
 */
export class LeasedRates implements RateLimiter {
  readonly #ask: AskForRate;
  readonly #now: () => number;
  readonly #leases = new BoundedCache<Lease>(maxCallers);
  /** Set with the start of the process. */
  workers = 1;

  /** @param now Unix milliseconds */
  constructor(ask: AskForRate, now: () => number) {
    this.#ask = ask;
    this.#now = now;
  }

  take(caller: string, rate: WindowLimit): number | Promise<number> {
    const lease = this.#leaseOf(caller, rate);
    const at = this.#now();
    return isUsed(lease, at) ? 0 : this.#takeWithLease(lease, caller, rate, at);
  }

  async #takeWithLease(lease: Lease, caller: string, rate: WindowLimit, at: number): Promise<number> {
    lease.waiting += 1;
    try {
      for (;;) {
        lease.pending ??= this.#request(lease, caller, rate);
        const { count, waitMs } = await withTimeout(lease.pending, leaseTimeoutMs, () => {
          const message = 'The gateway could not determine in time how many requests of the key were sent.';
          throw new GatewayError('overloaded', { message, hint: 'Send the request again.' });
        });
        if (isUsed(lease, at)) return 0;
        // Otherwise others that waited have used the grant.
        if (count === 0) return waitMs;
      }
    } finally {
      lease.waiting -= 1;
    }
  }

  async #request(lease: Lease, caller: string, rate: WindowLimit): Promise<RateGrant> {
    try {
      const usual = Math.floor(rate.max / (this.workers * leaseDivisor));
      const grant = await this.#ask({ caller, rate, count: Math.max(usual, lease.waiting), unused: unusedOf(lease) });
      lease.left = grant.count;
      lease.at = grant.at;
      // From now on, so that the requests that wait for it can use it however long it took.
      lease.until = this.#now() + rate.windowMs / leaseDivisor;
      return grant;
    } finally {
      lease.pending = undefined;
    }
  }

  /** A rate that a reload changed has a lease of its own. */
  #leaseOf(caller: string, { max, windowMs }: WindowLimit): Lease {
    const id = `${max}/${windowMs}:${caller}`;
    const known = this.#leases.get(id);
    if (known !== undefined) return known;
    const made: Lease = { left: 0, at: 0, until: 0, waiting: 0, pending: undefined };
    this.#leases.set(id, made, 1);
    return made;
  }
}

/** Ends a lease. Returns what is left of it. */
function unusedOf(lease: Lease): CountedRequests | undefined {
  const { left, at } = lease;
  lease.left = 0;
  return left === 0 ? undefined : { count: left, at };
}

/** Uses one of a lease, if one is left. */
function isUsed(lease: Lease, at: number): boolean {
  if (lease.left < 1 || at >= lease.until) return false;
  lease.left -= 1;
  return true;
}
