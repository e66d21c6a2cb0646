import { GatewayError } from '../core/error.ts';

/** Requests of one key that are in flight. */
export interface KeyInFlight {
  count: number;
}

/** What each key has in flight, so that one of them leaves room for the others. */
export interface Shares {
  /**
   * Counts one more request of a key; whoever takes it lowers `count` again when the request is over. A promise only
   * where other processes must be asked.
   *
   * @throws GatewayError `rate_limited`
   */
  take(name: string, limit: number): KeyInFlight | Promise<KeyInFlight>;
}

/** What is said to a caller whose key has its limit in flight. */
export function keyLimit(name: string, count: number): GatewayError {
  return new GatewayError('rate_limited', {
    message: `Key "${name}" has ${count} requests in flight, its limit.`,
    hint: 'Send the request again when others have finished. Setting: server.max_in_flight_per_key',
  });
}

/** Names that are remembered at most while nothing of them is in flight: tokens name callers without number. */
const namesLimit = 4096;

/** Of one process. */
export class InFlightByKey implements Shares {
  readonly #shares = new Map<string, KeyInFlight>();

  take(name: string, limit: number): KeyInFlight {
    let share = this.#shares.get(name);
    if (share === undefined) {
      share = { count: 0 };
      if (this.#shares.size >= namesLimit) this.#forgetIdle();
      this.#shares.set(name, share);
    }
    if (share.count >= limit) throw keyLimit(name, share.count);
    share.count += 1;
    return share;
  }

  #forgetIdle(): void {
    for (const [name, { count }] of this.#shares) if (count === 0) this.#shares.delete(name);
  }
}
