import { GatewayError } from '../../core/error.ts';

/** Failed sign-ins of one address within a minute. */
const mostOfOne = 10;
const windowMs = 60_000;
const mostAddresses = 1000;

/** Slows guessing down: an address that has failed too often waits. Others do not: nobody can lock everybody out. */
export class Throttle {
  readonly #failures = new Map<string, number[]>();
  readonly #now: () => number;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds to wait; 0 where the address may try. */
  wait(address: string): number {
    const now = this.#now();
    const own = recent(this.#failures.get(address) ?? [], now);
    return own.length < mostOfOne ? 0 : Math.max(1, (own[0] ?? now) + windowMs - now);
  }

  failed(address: string): void {
    const now = this.#now();
    const own = recent(this.#failures.get(address) ?? [], now);
    own.push(now);
    this.#failures.delete(address);
    this.#failures.set(address, own);
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= mostAddresses) break;
      this.#failures.delete(oldest);
    }
  }
}

const recent = (times: readonly number[], now: number): number[] => times.filter((at) => now - at < windowMs);

/** After too many wrong tokens. @param waitMs until the next try */
export function tooMany(waitMs: number): GatewayError {
  const waitS = Math.ceil(waitMs / 1000);
  return new GatewayError('rate_limited', {
    message: 'Too many failed sign-ins from this address.',
    hint: `Try again in ${waitS} seconds.`,
    waitS,
  });
}
