import { GatewayError } from '../../core/error.ts';
import { plural } from '../../core/text/plural.ts';

/** Maximum numbers of concurrent calls: of one user, and in total. */
export interface CallBounds {
  readonly ofOne: number;
  readonly ofAll: number;
  /** Maximum number of calls of one user per window; undefined for no limit. */
  readonly inWindow?: number;
}

export const bounds = {
  users: { ofOne: 16, ofAll: 64, inWindow: 600 },
  /** Clients that have not signed in have a separate limit, so that they cannot block users. Not counted: behind a proxy one could lock everybody out. */
  strangers: { ofOne: 4, ofAll: 16 },
} as const satisfies Readonly<Record<string, CallBounds>>;
const windowMs = 10_000;

interface Counted {
  running: number;
  begun: number;
  since: number;
}

/** Limits concurrency and rate of admin calls, so that they never disturb traffic. */
export class Calls {
  readonly #users = new Map<string, Counted>();
  #running = 0;
  readonly #now: () => number;
  readonly #bounds: CallBounds;

  /** @param now monotonic time in milliseconds */
  constructor(now: () => number, most: CallBounds) {
    this.#now = now;
    this.#bounds = most;
  }

  /**
   * Starts a call.
   *
   * @returns a function that ends the call; further invocations have no effect
   * @throws GatewayError `rate_limited`, `overloaded`
   */
  begin(user: string): () => void {
    const counted = this.#of(user);
    if (counted.running >= this.#bounds.ofOne) throw tooMany(1);
    if (counted.begun >= (this.#bounds.inWindow ?? Number.POSITIVE_INFINITY))
      throw tooMany(Math.ceil((counted.since + windowMs + 1 - this.#now()) / 1000));
    if (this.#running >= this.#bounds.ofAll)
      throw new GatewayError('overloaded', { message: 'The admin API is busy.', hint: 'Try again in a second.' });
    counted.running += 1;
    counted.begun += 1;
    this.#running += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      counted.running -= 1;
      this.#running -= 1;
    };
  }

  #of(user: string): Counted {
    const now = this.#now();
    const found = this.#users.get(user);
    if (found !== undefined) {
      if (now - found.since > windowMs) {
        found.since = now;
        found.begun = 0;
      }
      return found;
    }
    // Users without running calls are removed when the map is large.
    if (this.#users.size >= 256) for (const [name, one] of this.#users) if (one.running === 0) this.#users.delete(name);
    const made: Counted = { running: 0, begun: 0, since: now };
    this.#users.set(user, made);
    return made;
  }
}

const tooMany = (waitS: number): GatewayError =>
  new GatewayError('rate_limited', {
    message: 'Too many calls to the admin API.',
    hint: `Try again in ${plural(waitS, 'second')}.`,
    waitS,
  });
