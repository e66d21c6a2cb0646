import { objectIn } from '../json/scan.ts';

/** Signature algorithms that may be allowed: those with a public key. A shared secret, or none, proves nothing about who signed. */
export const jwtAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const;

/** Whose tokens are taken, and what proves them. */
export interface JwtSettings {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** The issuer's public keys: where they are fetched, or the JSON text of a set. */
  readonly jwks: { readonly url: string } | { readonly text: string };
  readonly algorithms: readonly string[];
  /** Seconds by which the clocks of issuer and gateway may differ. */
  readonly toleranceS: number;
}

/** What a token says once it is proven. */
export type JwtClaims = Readonly<Record<string, unknown>>;

/** Why a token is not taken. */
export type JwtFault =
  | 'malformed'
  | 'algorithm'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not-yet'
  /** A claim that must be there is missing or has the wrong form: named in `claim`. */
  | 'claim'
  /** The issuer's set has no such key. */
  | 'unknown-key'
  | 'signature'
  /** The issuer's keys can't be had: nothing is known about the token. */
  | 'no-keys';

export type JwtVerdict =
  | {
      readonly claims: JwtClaims;
      /** Unix milliseconds: until then the verdict may be used again, the withdrawal of keys taken into account. */
      readonly until: number;
    }
  | { readonly fault: JwtFault; readonly claim?: string };

/** Proves tokens of one issuer. Never rejects: what is wrong is part of the verdict. */
export interface JwtVerifier {
  verify(token: string): Promise<JwtVerdict>;
}

/** True for three parts of base64url, the first of which begins like a JSON object: nothing is decoded. */
export function looksLikeJwt(value: string): boolean {
  if (!value.startsWith('ey')) return false;
  const first = value.indexOf('.');
  const second = value.indexOf('.', first + 1);
  return first > 0 && second > first + 1 && value.indexOf('.', second + 1) < 0;
}

/** The claims as the token says them, unproven: good for telling whose token it is, for nothing else. */
export const unprovenClaims = (token: string): JwtClaims | undefined =>
  objectIn(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

/** A claim by its name, or by a path with dots where there is no claim of that name (`realm_access.roles`). */
export function claimAt(claims: JwtClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const step of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
}

/** A claim as text: lists of plain values are joined by commas. Undefined for objects, and for what is not there. */
export function claimText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const parts = value.map(claimText);
  return parts.includes(undefined) ? undefined : parts.join(',');
}
