import { createHash } from 'node:crypto';
import type { OAuthGrant } from '../../core/provider.ts';
import type { Trust } from '../../core/snapshot.ts';
import { remember } from '../../core/memory/recent.ts';

/** A token and the end of its life, in Unix milliseconds. */
export interface Token {
  readonly value: string;
  readonly expiresAt: number;
  /** When its issuer wants it renewed; undefined where it doesn't say. */
  readonly renewAt?: number | undefined;
}

/** Gets tokens of one kind of grant. */
export interface TokenFetcher {
  /** @throws TokenError */
  fetch(): Promise<Token>;
  /** The last token was refused: whatever is remembered of it must go. */
  forget?(): void;
}

/** Why there is no token, in words that may be shown: the token endpoint's own where it said something. */
export class TokenError extends Error {
  /** The field of the credential at fault, as whoever wrote it calls it. */
  readonly field: string | undefined;
  /** The token endpoint's own word for it, such as `invalid_client`. */
  readonly reason: string | undefined;

  constructor(message: string, details: { cause?: unknown; field?: string | undefined; reason?: string | undefined } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.field = details.field;
    this.reason = details.reason;
  }
}

export interface TokenSourceDeps {
  /** Unix milliseconds: what the ends of tokens are measured against, once, when they come. */
  now(): number;
  /** Milliseconds that only go forward: everything else. */
  monotonic(): number;
  /** In [0, 1): spreads the refreshes of many gateways. */
  random(): number;
  /** A refresh failed while the old token still serves. */
  onFault(error: Error): void;
}

/** A token is renewed this long before it ends, and up to a minute earlier: or in the last quarter of a short life. */
const earlyMs = 300_000;
const jitterMs = 60_000;
/** A token that lives this long is renewed at half its life: identities of machines last a day. */
const longLifeMs = 7_200_000;
/** No token lives longer, whatever its issuer says. */
const longestLifeMs = 366 * 86_400_000;
/** And not used any more this long before its end: a request takes its time to arrive. */
const marginMs = 10_000;
/** After a refresh that failed or brought nothing new, while the old token serves. */
const pauseMs = 30_000;
/** A fetch that failed is the answer for so long: requests that come one after the other must not all ask the endpoint. */
const failureMs = 1000;
/** A token that is as young as this and refused is not refused for its age. */
const youngMs = 60_000;

/**
 * One credential's token: fetched once for all who wait, renewed in the background before it ends, and used as long
 * as it lives when the renewal fails.
 */
export class TokenSource {
  /** Why the last fetch failed; undefined when it did not. */
  lastError: Error | undefined;
  readonly #fetcher: TokenFetcher;
  readonly #deps: TokenSourceDeps;
  #token: Token | undefined;
  #refreshAt = 0;
  #usableUntil = 0;
  #pausedUntil = 0;
  #flight: Promise<string> | undefined;
  /** When a refused token was replaced. */
  #replacedAt = Number.NEGATIVE_INFINITY;
  #isReplacing = false;
  /** When a fetch failed. */
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(fetcher: TokenFetcher, deps: TokenSourceDeps) {
    this.#fetcher = fetcher;
    this.#deps = deps;
  }

  /** The token, at once while it lives. */
  get(): string | Promise<string> {
    const now = this.#deps.monotonic();
    if (this.#token === undefined || now >= this.#usableUntil) return this.#failure(now) ?? this.#fetch();
    if (now >= this.#refreshAt && now >= this.#pausedUntil && this.#flight === undefined) void this.#refresh(this.#token);
    return this.#token.value;
  }

  /** This token was refused. True when the next one may be another: not when a fresh one was refused as well. */
  evict(refused: string): boolean {
    if (this.#token?.value !== refused) return true;
    if (this.#deps.monotonic() - this.#replacedAt < youngMs) return false;
    this.#token = undefined;
    this.#isReplacing = true;
    this.#fetcher.forget?.();
    return true;
  }

  /** The last failure while it is fresh. */
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

  /** One fetch at a time, whoever asks. */
  #fetch(): Promise<string> {
    this.#flight ??= this.#fetchOnce().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  async #fetchOnce(): Promise<string> {
    const asked = { at: this.#deps.monotonic(), wall: this.#deps.now() };
    try {
      const token = await this.#fetcher.fetch();
      this.lastError = undefined;
      this.#keep(token, asked);
      return token.value;
    } catch (error) {
      this.lastError = error as Error;
      this.#failedAt = this.#deps.monotonic();
      throw error;
    }
  }

  /** @param asked when the token was asked for, by both clocks */
  #keep(token: Token, asked: { readonly at: number; readonly wall: number }): void {
    const left = token.expiresAt - asked.wall;
    const life = left > 0 ? Math.min(left, longestLifeMs) : 0;
    const end = asked.at + life;
    this.#token = token;
    const jitter = this.#deps.random() * jitterMs;
    const due = end - (life >= longLifeMs ? life / 2 + jitter : Math.min(earlyMs + jitter, life / 4));
    const renewal = token.renewAt === undefined ? 0 : token.renewAt - asked.wall;
    this.#refreshAt = renewal > 0 ? Math.min(due, asked.at + renewal) : due;
    this.#usableUntil = end - Math.min(marginMs, life / 10);
    if (this.#isReplacing) this.#replacedAt = asked.at;
    this.#isReplacing = false;
  }
}

/** Credentials that are remembered at once; one that falls out is fetched again when it comes back. */
const sourceLimit = 1024;

/** All token sources by the content of their grant: a reload, or a second entry with the same key, finds the token there. */
export class TokenSources {
  readonly #fetcher: (grant: OAuthGrant, trust: Trust) => TokenFetcher;
  readonly #deps: TokenSourceDeps;
  readonly #sources = new Map<string, TokenSource>();

  constructor(fetcher: (grant: OAuthGrant, trust: Trust) => TokenFetcher, deps: TokenSourceDeps) {
    this.#fetcher = fetcher;
    this.#deps = deps;
  }

  /** @param trust who wrote the grant: a token that the operator's grant earned is never given for a request's */
  for(grant: OAuthGrant, trust: Trust): TokenSource {
    const key = keyOf(grant, trust);
    const source = this.#sources.get(key) ?? new TokenSource(this.#fetcher(grant, trust), this.#deps);
    return remember(this.#sources, key, source, sourceLimit);
  }
}

/** A digest, so that no private key is a map's key. */
function keyOf(grant: OAuthGrant, trust: Trust): string {
  const members = Object.entries(grant)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([trust, members]))
    .digest('base64');
}
