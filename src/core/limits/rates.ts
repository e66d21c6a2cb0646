import { BoundedCache } from '../memory/bounded-cache.ts';
import type { WindowLimit } from './caller-limits.ts';
import { SlidingWindow } from './sliding-window.ts';

/** Counts the requests of callers against their rates. */
export interface RateLimiter {
  /**
   * Counts one request. Returns the milliseconds until it is worthwhile to send it again, or 0 if it is accepted. A promise
   * only if another process must be queried.
   *
   * @param caller an id
   * @throws GatewayError `overloaded` if the other process does not respond
   */
  take(caller: string, rate: WindowLimit): number | Promise<number>;
}

/** Requests that were counted before they arrived. */
export interface CountedRequests {
  readonly count: number;
  /** When they were counted, in Unix milliseconds. */
  readonly at: number;
}

/** What a process may use of a rate. */
export interface RateGrant extends CountedRequests {
  /** If the count is 0: milliseconds until a request is accepted. */
  readonly waitMs: number;
}

/** Maximum callers whose use is kept in memory. Tokens can name any number of them; one that is forgotten begins anew. */
export const maxCallers = 20_000;

/** The ID under which the requests of a caller are counted for a plugin. */
export const ratedCaller = (plugin: string, caller: string): string => `${plugin}:${caller}`;

/** The requests of callers, counted by the only process that does, so that no rate is ever exceeded. */
export class Rates implements RateLimiter {
  /** For each caller, a window of each length that its rate had: a reload may change it. */
  readonly #windows = new BoundedCache<SlidingWindow[]>(maxCallers);
  readonly #now: () => number;

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** What counts against a rate now, rounded up: a request is accepted while this is less than its maximum. */
  used(caller: string, { windowMs }: WindowLimit): number {
    const window = this.#windows.get(caller)?.find((one) => one.windowMs === windowMs);
    return window === undefined ? 0 : Math.ceil(window.used(this.#now()));
  }

  take(caller: string, rate: WindowLimit): number {
    return this.grant(caller, rate, 1).waitMs;
  }

  /**
   * Counts up to `most` requests, as many as the rate allows. They count now, not when they arrived: one may arrive long
   * before an attempt uses a virtual key, and a time before the last window would look like a clock that was set back.
   *
   * @param unused of an earlier grant: they do not count any more
   */
  grant(caller: string, { max, windowMs }: WindowLimit, most: number, unused?: CountedRequests): RateGrant {
    const at = this.#now();
    const window = this.#windowOf(caller, windowMs);
    if (unused !== undefined) window.takeBack(unused.count, unused.at);
    const count = Math.min(most, Math.floor(max - window.used(at)));
    if (count < 1) return { count: 0, at, waitMs: window.wait(max - 1, at) };
    window.add(count, at);
    return { count, at, waitMs: 0 };
  }

  #windowOf(caller: string, windowMs: number): SlidingWindow {
    let windows = this.#windows.get(caller);
    if (windows === undefined) this.#windows.set(caller, (windows = []), 1);
    let window = windows.find((one) => one.windowMs === windowMs);
    if (window === undefined) windows.push((window = new SlidingWindow(windowMs)));
    return window;
  }
}
