import { emptyBody } from '../../core/json/body.ts';
import { parseJson } from '../../core/json/scan.ts';
import type { GatewayError } from '../../core/error.ts';
import type { Trust } from '../../core/snapshot.ts';
import { FetchFault, fetchResponse } from '../outbound/fetch-response.ts';
import type { Upstream } from '../outbound/upstream.ts';
import type { WireRequest } from '../wire/request.ts';

/** The reason why there are no keys, as text that may be shown to operators. */
class JwksError extends Error {}

export interface JwksDeps {
  readonly upstream: Upstream;
  checkEgress(origin: string, trust: Trust): GatewayError | undefined;
  /** Unix milliseconds, for the times in tokens. */
  now(): number;
  /** Monotonic milliseconds, for the age of a set. */
  monotonic(): number;
  /** Called when a set could not be fetched. The previous set, if any, remains in use. */
  onFault(error: Error): void;
}

/** One version of a key set: compiled once, replaced as a whole. */
export interface KeySetVersion<Keys> {
  readonly keys: Keys;
}

/** A set is refreshed in the background after this time. */
export const freshMs = 600_000;
/** Maximum age of a set while its URL is unreachable: one day to repair it. */
const staleMs = 86_400_000;
/** Minimum interval between two fetches for missing keys, so that a flood of unknown key ids does not cause a flood of fetches. */
const cooldownMs = 30_000;
/** Minimum interval after a failed fetch. */
const retryMs = 5_000;
const limits = { connectMs: 5000, totalMs: 10_000, maxBytes: 1024 * 1024, trust: 'operator' } as const;

/**
 * The keys of one issuer. Fetched when a token first needs them, with a single fetch for all waiting requests; kept for a day
 * while the URL is unreachable; fetched again when a token names an unknown key.
 *
 * @typeParam Keys the compiled form of a set
 */
export class RemoteKeySet<Keys> {
  readonly #url: string;
  readonly #compile: (set: unknown) => Promise<Keys>;
  readonly #deps: JwksDeps;
  #set: KeySetVersion<Keys> | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  /** When the last fetch failed. */
  #failedAt = Number.NEGATIVE_INFINITY;
  /** When a set was last fetched for a missing key. Ordinary fetches don't count, because a key may be added right after one. */
  #missingKeyFetchedAt = Number.NEGATIVE_INFINITY;
  #lastError: Error | undefined;
  #pendingFetch: Promise<KeySetVersion<Keys>> | undefined;

  /** @param compile compiles a parsed set; rejects invalid ones with an Error whose message may be shown */
  constructor(url: string, compile: (set: unknown) => Promise<Keys>, deps: JwksDeps) {
    this.#url = url;
    this.#compile = compile;
    this.#deps = deps;
  }

  /** Returns the set, without waiting if one is known. Rejects with JwksError. */
  async get(): Promise<KeySetVersion<Keys>> {
    const set = this.#set;
    const now = this.#deps.monotonic();
    if (set === undefined || now - this.#fetchedAt >= staleMs) return this.#isBackingOff(now) ? this.#throwLastError() : this.#fetch();
    if (now - this.#fetchedAt >= freshMs && !this.#isBackingOff(now)) void this.#fetch().catch(() => undefined);
    return set;
  }

  /** Returns a newer set than the given one, which lacks a key; undefined if a fetch is not allowed yet or fails. */
  async newer(than: KeySetVersion<Keys>): Promise<KeySetVersion<Keys> | undefined> {
    if (this.#set !== than) return this.#set;
    const now = this.#deps.monotonic();
    if (this.#pendingFetch === undefined) {
      if (this.#isBackingOff(now) || now - this.#missingKeyFetchedAt < cooldownMs) return undefined;
      this.#missingKeyFetchedAt = now;
    }
    return this.#fetch().catch(() => undefined);
  }

  /** True shortly after a failed fetch. */
  #isBackingOff(now: number): boolean {
    return this.#pendingFetch === undefined && this.#lastError !== undefined && now - this.#failedAt < retryMs;
  }

  /** While the URL is unreachable the error is cached, so that not every request waits for a timeout. */
  #throwLastError(): never {
    throw this.#lastError ?? new JwksError('the keys could not be fetched');
  }

  #fetch(): Promise<KeySetVersion<Keys>> {
    this.#pendingFetch ??= this.#fetchOnce().finally(() => {
      this.#pendingFetch = undefined;
    });
    return this.#pendingFetch;
  }

  async #fetchOnce(): Promise<KeySetVersion<Keys>> {
    const begun = this.#deps.monotonic();
    try {
      const set = { keys: await this.#compile(await this.#download()) };
      this.#set = set;
      this.#fetchedAt = begun;
      this.#lastError = undefined;
      return set;
    } catch (cause) {
      const error = cause instanceof JwksError ? cause : new JwksError('the key set cannot be used', { cause });
      this.#lastError = error;
      this.#failedAt = this.#deps.monotonic();
      this.#deps.onFault(error);
      throw error;
    }
  }

  async #download(): Promise<unknown> {
    const url = new URL(this.#url);
    const refusal = this.#deps.checkEgress(url.origin, 'operator');
    if (refusal !== undefined) throw new JwksError(refusal.message);
    const headers = ['accept', 'application/json'];
    const request: WireRequest = { method: 'GET', origin: url.origin, path: url.pathname + url.search, headers, body: emptyBody };
    const answer = await fetchResponse(this.#deps.upstream, request, limits).catch((fault: unknown) => {
      // The log appends the texts of causes to the message.
      if (!(fault instanceof FetchFault)) throw new JwksError(`${url.host}: the request failed`, { cause: fault });
      throw new JwksError(`${url.host}: ${fault.message}`, { cause: fault.cause });
    });
    if (answer.status !== 200) throw new JwksError(`${url.host} returned ${answer.status}`);
    try {
      return parseJson(answer.body.toString('utf8'));
    } catch {
      throw new JwksError(`${url.host} returned something that is not JSON`);
    }
  }
}
