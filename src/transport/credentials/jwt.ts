import type { CryptoKey, JWTPayload, LocalJWKSet } from 'jose';
import {
  type JwtFault,
  type JwtSettings,
  type JwtVerdict,
  type JwtVerifier,
  requiresExtension,
  unverifiedClaims,
} from '../../core/secrets/jwt.ts';
import { RemoteKeySet, freshMs, type JwksDeps, type KeySetVersion } from './jwks.ts';
import { errorCode } from '../../core/text/error-code.ts';
import { setBounded } from '../../core/memory/set-bounded.ts';

/** Maximum number of cached verifiers; more than the current and the previous configurations have. */
const maxVerifiers = 32;
/** Maximum length of a token in characters (a request's head has at most 64 KB). */
const longestToken = 16_384;
/** Maximum number of keys that one token is compared with; issuers publish a few. More would let forged tokens block the event loop. */
const maxCandidates = 32;

/** Source of an issuer's keys: fetched, or part of the configuration. */
interface KeySource {
  get(): Promise<KeySetVersion<LocalJWKSet>>;
  newer(than: KeySetVersion<LocalJWKSet>): Promise<KeySetVersion<LocalJWKSet> | undefined>;
}

/** Creates JWT verifiers. The same settings return the same verifier, and the same URL the same keys, also after a reload. */
export function createJwt(deps: JwksDeps): (settings: JwtSettings) => JwtVerifier {
  const verifiers = new Map<string, JwtVerifier>();
  const fetched = new Map<string, KeySource>();
  const keysOf = ({ jwks }: JwtSettings): KeySource => {
    if ('text' in jwks) return configuredKeys(jwks.text);
    return getOrCreate(fetched, jwks.url, () => new RemoteKeySet(jwks.url, compile, deps));
  };
  return (settings) => getOrCreate(verifiers, JSON.stringify(settings), () => new Verifier(settings, keysOf(settings), deps.now));
}

function getOrCreate<T>(map: Map<string, T>, key: string, make: () => T): T {
  return map.get(key) ?? setBounded(map, key, make(), maxVerifiers);
}

async function compile(set: unknown): Promise<LocalJWKSet> {
  const { createLocalJWKSet } = await import('jose');
  const keys = createLocalJWKSet(set as Parameters<typeof createLocalJWKSet>[0]);
  if (keys.jwks().keys.length === 0) throw new Error('it contains no keys');
  return keys;
}

/** Keys in the configuration change only with the configuration. */
function configuredKeys(text: string): KeySource {
  let set: Promise<KeySetVersion<LocalJWKSet>> | undefined;
  return {
    get: () => (set ??= compile(JSON.parse(text)).then((keys) => ({ keys }))),
    newer: () => Promise.resolve(undefined),
  };
}

class Verifier implements JwtVerifier {
  readonly #settings: JwtSettings;
  readonly #keys: KeySource;
  readonly #now: () => number;
  /** Verifications in progress, shared by all requests with the same token. */
  readonly #running = new Map<string, Promise<JwtVerdict>>();

  constructor(settings: JwtSettings, keys: KeySource, now: () => number) {
    this.#settings = settings;
    this.#keys = keys;
    this.#now = now;
  }

  verify(token: string): Promise<JwtVerdict> {
    let running = this.#running.get(token);
    if (running === undefined) {
      running = this.#verdict(token).finally(() => this.#running.delete(token));
      this.#running.set(token, running);
    }
    return running;
  }

  async #verdict(token: string): Promise<JwtVerdict> {
    const claims = token.length > longestToken ? undefined : unverifiedClaims(token);
    if (claims === undefined) return { fault: 'malformed' };
    // Checked before the signature, so that a token of another issuer causes no key lookup.
    if (!this.#settings.issuers.includes(claims['iss'] as string)) return { fault: 'issuer' };
    if (requiresExtension(token)) return { fault: 'extension' };
    let set: KeySetVersion<LocalJWKSet> | undefined;
    try {
      set = await this.#keys.get();
    } catch {
      return { fault: 'no-keys' };
    }
    const first = await this.#verifyWith(token, set);
    if (!('fault' in first) || first.fault !== 'unknown-key') return first;
    const newer = await this.#keys.newer(set);
    return newer === undefined ? first : this.#verifyWith(token, newer);
  }

  async #verifyWith(token: string, { keys }: KeySetVersion<LocalJWKSet>): Promise<JwtVerdict> {
    const { jwtVerify } = await import('jose');
    const now = this.#now();
    const { issuers, audiences, algorithms, toleranceS } = this.#settings;
    const options = {
      issuer: [...issuers],
      audience: [...audiences],
      algorithms: [...algorithms],
      clockTolerance: toleranceS,
      currentDate: new Date(now),
      requiredClaims: ['exp'],
    };
    try {
      return this.#accepted(token, (await jwtVerify(token, keys, options)).payload, now);
    } catch (error) {
      if (errorCode(error) !== 'ERR_JWKS_MULTIPLE_MATCHING_KEYS') return faultOf(error);
      return this.#verifyWithEach(token, error as AsyncIterable<CryptoKey>, options, now);
    }
  }

  #accepted(token: string, { exp = Number.NaN }: JWTPayload, now: number): JwtVerdict {
    // A number outside the range of a double (1e400) is parsed as Infinity: such a token would never expire.
    if (!Number.isFinite(exp)) return { fault: 'claim', claim: 'exp' };
    // The same claims, with all their digits.
    return { claims: unverifiedClaims(token) ?? {}, until: Math.min((exp + this.#settings.toleranceS) * 1000, now + freshMs) };
  }

  /** For a token without a key id and a set with several matching keys: tries each key, up to a limit. */
  async #verifyWithEach(token: string, candidates: AsyncIterable<CryptoKey>, options: object, now: number): Promise<JwtVerdict> {
    const { jwtVerify } = await import('jose');
    let tried = 0;
    for await (const key of candidates) {
      tried += 1;
      try {
        return this.#accepted(token, (await jwtVerify(token, key, options)).payload, now);
      } catch (error) {
        if (!keyMismatchCodes.has(errorCode(error))) return faultOf(error);
      }
      if (tried >= maxCandidates) break;
    }
    return { fault: 'signature' };
  }
}

/** Errors after which another key may match: the signature differs, or the key is too short, an error without a code. */
const keyMismatchCodes: ReadonlySet<string> = new Set(['ERR_JWS_SIGNATURE_VERIFICATION_FAILED', '']);

const faults: Readonly<Record<string, JwtFault>> = {
  ERR_JWT_EXPIRED: 'expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm',
  ERR_JOSE_NOT_SUPPORTED: 'algorithm',
  ERR_JWKS_NO_MATCHING_KEY: 'unknown-key',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
  ERR_JWS_INVALID: 'malformed',
  ERR_JWT_INVALID: 'malformed',
  // An invalid key of the set is treated as missing.
  ERR_JWKS_INVALID: 'unknown-key',
};

/** Omits the error's own text, which may quote the token. */
function faultOf(error: unknown): JwtVerdict {
  const code = errorCode(error);
  if (code !== 'ERR_JWT_CLAIM_VALIDATION_FAILED') return { fault: faults[code] ?? 'unknown-key' };
  const { claim } = error as Error & { claim?: string };
  if (claim === 'iss') return { fault: 'issuer' };
  if (claim === 'aud') return { fault: 'audience' };
  if (claim === 'nbf') return { fault: 'not-yet' };
  return { fault: 'claim', ...(claim === undefined ? {} : { claim }) };
}
