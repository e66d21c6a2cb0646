import { GatewayError } from '../../core/error.ts';
import { plural } from '../../core/text/wording.ts';

/** Maximum numbers of concurrent calls: of one user, and in total. */
export interface CallLimits {
  readonly ofOne: number;
  readonly ofAll: number;
  /** Maximum number of calls of one user per window; undefined for no limit. */
  readonly inWindow?: number;
}

export const callLimits = {
  signedIn: { ofOne: 16, ofAll: 64, inWindow: 600 },
  /** Clients that have not signed in have a separate limit, so that they cannot block users. Not counted: behind a proxy one could lock everybody out. */
  anonymous: { ofOne: 4, ofAll: 16 },
} as const satisfies Readonly<Record<string, CallLimits>>;
const windowMs = 10_000;

interface UserCalls {
  running: number;
  begun: number;
  since: number;
}

/** Limits concurrency and rate of admin calls, so that they never disturb traffic. */
export class CallLimiter {
  readonly #users = new Map<string, UserCalls>();
  #running = 0;
  readonly #now: () => number;
  readonly #limits: CallLimits;

  /** @param now monotonic time in milliseconds */
  constructor(now: () => number, limits: CallLimits) {
    this.#now = now;
    this.#limits = limits;
  }

  /**
   * Starts a call.
   *
   * @returns a function that ends the call; further invocations have no effect
   * @throws GatewayError `rate_limited`, `overloaded`
   */
  begin(user: string): () => void {
    const counted = this.#callsOf(user);
    if (counted.running >= this.#limits.ofOne) throw tooMany(1);
    if (counted.begun >= (this.#limits.inWindow ?? Number.POSITIVE_INFINITY))
      throw tooMany(Math.ceil((counted.since + windowMs + 1 - this.#now()) / 1000));
    if (this.#running >= this.#limits.ofAll)
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

  #callsOf(user: string): UserCalls {
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
    const made: UserCalls = { running: 0, begun: 0, since: now };
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
