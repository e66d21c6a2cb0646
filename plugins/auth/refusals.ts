import type { Received } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import { canonicalPrefix, requestHeaders } from '#core/http/headers.ts';
import { type JwtFault, looksLikeJwt } from '#core/secrets/jwt.ts';
import { isDamagedKey } from '#core/secrets/key.ts';
import type { ApiKey } from '#core/snapshot.ts';
import { credentialIn, firstCredentialHeader } from './candidates.ts';

const keyHeader = `${canonicalPrefix}${requestHeaders.apiKey[0]}`;
const keyHint = `Send the key as "${keyHeader}: gw_…", or as "authorization: Bearer gw_…".`;

const tokenHint = `Send the token as "${keyHeader}". In "authorization" it counts only with auth.jwt.from: [authorization].`;

/** The error for a value that looks like a gateway key but is not one. */
export function unknownKey(value: string, header: string): GatewayError {
  if (isDamagedKey(value)) {
    return new GatewayError('invalid_api_key', {
      message: `The gateway key in "${header}" is incomplete or mistyped: its checksum is wrong.`,
      param: header,
      hint: 'Copy the whole key again.',
    });
  }
  return new GatewayError('invalid_api_key', {
    message: `The gateway key in "${header}" is unknown.`,
    param: header,
    hint: 'Check that the key belongs to this gateway and was not revoked.',
  });
}

/**
 * The error if no gateway key was found. A credential in `authorization` belongs to the provider if the request names a
 * provider type; otherwise it was probably meant as a gateway key.
 */
export function missingKey(ctx: Received): GatewayError {
  const filled = firstCredentialHeader(ctx.headers);
  const provider = ctx.headers.gateway('provider');
  const forProvider = provider !== undefined && !provider.startsWith('@');
  if (filled === undefined || forProvider) {
    return new GatewayError('missing_api_key', { message: 'The request has no gateway API key.', param: keyHeader, hint: keyHint });
  }
  return new GatewayError('invalid_api_key', {
    message: `The value in "${filled}" is not a key of this gateway.`,
    param: filled,
    hint: isToken(ctx, filled) ? tokenHint : keyHint,
  });
}

/** True if the header contains a token although tokens are not accepted from it. */
const isToken = ({ snapshot, headers }: Received, header: string): boolean =>
  snapshot.jwt !== undefined && looksLikeJwt(credentialIn(headers.get(header)) ?? '');

/** The error for an expired key. @param header its header */
export function inactiveKey({ name, revoked, expires, retires }: ApiKey, now: number, header: string): GatewayError {
  const hint = 'Ask the operator of the gateway for a new key.';
  if (revoked !== undefined && revoked <= now) {
    const message = `The gateway key "${name}" was revoked on ${dayOf(revoked)}.`;
    return new GatewayError('invalid_api_key', { message, param: header, hint });
  }
  if (expires !== undefined && expires <= now) {
    const message = `The gateway key "${name}" expired on ${dayOf(expires)}.`;
    return new GatewayError('expired_api_key', { message, param: header, hint });
  }
  return new GatewayError('expired_api_key', {
    message: `The gateway key "${name}" was rotated, and this older secret of it expired on ${dayOf(retires ?? now)}.`,
    param: header,
    hint: 'Use the new secret of the key.',
  });
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Describes why a token is invalid, without any part of it. */
const faultTexts: Readonly<Record<Exclude<JwtFault, 'expired' | 'no-keys' | 'claim'>, readonly [what: string, hint: string]>> = {
  malformed: ['is not a valid JWT', 'Send the whole token: three parts with dots between them.'],
  algorithm: ['is signed with an algorithm that is not accepted', 'The rule is auth.jwt.algorithms.'],
  extension: ['requires an extension, which the gateway does not support', 'Have the issuer leave out the header "crit" of the token.'],
  issuer: ['is from another issuer', 'The rule is auth.jwt.issuer: compare the claim "iss".'],
  audience: ['is for another audience', 'The rule is auth.jwt.audience: compare the claim "aud".'],
  'not-yet': ['is not valid yet', 'Compare the claim "nbf" with the clock of the gateway.'],
  'unknown-key': ['is signed with a key that the issuer does not list', 'Get a new token; compare the header "kid" with auth.jwt.jwks.'],
  signature: ['has an invalid signature', 'Send the token as it was issued.'],
};

/** The error for an invalid token. @param header its header */
export function invalidToken(fault: JwtFault, claim: string | undefined, header: string): GatewayError {
  if (fault === 'expired') {
    return new GatewayError('expired_api_key', {
      message: `The token in "${header}" has expired.`,
      param: header,
      hint: 'Get a new token.',
    });
  }
  if (fault === 'no-keys') {
    return new GatewayError('auth_unavailable', {
      message: `The token in "${header}" cannot be verified: the public keys of its issuer are not available.`,
      param: header,
      hint: 'Try again soon. Operators: see the log for the reason; the setting is auth.jwt.jwks.',
    });
  }
  if (fault === 'claim') return missingClaim(claim ?? 'exp', header, undefined);
  const [what, hint] = faultTexts[fault];
  return new GatewayError('invalid_api_key', { message: `The token in "${header}" ${what}.`, param: header, hint });
}

/** @param setting the setting that names the claim, if any */
export function missingClaim(claim: string, header: string, setting: 'caller' | 'key' | undefined): GatewayError {
  return new GatewayError('invalid_api_key', {
    message: `The token in "${header}" has no usable claim "${claim}".`,
    param: header,
    hint: `Have the issuer add the claim${setting === undefined ? '' : `, or name another one in auth.jwt.${setting}`}.`,
  });
}

export function unknownKeyName(claim: string, header: string): GatewayError {
  return new GatewayError('invalid_api_key', {
    message: `The claim "${claim}" of the token in "${header}" names no key of this gateway.`,
    param: header,
    hint: 'It must be the name of one of the api_keys.',
  });
}

export { keyHeader };
