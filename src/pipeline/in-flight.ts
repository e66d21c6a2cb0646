import { GatewayError } from '../core/error.ts';
import type { ApiKey } from '../core/snapshot.ts';

/** Requests of one key that are in flight. */
export interface KeyInFlight {
  count: number;
}

/** Requests are counted by owner, because the displayed names of callers with tokens are cut and not unique. */
export type ShareOf = Pick<ApiKey, 'name' | 'owner'>;

/** Requests in flight of each key, so that one key cannot use all slots. */
export interface Shares {
  /**
   * Counts one more request of a key. The caller decrements `count` when the request has ended. Returns a promise only if
   * other processes must be queried.
   *
   * @throws GatewayError `rate_limited`
   */
  take(key: ShareOf, limit: number): KeyInFlight | Promise<KeyInFlight>;
}

/** The error for a caller whose key has reached its limit. */
export function keyLimit(name: string, count: number): GatewayError {
  return new GatewayError('rate_limited', {
    message: `Key "${name}" has ${count} requests in flight, its limit.`,
    hint: 'Send the request again when others have finished, or raise server.max_in_flight_per_key.',
  });
}

/** Maximum number of owners that are stored without a request in flight: tokens can name any number of callers. */
const ownersLimit = 4096;

/** Counts the requests of one process. */
export class InFlightByKey implements Shares {
  readonly #shares = new Map<string, KeyInFlight>();

  take({ name, owner }: ShareOf, limit: number): KeyInFlight {
    let share = this.#shares.get(owner);
    if (share === undefined) {
      share = { count: 0 };
      if (this.#shares.size >= ownersLimit) this.#forgetIdle();
      this.#shares.set(owner, share);
    }
    if (share.count >= limit) throw keyLimit(name, share.count);
    share.count += 1;
    return share;
  }

  #forgetIdle(): void {
    for (const [owner, { count }] of this.#shares) if (count === 0) this.#shares.delete(owner);
  }
}
