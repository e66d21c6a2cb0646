import { GatewayError } from '../../../core/error.ts';
import { keyLimit, type KeyInFlight, type Shares } from '../../../pipeline/in-flight.ts';

/** What one key has in flight in this process, and what was lent to it. */
interface Lease extends KeyInFlight {
  granted: number;
  /** The limit of the key that it was lent under. */
  limit: number;
  asking: Promise<number> | undefined;
}

/** Names that are remembered at most while nothing of them is in flight. */
const namesLimit = 4096;

/** Milliseconds that a request waits for the supervisor. */
const askMs = 5000;

/** How the supervisor is reached. */
export interface Lender {
  /** Resolves to how many more of this key may be in flight here: 0 where the limit is reached. */
  ask(name: string, limit: number): Promise<number>;
  giveBack(name: string, count: number): void;
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

  take(name: string, limit: number): KeyInFlight | Promise<KeyInFlight> {
    if (limit === Number.POSITIVE_INFINITY) return { count: 1 };
    const lease = this.#of(name, limit);
    return lease.count < Math.min(lease.granted, limit) ? counted(lease) : this.#more(lease, name, limit);
  }

  /** Gives back what is not in use, since the supervisor needs it. */
  spare(name: string): void {
    const lease = this.#leases.get(name);
    if (lease !== undefined) this.#giveBack(name, lease);
  }

  #giveBack(name: string, lease: Lease): void {
    const spare = Math.max(0, lease.granted - lease.count);
    lease.granted -= spare;
    if (spare > 0) this.#lender.giveBack(name, spare);
  }

  async #more(lease: Lease, name: string, limit: number): Promise<KeyInFlight> {
    for (;;) {
      lease.asking ??= this.#ask(lease, name, limit);
      const got = await inTime(lease.asking, name);
      if (lease.count < Math.min(lease.granted, limit)) return counted(lease);
      if (got === 0) throw keyLimit(name, limit);
    }
  }

  async #ask(lease: Lease, name: string, limit: number): Promise<number> {
    try {
      const got = await this.#lender.ask(name, limit);
      lease.granted += got;
      return got;
    } finally {
      lease.asking = undefined;
    }
  }

  #of(name: string, limit: number): Lease {
    const known = this.#leases.get(name);
    if (known !== undefined) {
      // A reload changed it: each worker could fill the new limit alone with what it was lent under the old one.
      if (known.limit !== limit) this.#giveBack(name, known);
      known.limit = limit;
      return known;
    }
    if (this.#leases.size >= namesLimit) this.#forgetIdle();
    const made: Lease = { count: 0, granted: 0, limit, asking: undefined };
    this.#leases.set(name, made);
    return made;
  }

  #forgetIdle(): void {
    for (const [name, lease] of this.#leases) {
      if (lease.count > 0 || lease.asking !== undefined) continue;
      this.#leases.delete(name);
      this.#giveBack(name, lease);
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
