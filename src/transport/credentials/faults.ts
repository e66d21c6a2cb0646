import { GatewayError } from '../../core/error.ts';
import type { HeaderPairs } from '../../core/http/headers.ts';
import type { CredentialOwner } from '../../core/provider.ts';
import { TokenError } from './token-source.ts';
import { validateHeaderName, validateHeaderValue } from '../../core/node-http.ts';

/** A token that could not be had, as an error: whose material it was decides whose fault it is. */
export function noToken(owner: CredentialOwner, cause: unknown): GatewayError {
  const words = cause instanceof Error ? cause.message.replace(/\.$/, '') : 'it failed';
  const field = cause instanceof TokenError ? cause.field : undefined;
  // What the endpoint said, or a field that cannot be used, stays as it is until somebody corrects it.
  const retry = field === undefined && (!(cause instanceof TokenError) || cause.reason === undefined);
  const details = { retry, cause, ...(field === undefined ? {} : { param: field }) };
  const whose = owner === 'catalog' ? 'the provider in gateway.yaml' : 'the request';
  // Nobody said no: the endpoint could not be asked.
  const hint = retry
    ? 'Check that the gateway reaches the endpoint that issues the token, then try again.'
    : `Check ${field ?? 'the credential'} of ${whose}.`;
  if (owner === 'catalog') {
    return new GatewayError('provider_auth_failed', {
      message: `The gateway could not get a token for its credential: ${words}.`,
      hint,
      ...details,
    });
  }
  return new GatewayError('missing_credential', {
    message: `The gateway could not get a token for the credential of the request: ${words}.`,
    hint,
    ...details,
  });
}

/** @throws GatewayError `invalid_config` for what no header may hold */
export function checkHeaders(headers: HeaderPairs): void {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    try {
      validateHeaderName(headers[i] ?? '');
      validateHeaderValue(headers[i] ?? '', headers[i + 1] ?? '');
    } catch {
      // Without the cause: its text may quote the secret.
      throw new GatewayError('invalid_config', {
        message: 'The credential contains a character that is not allowed in a header.',
        hint: 'Remove line breaks and spaces that were pasted with the key.',
      });
    }
  }
}
