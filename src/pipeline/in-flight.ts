import { GatewayError } from '../core/error.ts';
import type { ApiKey } from '../core/snapshot.ts';
import { plural } from '../core/text/wording.ts';

/** Requests of one key that are in flight. */
export interface KeyInFlight {
  count: number;
}

/** Requests are counted by owner, because the displayed names of callers with tokens are cut and not unique. */
export type LimitedKey = Pick<ApiKey, 'name' | 'owner'>;

/** Requests in flight of each key, so that one key cannot use all slots. */
export interface InFlightLimiter {
  /**
   * Counts one more request of a key. The caller decrements `count` when the request has ended. Returns a promise only if
   * other processes must be queried.
   *
   * @throws GatewayError `rate_limited`
   */
  take(key: LimitedKey, limit: number): KeyInFlight | Promise<KeyInFlight>;
}

/** The error for a caller whose key has reached its limit. */
export function keyLimit(name: string, count: number): GatewayError {
  return new GatewayError('rate_limited', {
    message: `Key "${name}" has ${plural(count, 'request')} in flight, its limit.`,
    hint: 'Send the request again when others have finished. An operator can raise limits.concurrency of the key, or server.max_in_flight_per_key.',
  });
}

/** Maximum number of owners that are stored without a request in flight: tokens can name any number of callers. */
const ownersLimit = 4096;

/** Counts the requests of one process. */
export class InFlightByKey implements InFlightLimiter {
  readonly #counters = new Map<string, KeyInFlight>();

  take({ name, owner }: LimitedKey, limit: number): KeyInFlight {
    let counter = this.#counters.get(owner);
    if (counter === undefined) {
      counter = { count: 0 };
      if (this.#counters.size >= ownersLimit) this.#forgetIdle();
      this.#counters.set(owner, counter);
    }
    if (counter.count >= limit) throw keyLimit(name, counter.count);
    counter.count += 1;
    return counter;
  }

  #forgetIdle(): void {
    for (const [owner, { count }] of this.#counters) if (count === 0) this.#counters.delete(owner);
  }
}
