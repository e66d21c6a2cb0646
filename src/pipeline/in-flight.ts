import { GatewayError } from '../core/error.ts';

/** Requests of one key that are in flight. */
export interface KeyInFlight {
  count: number;
}

/** Names that are remembered at most while nothing of them is in flight: tokens name callers without number. */
const namesLimit = 4096;

/** What each key has in flight, so that one of them leaves room for the others. */
export class InFlightByKey {
  readonly #shares = new Map<string, KeyInFlight>();

  /**
   * Counts one more request of a key; whoever takes it lowers `count` again when the request is over.
   * @throws GatewayError `rate_limited`
   */
  take(name: string, limit: number): KeyInFlight {
    let share = this.#shares.get(name);
    if (share === undefined) {
      share = { count: 0 };
      if (this.#shares.size >= namesLimit) this.#forgetIdle();
      this.#shares.set(name, share);
    }
    if (share.count >= limit) {
      throw new GatewayError('rate_limited', {
        message: `Key "${name}" has ${share.count} requests in flight, its limit.`,
        hint: 'Send the request again when others have finished. Setting: server.max_in_flight_per_key',
      });
    }
    share.count += 1;
    return share;
  }

  #forgetIdle(): void {
    for (const [name, { count }] of this.#shares) if (count === 0) this.#shares.delete(name);
  }
}
