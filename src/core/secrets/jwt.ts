import { isExactNumber, isObject } from '../json/merge.ts';
import { parseExact } from '../json/scan.ts';

/** Signature algorithms that may be enabled: those with a public key. A shared secret, or no signature, does not prove who signed. */
export const jwtAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const;

/** The accepted issuers and audiences, and the keys that verify signatures. */
export interface JwtSettings {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** The issuer's public keys: a URL, or the JSON text of a key set. */
  readonly jwks: { readonly url: string } | { readonly text: string };
  readonly algorithms: readonly string[];
  /** Permitted clock difference between issuer and gateway, in seconds. */
  readonly toleranceS: number;
}

/** Claims of a verified token. */
export type JwtClaims = Readonly<Record<string, unknown>>;

/** Reasons to reject a token. */
export type JwtFault =
  | 'malformed'
  | 'algorithm'
  /** The header `crit` requires an extension. */
  | 'extension'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not-yet'
  /** A required claim is missing or has the wrong type; its name is in `claim`. */
  | 'claim'
  /** The issuer's key set does not contain the key. */
  | 'unknown-key'
  | 'signature'
  /** The issuer's keys are not available, so the token cannot be checked. */
  | 'no-keys';

export type JwtVerdict =
  | {
      readonly claims: JwtClaims;
      /** Unix milliseconds until which the verdict may be cached, with regard to a possible revocation of keys. */
      readonly until: number;
    }
  | { readonly fault: JwtFault; readonly claim?: string };

/** Verifies tokens of one issuer. Never rejects: errors are part of the verdict. */
export interface JwtVerifier {
  verify(token: string): Promise<JwtVerdict>;
}

/** True for three dot-separated parts, the first of which starts like base64url of a JSON object. Decodes nothing. */
export function looksLikeJwt(value: string): boolean {
  if (!value.startsWith('ey')) return false;
  const first = value.indexOf('.');
  const second = value.indexOf('.', first + 1);
  return first > 0 && second > first + 1 && value.indexOf('.', second + 1) < 0;
}

/**
 * Returns the claims without verification. Use them only to find out the issuer of a token. Long numbers keep their
 * digits: two callers may differ in the last one.
 */
export const unverifiedClaims = (token: string): JwtClaims | undefined => unverifiedPart(token, 1);

/** True if the header of the token lists extensions that whoever accepts it must support. */
export const requiresExtension = (token: string): boolean => unverifiedPart(token, 0)?.['crit'] !== undefined;

function unverifiedPart(token: string, part: 0 | 1): JwtClaims | undefined {
  try {
    const found = parseExact(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString('utf8'));
    return isObject(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a claim by name, or by a dotted path if there is no claim with that name (`realm_access.roles`). */
export function claimAt(claims: JwtClaims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const step of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
}

/** Returns a claim as text; lists of scalar values are joined with commas. Undefined for objects and missing claims. */
export function claimText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isExactNumber(value)) return numberText(JSON.stringify(value));
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const parts = value.map(claimText);
  return parts.includes(undefined) ? undefined : parts.join(',');
}

/** The shortest spelling of a number, unless it would be another one. */
const numberText = (digits: string): string => (Number.isSafeInteger(Number(digits)) ? String(Number(digits)) : digits);
