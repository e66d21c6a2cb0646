import { expect, it } from 'vitest';
import { tokenFault } from './faults.ts';
import { TokenError } from './token-source.ts';

it.each([
  ['catalog', new Error('sts.example: the name does not resolve.'), 'provider_auth_failed', true, /reaches the endpoint/],
  ['caller', new Error('timed out'), 'missing_credential', true, /reaches the endpoint/],
  ['catalog', new TokenError('no', { field: 'client_secret' }), 'provider_auth_failed', false, /^Check client_secret of the provider in/],
  ['caller', new TokenError('no', { reason: 'AADSTS1' }), 'missing_credential', false, /^Check the credential of the request/],
] as const)('tokenFault() maps a failure of the %s credential (%s) to %s', (owner, cause, code, retry, hint) => {
  expect(tokenFault(owner, cause)).toMatchObject({ code, retry, hint: expect.stringMatching(hint) as string });
});
