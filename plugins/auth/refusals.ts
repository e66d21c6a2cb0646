import type { Received } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import { canonicalPrefix, requestHeaders } from '#core/headers.ts';
import { isDamagedKey } from '#core/key.ts';
import type { ApiKey } from '#core/snapshot.ts';
import { firstFilled } from './candidates.ts';

const keyHeader = `${canonicalPrefix}${requestHeaders.apiKey[0]}`;
const whereToPutIt = `Send the key as "${keyHeader}: gw_…", or as "authorization: Bearer gw_…".`;

/** The value is meant as a key of ours, but is not one. */
export function unknownKey(value: string, header: string): GatewayError {
  if (isDamagedKey(value)) {
    return new GatewayError('invalid_api_key', {
      message: `The gateway key in "${header}" is not valid: the checksum is wrong, part of the key is missing.`,
      param: header,
      hint: 'Copy the whole key again.',
    });
  }
  return new GatewayError('invalid_api_key', {
    message: `The gateway key in "${header}" is not known.`,
    param: header,
    hint: 'Check that the key belongs to this gateway and was not revoked.',
  });
}

/**
 * No value is ours. A credential in `authorization` is the provider's when the request names a provider type; else it
 * was most likely meant for us.
 */
export function noKey(ctx: Received): GatewayError {
  const filled = firstFilled(ctx.headers);
  const provider = ctx.headers.gateway('provider');
  const forProvider = provider !== undefined && !provider.startsWith('@');
  if (filled === undefined || forProvider) {
    return new GatewayError('missing_api_key', { message: 'The request brings no gateway key.', param: keyHeader, hint: whereToPutIt });
  }
  return new GatewayError('invalid_api_key', {
    message: `The value in "${filled}" is not a key of this gateway.`,
    param: filled,
    hint: whereToPutIt,
  });
}

/** @param header where the key stood */
export function expiredKey(key: ApiKey, expires: number, header: string): GatewayError {
  return new GatewayError('expired_api_key', {
    message: `The gateway key "${key.name}" expired on ${new Date(expires).toISOString().slice(0, 10)}.`,
    param: header,
    hint: 'Ask whoever runs the gateway for a new key.',
  });
}

export { keyHeader };
