import type { OAuthGrant } from '../../../core/secrets/grant.ts';
import type { Trust } from '../../../core/snapshot.ts';
import { TokenError, type TokenFetcher } from '../token-source.ts';
import { requestToken, type GrantDeps, tokenOf, tokenUrl } from './token-request.ts';

type Grant = Extract<OAuthGrant, { kind: 'jwt-bearer' }>;

/** Maximum lifetime of an assertion, in seconds. */
const assertionLifetimeS = 3600;
/** Maximum length of a caller's key, in bits: a longer one could occupy a thread for seconds. */
const longestKey = 4096;

/** RFC 7523: signs an assertion with the account's key and exchanges it at the token endpoint. */
export function jwtBearer(grant: Grant, trust: Trust, deps: GrantDeps): TokenFetcher {
  return {
    async fetch() {
      const url = tokenUrl(grant.tokenUri);
      const assertion = await sign(grant, trust, Math.floor(deps.now() / 1000));
      const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
      return tokenOf(await requestToken({ url, form, trust, repeats: grant.repeats }, deps));
    },
  };
}

async function sign(grant: Grant, trust: Trust, now: number): Promise<string> {
  const { keyField: field } = grant;
  const { importPKCS8, SignJWT } = await import('jose');
  let key: Awaited<ReturnType<typeof importPKCS8>>;
  try {
    // In keys from an environment variable, line breaks are often written as a backslash and an n.
    key = await importPKCS8(grant.privateKey.replaceAll('\\n', '\n'), 'RS256');
  } catch {
    // Without the cause: no data derived from the key leaves this function.
    throw new TokenError('the private key of the service account cannot be read: it must be PEM in PKCS #8', { field });
  }
  const { modulusLength = 0 } = key.algorithm as { readonly modulusLength?: number };
  if (trust === 'request' && modulusLength > longestKey)
    throw new TokenError(`the private key of the service account is longer than ${longestKey} bits`, { field });
  return new SignJWT({ scope: grant.scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(grant.keyId === undefined ? {} : { kid: grant.keyId }) })
    .setIssuer(grant.issuer)
    .setAudience(grant.audience)
    .setIssuedAt(now)
    .setExpirationTime(now + assertionLifetimeS)
    .sign(key);
}
