import { parseJson } from '../../core/json/scan.ts';
import type { GatewayError } from '../../core/error.ts';
import type { Trust } from '../../core/snapshot.ts';
import { FetchFault, fetchWhole } from '../outbound/fetch-whole.ts';
import type { Upstream } from '../outbound/upstream.ts';

/** Why there are no keys, in words that may be shown to operators. */
class JwksError extends Error {}

export interface JwksDeps {
  readonly upstream: Upstream;
  checkEgress(origin: string, trust: Trust): GatewayError | undefined;
  /** Unix milliseconds: what tokens are measured against. */
  now(): number;
  /** Milliseconds that only go forward: the age of a set. */
  monotonic(): number;
  /** A set could not be fetched; the one before serves, if there is one. */
  onFault(error: Error): void;
}

/** One version of a set of keys: compiled once, exchanged whole. */
export interface KeySet<Keys> {
  readonly keys: Keys;
}

/** A set is looked at again after this long, in the background. */
export const freshMs = 600_000;
/** While the URL is down a set serves this long after it was fetched: a day to repair it, not for ever. */
const staleMs = 86_400_000;
/** Between two fetches for keys that are not there: a flood of unknown key ids must not become a flood of fetches. */
const cooldownMs = 30_000;
/** After one that failed. */
const retryMs = 5_000;
const limits = { connectMs: 5000, totalMs: 10_000, maxBytes: 1024 * 1024, trust: 'operator' } as const;

/**
 * The keys of one issuer, fetched when a token first needs them: one fetch for all who wait, kept for a day while the URL is down,
 * fetched again when a token names a key that is not there.
 *
 * @typeParam Keys what a set is compiled to
 */
export class FetchedKeys<Keys> {
  readonly #url: string;
  readonly #compile: (set: unknown) => Promise<Keys>;
  readonly #deps: JwksDeps;
  #set: KeySet<Keys> | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  /** When the last fetch failed. */
  #failedAt = Number.NEGATIVE_INFINITY;
  /** When a key was last looked for that was not there. A key may well be new right behind an ordinary fetch. */
  #soughtAt = Number.NEGATIVE_INFINITY;
  #lastError: Error | undefined;
  #flight: Promise<KeySet<Keys>> | undefined;

  /** @param compile reads a parsed set; rejects with an Error whose message may be shown when it is none */
  constructor(url: string, compile: (set: unknown) => Promise<Keys>, deps: JwksDeps) {
    this.#url = url;
    this.#compile = compile;
    this.#deps = deps;
  }

  /** The set, at once where one is known. Rejects with JwksError. */
  async get(): Promise<KeySet<Keys>> {
    const set = this.#set;
    const now = this.#deps.monotonic();
    if (set === undefined || now - this.#fetchedAt >= staleMs) return this.#isResting(now) ? this.#refuse() : this.#fetch();
    if (now - this.#fetchedAt >= freshMs && !this.#isResting(now)) void this.#fetch().catch(() => undefined);
    return set;
  }

  /** A newer set than this one, in which the key was not found: undefined where none may be fetched, or none can be. */
  async newer(than: KeySet<Keys>): Promise<KeySet<Keys> | undefined> {
    if (this.#set !== than) return this.#set;
    const now = this.#deps.monotonic();
    if (this.#flight === undefined) {
      if (this.#isResting(now) || now - this.#soughtAt < cooldownMs) return undefined;
      this.#soughtAt = now;
    }
    return this.#fetch().catch(() => undefined);
  }

  /** After a fetch that failed. */
  #isResting(now: number): boolean {
    return this.#flight === undefined && this.#lastError !== undefined && now - this.#failedAt < retryMs;
  }

  /** While the URL is down its silence is remembered, so that each request does not wait for it again. */
  #refuse(): never {
    throw this.#lastError ?? new JwksError('the keys could not be fetched');
  }

  #fetch(): Promise<KeySet<Keys>> {
    this.#flight ??= this.#fetchOnce().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  async #fetchOnce(): Promise<KeySet<Keys>> {
    const begun = this.#deps.monotonic();
    try {
      const set = { keys: await this.#compile(await this.#download()) };
      this.#set = set;
      this.#fetchedAt = begun;
      this.#lastError = undefined;
      return set;
    } catch (cause) {
      const error =
        cause instanceof JwksError
          ? cause
          : new JwksError(`the response is not a JSON Web Key Set: ${(cause as Error).message}`, { cause });
      this.#lastError = error;
      this.#failedAt = this.#deps.monotonic();
      this.#deps.onFault(error);
      throw error;
    }
  }

  async #download(): Promise<unknown> {
    const url = new URL(this.#url);
    const refusal = this.#deps.checkEgress(url.origin, 'operator');
    if (refusal !== undefined) throw new JwksError(refusal.message, { cause: refusal });
    const request = {
      method: 'GET',
      origin: url.origin,
      path: url.pathname + url.search,
      headers: ['accept', 'application/json'],
      body: { kind: 'none' },
    } as const;
    const answer = await fetchWhole(this.#deps.upstream, { ...request, headers: [...request.headers] }, limits).catch((fault: unknown) => {
      throw new JwksError(`${url.host}: ${fault instanceof FetchFault ? fault.message : 'the request failed'}`, { cause: fault });
    });
    if (answer.status !== 200) throw new JwksError(`${url.host} answered ${answer.status}`);
    try {
      return parseJson(answer.body.toString('utf8'));
    } catch {
      throw new JwksError(`${url.host} returned something that is not JSON`);
    }
  }
}
