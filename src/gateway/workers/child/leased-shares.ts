import { GatewayError } from '../../../core/error.ts';
import { keyLimit, type KeyInFlight, type ShareOf, type Shares } from '../../../pipeline/in-flight.ts';

/** What one key has in flight in this process, and what was lent to it. */
interface Lease extends KeyInFlight {
  granted: number;
  /** The limit of the key when something was lent last. */
  limit: number;
  asking: Promise<number> | undefined;
}

/** Owners that are remembered at most while nothing of theirs is in flight. */
const ownersLimit = 4096;

/** Milliseconds that a request waits for the supervisor. */
const askMs = 5000;

/** How the supervisor is reached. */
export interface Lender {
  /** Resolves to how many more of this key may be in flight here: 0 where the limit is reached. */
  ask(owner: string, limit: number): Promise<number>;
  giveBack(owner: string, count: number): void;
}

/**
 * What keys have in flight, in one of several processes: within what the supervisor has lent nobody is asked, and
 * beyond it a request waits for one exchange of messages.
 */
export class LeasedShares implements Shares {
  readonly #lender: Lender;
  readonly #leases = new Map<string, Lease>();

  constructor(lender: Lender) {
    this.#lender = lender;
  }

  take(key: ShareOf, limit: number): KeyInFlight | Promise<KeyInFlight> {
    if (limit === Number.POSITIVE_INFINITY) return { count: 1 };
    const lease = this.#of(key.owner, limit);
    return lease.count < Math.min(lease.granted, limit) ? counted(lease) : this.#more(lease, key, limit);
  }

  /** Gives back what is not in use, since the supervisor needs it. */
  spare(owner: string): void {
    const lease = this.#leases.get(owner);
    if (lease !== undefined) this.#giveBack(owner, lease);
  }

  #giveBack(owner: string, lease: Lease): void {
    const spare = Math.max(0, lease.granted - lease.count);
    lease.granted -= spare;
    if (spare > 0) this.#lender.giveBack(owner, spare);
  }

  async #more(lease: Lease, { name, owner }: ShareOf, limit: number): Promise<KeyInFlight> {
    for (;;) {
      lease.asking ??= this.#ask(lease, owner, limit);
      const got = await inTime(lease.asking, name);
      if (lease.count < Math.min(lease.granted, limit)) return counted(lease);
      if (got === 0) throw keyLimit(name, limit);
    }
  }

  async #ask(lease: Lease, owner: string, limit: number): Promise<number> {
    try {
      const got = await this.#lender.ask(owner, limit);
      lease.granted += got;
      if (got > 0) lease.limit = limit;
      return got;
    } finally {
      lease.asking = undefined;
    }
  }

  #of(owner: string, limit: number): Lease {
    const known = this.#leases.get(owner);
    if (known !== undefined) {
      // A reload changed it: each worker could fill the new limit alone with what it was lent under the old one. The supervisor lends
      // again when all of them together have less.
      if (known.limit !== limit) this.#giveBack(owner, known);
      return known;
    }
    if (this.#leases.size >= ownersLimit) this.#forgetIdle();
    const made: Lease = { count: 0, granted: 0, limit, asking: undefined };
    this.#leases.set(owner, made);
    return made;
  }

  #forgetIdle(): void {
    for (const [owner, lease] of this.#leases) {
      if (lease.count > 0 || lease.asking !== undefined) continue;
      this.#leases.delete(owner);
      this.#giveBack(owner, lease);
    }
  }
}

/** What comes later is still lent to this process, and serves the next request. */
async function inTime(asking: Promise<number>, name: string): Promise<number> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `The gateway could not find out in time how many requests key "${name}" has in flight.`;
    late.reject(new GatewayError('overloaded', { message, hint: 'Send the request again.' }));
  }, askMs);
  try {
    return await Promise.race([asking, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function counted(lease: Lease): KeyInFlight {
  lease.count += 1;
  return lease;
}
