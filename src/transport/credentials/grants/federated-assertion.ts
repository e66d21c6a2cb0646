import type { OAuthGrant } from '../../../core/secrets/grant.ts';
import { readRegularFileAsync } from '../../../core/files/regular-file.ts';
import { type Token, TokenError, type TokenFetcher } from '../token-source.ts';
import { endpointUrl, resolvedText } from './variables.ts';
import { requestToken, type GrantDeps, tokenOf } from './token-request.ts';
import { errorCode } from '../../../core/text/error-code.ts';

type Grant = Extract<OAuthGrant, { kind: 'federated-assertion' }>;

/** How long the content of the file is cached, in milliseconds. */
const readEveryMs = 600_000;

/** Maximum size of the file in bytes; a token has a few kilobytes. */
const maxAssertion = 1024 * 1024;

/** RFC 7523 2.2: exchanges another issuer's token, stored in a file, for an access token. For the operator's grants only. */
export function federatedAssertion(grant: Grant, deps: GrantDeps): TokenFetcher {
  let cached: { readonly text: string; readonly readAt: number } | undefined;
  const assertion = async (): Promise<string> => {
    if (cached === undefined || deps.monotonic() - cached.readAt >= readEveryMs)
      cached = { text: await read(grant, deps), readAt: deps.monotonic() };
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

/** @throws TokenError without the path, because callers may see it */
async function read({ file, fileField: field }: Grant, { env }: GrantDeps): Promise<string> {
  const path = resolvedText(file, env);
  let text: string;
  try {
    text = (await readRegularFileAsync(path, maxAssertion)).toString('utf8').trim();
  } catch (cause) {
    const code = errorCode(cause);
    throw new TokenError(`${field} names a file that cannot be read${code === '' ? '' : ` (${code})`}`, { field, cause });
  }
  if (text === '') throw new TokenError(`${field} names an empty file`, { field });
  return text;
}
