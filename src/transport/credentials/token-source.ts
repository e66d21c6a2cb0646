import { createHash } from 'node:crypto';
import type { OAuthGrant } from '../../core/provider.ts';
import type { Trust } from '../../core/snapshot.ts';
import { setBounded } from '../../core/memory/set-bounded.ts';

/** A token and its expiry, in Unix milliseconds. */
export interface Token {
  readonly value: string;
  readonly expiresAt: number;
  /** When the issuer recommends renewing it; undefined if not reported. */
  readonly renewAt?: number | undefined;
}

/** Fetches tokens for one kind of grant. */
export interface TokenFetcher {
  /** @throws TokenError */
  fetch(): Promise<Token>;
  /** Called when the last token was rejected: discards cached data. */
  clearCache?(): void;
}

/** The reason why there is no token, as text that may be shown: the token endpoint's own message if it sent one. */
export class TokenError extends Error {
  /** The name of the credential's field at fault, as the configuration or the request spells it. */
  readonly field: string | undefined;
  /** The token endpoint's error code, such as `invalid_client`; undefined if a later request may succeed. */
  readonly reason: string | undefined;

  constructor(message: string, details: { cause?: unknown; field?: string | undefined; reason?: string | undefined } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.field = details.field;
    this.reason = details.reason;
  }
}

export interface TokenSourceDeps {
  /** Unix milliseconds, used only to convert the expiry of a new token. */
  now(): number;
  /** Monotonic milliseconds, for everything else. */
  monotonic(): number;
  /** In [0, 1): distributes the renewals of many gateways over time. */
  random(): number;
  /** Called when a renewal failed while the old token is still valid. */
  onFault(error: Error): void;
}

/** A token is renewed this long before it expires, with up to a minute of jitter, but not before the last quarter of a short lifetime. */
const renewEarlyMs = 300_000;
const jitterMs = 60_000;
/** A token with at least this lifetime is renewed at half of it: tokens of machine identities are valid for a day. */
const longLifetimeMs = 7_200_000;
/** Maximum lifetime of a token, whatever its issuer reports. */
const maxLifetimeMs = 366 * 86_400_000;
/** A token is not used this long before its expiry, because a request needs time to arrive. */
const marginMs = 10_000;
/** Pause after a renewal that failed or returned the same token, while the old token is valid. */
const pauseMs = 30_000;
/** A failed fetch is cached for this time, so that not each of several consecutive requests contacts the endpoint. */
const failureMs = 1000;
/** If a token younger than this is rejected, its age is not the reason. */
const freshTokenMs = 60_000;

/**
 * The token of one credential. Fetched once for all waiting requests, renewed in the background before it expires, and used until
 * its expiry if the renewal fails.
 */
export class TokenSource {
  /** The error of the last fetch; undefined if it succeeded. */
  lastError: Error | undefined;
  readonly #fetcher: TokenFetcher;
  readonly #deps: TokenSourceDeps;
  #token: Token | undefined;
  #refreshAt = 0;
  #usableUntil = 0;
  #pausedUntil = 0;
  #pendingFetch: Promise<string> | undefined;
  /** When a rejected token was replaced. */
  #replacedAt = Number.NEGATIVE_INFINITY;
  #isReplacing = false;
  /** When the last fetch failed. */
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(fetcher: TokenFetcher, deps: TokenSourceDeps) {
    this.#fetcher = fetcher;
    this.#deps = deps;
  }

  /** Returns the token, without waiting while it is valid. */
  get(): string | Promise<string> {
    const now = this.#deps.monotonic();
    if (this.#token === undefined || now >= this.#usableUntil) return this.#failure(now) ?? this.#fetch();
    if (now >= this.#refreshAt && now >= this.#pausedUntil && this.#pendingFetch === undefined) void this.#refresh(this.#token);
    return this.#token.value;
  }

  /** Discards a rejected token. True if a retry may get another one; false if a fresh token was rejected too. */
  evict(rejectedToken: string): boolean {
    if (this.#token?.value !== rejectedToken) return true;
    if (this.#deps.monotonic() - this.#replacedAt < freshTokenMs) return false;
    this.#token = undefined;
    this.#isReplacing = true;
    this.#fetcher.clearCache?.();
    return true;
  }

  /** Returns the last failure while it is recent. */
  #failure(now: number): Promise<never> | undefined {
    return this.lastError !== undefined && now - this.#failedAt < failureMs ? Promise.reject(this.lastError) : undefined;
  }

  async #refresh(old: Token): Promise<void> {
    try {
      const value = await this.#fetch();
      if (value === old.value) this.#pausedUntil = this.#deps.monotonic() + pauseMs;
    } catch (error) {
      this.#pausedUntil = this.#deps.monotonic() + pauseMs;
      this.#deps.onFault(error as Error);
    }
  }

  /** Fetches a token; concurrent callers share one fetch. */
  #fetch(): Promise<string> {
    this.#pendingFetch ??= this.#fetchOnce().finally(() => {
      this.#pendingFetch = undefined;
    });
    return this.#pendingFetch;
  }

  async #fetchOnce(): Promise<string> {
    const requested = { at: this.#deps.monotonic(), wall: this.#deps.now() };
    try {
      const token = await this.#fetcher.fetch();
      this.lastError = undefined;
      this.#store(token, requested);
      return token.value;
    } catch (error) {
      this.lastError = error as Error;
      this.#failedAt = this.#deps.monotonic();
      throw error;
    }
  }

  /** @param requested when the token was requested, by the monotonic and the wall clock */
  #store(token: Token, requested: { readonly at: number; readonly wall: number }): void {
    const left = token.expiresAt - requested.wall;
    const lifetime = left > 0 ? Math.min(left, maxLifetimeMs) : 0;
    const end = requested.at + lifetime;
    this.#token = token;
    const jitter = this.#deps.random() * jitterMs;
    const due = end - (lifetime >= longLifetimeMs ? lifetime / 2 + jitter : Math.min(renewEarlyMs + jitter, lifetime / 4));
    const renewal = token.renewAt === undefined ? 0 : token.renewAt - requested.wall;
    this.#refreshAt = renewal > 0 ? Math.min(due, requested.at + renewal) : due;
    this.#usableUntil = end - Math.min(marginMs, lifetime / 10);
    if (this.#isReplacing) this.#replacedAt = requested.at;
    this.#isReplacing = false;
  }
}

/** Maximum number of cached credentials of requests; an evicted one is fetched again when needed. */
const sourceLimit = 1024;

/** All token sources, by the content of their grant: a reload, or another provider with the same key, reuses the token. */
export class TokenSources {
  readonly #fetcher: (grant: OAuthGrant, trust: Trust) => TokenFetcher;
  readonly #deps: TokenSourceDeps;
  /** Sources of the operator's grants, held only by the credentials of the revisions in use. */
  readonly #ofOperator = new Map<string, WeakRef<TokenSource>>();
  readonly #ofRequests = new Map<string, TokenSource>();
  readonly #unused = new FinalizationRegistry<string>((key) => {
    // The same grant may be in use again, with another source.
    if (this.#ofOperator.get(key)?.deref() === undefined) this.#ofOperator.delete(key);
  });

  constructor(fetcher: (grant: OAuthGrant, trust: Trust) => TokenFetcher, deps: TokenSourceDeps) {
    this.#fetcher = fetcher;
    this.#deps = deps;
  }

  /** @param trust origin of the grant; a token of the operator's grant is never used for a request's grant */
  for(grant: OAuthGrant, trust: Trust): TokenSource {
    const key = keyOf(grant);
    const known = trust === 'operator' ? this.#ofOperator.get(key)?.deref() : this.#ofRequests.get(key);
    const source = known ?? new TokenSource(this.#fetcher(grant, trust), this.#deps);
    if (trust === 'request') return setBounded(this.#ofRequests, key, source, sourceLimit);
    if (known === undefined) {
      this.#ofOperator.set(key, new WeakRef(source));
      this.#unused.register(source, key);
    }
    return source;
  }
}

/** Uses a digest as key, so that the map contains no private keys. */
function keyOf(grant: OAuthGrant): string {
  const members = Object.entries(grant)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(members)).digest('base64');
}
