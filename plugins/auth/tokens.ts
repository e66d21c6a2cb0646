import { setBounded } from '#core/memory/set-bounded.ts';
import type { Received } from '#core/context.ts';
import {
  claimAt,
  claimText,
  type JwtClaims,
  type JwtVerdict,
  type JwtVerifier,
  looksLikeJwt,
  unverifiedClaims,
} from '#core/secrets/jwt.ts';
import type { PluginHost } from '#core/plugin.ts';
import { maskAddresses } from '#core/secrets/credential-names.ts';
import { printable } from '#core/text/printable.ts';
import type { ApiKey, JwtRules } from '#core/snapshot.ts';
import { isLongerThan } from '#core/text/text-length.ts';
import { missingClaim, invalidToken, unknownKeyName } from './refusals.ts';

/** Maximum tokens cached for one snapshot, and maximum characters of a cached token: a few megabytes in total. */
const maxCachedTokens = 5_000;
const maxCachedLength = 4_096;
/** Maximum characters of a metadata value, and of a caller's name. */
const valueLimit = 128;
/** Characters of the hash in the name of a caller whose own name cannot be shown. */
const hashLength = 12;

/** The caller named by a token, and the time until the token must be verified again. */
interface VerifiedToken {
  readonly key: ApiKey;
  /** Unix milliseconds. */
  readonly until: number;
}

/** Treats tokens as gateway keys, for one snapshot. A verified token is a key with the caller's name until it must be verified again. */
export class Tokens {
  readonly #rules: JwtRules;
  readonly #verifier: JwtVerifier;
  readonly #host: PluginHost;
  readonly #verified = new Map<string, VerifiedToken>();

  constructor(rules: JwtRules, host: PluginHost) {
    this.#rules = rules;
    this.#verifier = host.jwt(rules.settings);
    this.#host = host;
  }

  /** Returns a token that was verified before. */
  cachedKey(token: string, now: number): ApiKey | undefined {
    const verified = this.#verified.get(token);
    return verified !== undefined && verified.until > now ? verified.key : undefined;
  }

  /**
   * True for a value of `Authorization` that is a gateway token: with `from: [authorization]`, and by its issuer. Any other
   * token there is the caller's own credential.
   */
  isGatewayToken(value: string): boolean {
    if (!this.#rules.inAuthorization || !looksLikeJwt(value)) return false;
    return this.#rules.settings.issuers.includes(unverifiedClaims(value)?.['iss'] as string);
  }

  /** True if a token of any issuer may have been meant for the gateway. */
  get inAuthorization(): boolean {
    return this.#rules.inAuthorization;
  }

  /** @throws GatewayError `invalid_api_key`, `expired_api_key`, `auth_unavailable` */
  async verify(token: string, header: string, ctx: Received): Promise<ApiKey> {
    const verdict: JwtVerdict = await this.#verifier.verify(token);
    if ('fault' in verdict) throw invalidToken(verdict.fault, verdict.claim, header);
    const key = this.#keyOf(verdict.claims, header);
    if (token.length <= maxCachedLength && verdict.until > ctx.at)
      setBounded(this.#verified, token, { key, until: verdict.until }, maxCachedTokens);
    return key;
  }

  #keyOf(claims: JwtClaims, header: string): ApiKey {
    const { caller, keyClaim } = this.#rules;
    const name = claimText(claimAt(claims, caller));
    if (name === undefined) throw missingClaim(caller, header, 'caller');
    const rules = keyClaim === undefined ? this.#rules.rules : this.#keyNamedIn(claims, keyClaim, header);
    const metadata = { ...rules.metadata, ...this.#metadataOf(claims) };
    return Object.freeze({
      ...rules,
      name: `jwt:${this.#shownName(name)}`,
      // Two issuers may use the same name for different users.
      owner: `jwt:${this.#host.sha256(JSON.stringify([claims['iss'], name]))}`,
      id: '',
      metadata: Object.freeze(metadata),
      retires: undefined,
    });
  }

  /**
   * The name as records keep it. One that they would shorten or change ends with its hash, because what a caller has spent is
   * found by its name.
   */
  #shownName(name: string): string {
    const kept = maskAddresses(printable(name)).toWellFormed();
    if (kept === name && name.length <= valueLimit) return name;
    return `${kept.slice(0, valueLimit - hashLength - 1).toWellFormed()}~${this.#host.sha256(JSON.stringify(name)).slice(0, hashLength)}`;
  }

  #keyNamedIn(claims: JwtClaims, claim: string, header: string): ApiKey {
    const name = claimText(claimAt(claims, claim));
    if (name === undefined) throw missingClaim(claim, header, 'key');
    const key = this.#rules.keys.get(name);
    if (key === undefined) throw unknownKeyName(claim, header);
    return key;
  }

  #metadataOf(claims: JwtClaims): Readonly<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const [name, claim] of this.#rules.metadata) {
      const text = claimText(claimAt(claims, claim));
      if (text === undefined) continue;
      if (!isLongerThan(text, valueLimit)) found[name] = text;
      else this.#host.log.warn({ claim }, `the claim is longer than ${valueLimit} characters and is left out of the metadata`);
    }
    return found;
  }
}
