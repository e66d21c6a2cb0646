import type { OAuthGrant } from '../../../core/secrets/grant.ts';
import { type Token, TokenError, type TokenFetcher } from '../token-source.ts';
import { readTokenFile } from './token-file.ts';
import { endpointUrl, resolvedText } from './variables.ts';
import { requestToken, type GrantDeps, tokenOf } from './token-request.ts';

type Grant = Extract<OAuthGrant, { kind: 'federated-assertion' }>;

/** How long the content of the file is cached, in milliseconds. */
const readEveryMs = 600_000;

/** RFC 7523 2.2: exchanges another issuer's token, stored in a file, for an access token. For the operator's grants only. */
export function federatedAssertion(grant: Grant, deps: GrantDeps): TokenFetcher {
  let cached: { readonly text: string; readonly readAt: number } | undefined;
  const assertion = async (): Promise<string> => {
    if (cached === undefined || deps.monotonic() - cached.readAt >= readEveryMs)
      cached = { text: await readTokenFile(resolvedText(grant.file, deps.env), grant.fileField), readAt: deps.monotonic() };
    return cached.text;
  };
  return {
    async fetch() {
      const used = await assertion();
      try {
        return await exchange(grant, used, deps);
      } catch (error) {
        if (!(error instanceof TokenError) || error.reason !== 'invalid_client') throw error;
        // The file may have been rotated since it was read.
        cached = undefined;
        const fresh = await assertion();
        if (fresh === used) throw error;
        return exchange(grant, fresh, deps);
      }
    },
    clearCache: () => {
      cached = undefined;
    },
  };
}

async function exchange(grant: Grant, assertion: string, deps: GrantDeps): Promise<Token> {
  const { scope, repeats, blame } = grant;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: resolvedText(grant.clientId, deps.env),
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
    scope,
  });
  const url = endpointUrl(grant.endpoint, deps.env);
  return tokenOf(await requestToken({ url, form, trust: 'operator', repeats }, deps), blame);
}
