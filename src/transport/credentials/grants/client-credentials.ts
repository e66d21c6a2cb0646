import type { OAuthGrant } from '../../../core/secrets/grant.ts';
import type { Trust } from '../../../core/snapshot.ts';
import type { TokenFetcher } from '../token-source.ts';
import { endpointUrl } from './variables.ts';
import { requestToken, type GrantDeps, tokenOf } from './token-request.ts';

type Grant = Extract<OAuthGrant, { kind: 'client-credentials' }>;

/** RFC 6749 4.4: exchanges an application's id and secret for a token. */
export function clientCredentials(grant: Grant, trust: Trust, deps: GrantDeps): TokenFetcher {
  const { clientId, clientSecret, scope, repeats, blame } = grant;
  return {
    async fetch() {
      const url = endpointUrl(grant.endpoint, deps.env);
      const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope });
      return tokenOf(await requestToken({ url, form, trust, repeats }, deps), blame);
    },
  };
}
