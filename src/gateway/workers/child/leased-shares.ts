import { withTimeout } from '../../../core/async/with-timeout.ts';
import { GatewayError } from '../../../core/error.ts';
import { keyLimit, type KeyInFlight, type LimitedKey, type InFlightLimiter } from '../../../pipeline/in-flight.ts';

/** In-flight count of one key in this process, and the number leased to it. */
interface Lease extends KeyInFlight {
  granted: number;
  /** Limit of the key at the time of the last lease. */
  limit: number;
  pending: Promise<number> | undefined;
}

/** When this many owners are known, the idle ones are removed. */
const ownersLimit = 4096;

/** Milliseconds that a request waits for the supervisor. */
const leaseTimeoutMs = 5000;

/** Access to the supervisor. */
export interface LeaseClient {
  /** Resolves to the number of additional requests of this key that this process may run: 0 if the limit is reached. */
  ask(owner: string, limit: number): Promise<number>;
  giveBack(owner: string, count: number): void;
}

/**
 * In-flight requests per key in one of several processes. Within its lease a process decides alone; beyond it, a
 * request waits for one round trip to the supervisor.
 */
export class LeasedShares implements InFlightLimiter {
  readonly #leaseClient: LeaseClient;
  readonly #leases = new Map<string, Lease>();

  constructor(lender: LeaseClient) {
    this.#leaseClient = lender;
  }

  take(key: LimitedKey, limit: number): KeyInFlight | Promise<KeyInFlight> {
    if (limit === Number.POSITIVE_INFINITY) return { count: 1 };
    const lease = this.#leaseOf(key.owner, limit);
    return lease.count < Math.min(lease.granted, limit) ? counted(lease) : this.#takeWithLease(lease, key, limit);
  }

  /** Returns the unused part of a lease, because the supervisor needs it. */
  returnUnused(owner: string): void {
    const lease = this.#leases.get(owner);
    if (lease !== undefined) this.#giveBack(owner, lease);
  }

  #giveBack(owner: string, lease: Lease): void {
    const spare = Math.max(0, lease.granted - lease.count);
    lease.granted -= spare;
    if (spare > 0) this.#leaseClient.giveBack(owner, spare);
  }

  async #takeWithLease(lease: Lease, { name, owner }: LimitedKey, limit: number): Promise<KeyInFlight> {
    for (;;) {
      lease.pending ??= this.#requestLease(lease, owner, limit);
      // A lease that arrives late still belongs to this process and serves the next request.
      const got = await withTimeout(lease.pending, leaseTimeoutMs, () => {
        const message = `The gateway could not determine in time how many requests of key "${name}" are in flight.`;
        throw new GatewayError('overloaded', { message, hint: 'Send the request again.' });
      });
      if (lease.count < Math.min(lease.granted, limit)) return counted(lease);
      if (got === 0) throw keyLimit(name, limit);
    }
  }

  async #requestLease(lease: Lease, owner: string, limit: number): Promise<number> {
    try {
      const got = await this.#leaseClient.ask(owner, limit);
      lease.granted += got;
      if (got > 0) lease.limit = limit;
      return got;
    } finally {
      lease.pending = undefined;
    }
  }

  #leaseOf(owner: string, limit: number): Lease {
    const known = this.#leases.get(owner);
    if (known !== undefined) {
      // A reload changed the limit: with leases granted under the old one, each worker could use up the new limit
      // alone. The supervisor grants new leases once the total of all workers is below it.
      if (known.limit !== limit) this.#giveBack(owner, known);
      return known;
    }
    if (this.#leases.size >= ownersLimit) this.#forgetIdle();
    const made: Lease = { count: 0, granted: 0, limit, pending: undefined };
    this.#leases.set(owner, made);
    return made;
  }

  #forgetIdle(): void {
    for (const [owner, lease] of this.#leases) {
      if (lease.count > 0 || lease.pending !== undefined) continue;
      this.#leases.delete(owner);
      this.#giveBack(owner, lease);
    }
  }
}

function counted(lease: Lease): KeyInFlight {
  lease.count += 1;
  return lease;
}
