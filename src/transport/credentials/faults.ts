import { GatewayError } from '../../core/error.ts';
import type { HeaderPairs } from '../../core/http/headers.ts';
import type { CredentialOwner } from '../../core/provider.ts';
import { TokenError } from './token-source.ts';
import { validateHeaderName, validateHeaderValue } from '../../core/node-http.ts';

/** Converts a failed token fetch to an error. The owner of the credential determines whether the operator or the caller is at fault. */
export function tokenFault(owner: CredentialOwner, cause: unknown): GatewayError {
  const reason = cause instanceof Error ? cause.message.replace(/\.$/, '') : 'it failed';
  const field = cause instanceof TokenError ? cause.field : undefined;
  // After an error from the endpoint, or with an unusable field, a retry would fail again until the credential is corrected.
  const retry = field === undefined && (!(cause instanceof TokenError) || cause.reason === undefined);
  const details = { retry, cause, ...(field === undefined ? {} : { param: field }) };
  const location = owner === 'catalog' ? 'the provider in gateway.yaml' : 'the request';
  // Without an error from the endpoint, it probably could not be reached.
  const hint = retry
    ? 'Check that the gateway reaches the endpoint that issues the token, then try again.'
    : `Check ${field ?? 'the credential'} of ${location}.`;
  if (owner === 'catalog') {
    return new GatewayError('provider_auth_failed', {
      message: `The gateway could not get a token for its credential: ${reason}.`,
      hint,
      ...details,
    });
  }
  return new GatewayError('missing_credential', {
    message: `The gateway could not get a token for the credential of the request: ${reason}.`,
    hint,
    ...details,
  });
}

/** @throws GatewayError `invalid_config` for characters that are not allowed in a header */
export function checkHeaders(headers: HeaderPairs): void {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    try {
      validateHeaderName(headers[i] ?? '');
      validateHeaderValue(headers[i] ?? '', headers[i + 1] ?? '');
    } catch {
      // Without the cause, whose text may quote the secret.
      throw new GatewayError('invalid_config', {
        message: 'The credential contains a character that is not allowed in a header.',
        hint: 'Remove line breaks and spaces that were pasted with the key.',
      });
    }
  }
}
