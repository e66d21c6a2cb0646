import { GatewayError } from '../../core/error.ts';

/** Maximum number of failed sign-ins of one address per minute. */
const maxFailures = 10;
const windowMs = 60_000;
const maxAddresses = 1000;
/** Length in characters from which a token cannot be guessed. */
const unguessableLength = 32;

/**
 * Limits token guessing: after too many failures, an address must wait. Other addresses are not affected, and
 * neither are long tokens, so that no attacker can lock out other users, even behind a proxy where all clients have the
 * same address.
 */
export class SignInThrottle {
  readonly #failures = new Map<string, number[]>();
  readonly #now: () => number;

  /** @param now monotonic time in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds to wait; 0 if the address may try this token now. */
  waitMs(address: string, token: string): number {
    if (token.length >= unguessableLength) return 0;
    const now = this.#now();
    const failures = withinWindow(this.#failures.get(address) ?? [], now);
    return failures.length < maxFailures ? 0 : Math.max(1, (failures[0] ?? now) + windowMs - now);
  }

  recordFailure(address: string, token: string): void {
    if (token.length >= unguessableLength) return;
    const now = this.#now();
    const failures = withinWindow(this.#failures.get(address) ?? [], now);
    failures.push(now);
    this.#failures.delete(address);
    this.#failures.set(address, failures);
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= maxAddresses) break;
      this.#failures.delete(oldest);
    }
  }
}

const withinWindow = (times: readonly number[], now: number): number[] => times.filter((at) => now - at < windowMs);

/** Error after too many wrong tokens. @param waitMs milliseconds until the next try */
export function tooManyFailures(waitMs: number): GatewayError {
  const waitS = Math.ceil(waitMs / 1000);
  return new GatewayError('rate_limited', {
    message: 'Too many failed sign-ins from this address.',
    hint: `Try again in ${waitS} seconds.`,
    waitS,
  });
}
