import type { GatewayError } from '../../core/error.ts';
import type { OAuthGrant } from '../../core/provider.ts';
import type { Trust } from '../../core/snapshot.ts';
import { type FetchedWhole, FetchFault, fetchWhole } from '../fetch-whole.ts';
import { type Token, TokenError, type TokenFetcher } from '../token-source.ts';
import type { Upstream } from '../upstream.ts';

export interface JwtBearerDeps {
  readonly upstream: Upstream;
  checkEgress(origin: string, trust: Trust): GatewayError | undefined;
  /** Unix milliseconds. */
  now(): number;
}

type Grant = Extract<OAuthGrant, { kind: 'jwt-bearer' }>;

/** Seconds: the longest life an assertion may have (provider-a.md 13.1). */
const assertionLife = 3600;
/** Seconds: where the endpoint doesn't say how long its token lives. */
const assumedLife = 300;
const limits = { connectMs: 5000, totalMs: 10_000, maxBytes: 64 * 1024 } as const;

/** RFC 7523: signs an assertion with the account's key and exchanges it at the token endpoint. */
export function jwtBearer(grant: Grant, trust: Trust, deps: JwtBearerDeps): TokenFetcher {
  return {
    async fetch() {
      const url = tokenUrl(grant.tokenUri);
      const refusal = deps.checkEgress(url.origin, trust);
      if (refusal !== undefined) throw new TokenError(refusal.message, { cause: refusal });
      const assertion = await sign(grant, Math.floor(deps.now() / 1000));
      const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
      const body = Buffer.from(form.toString(), 'latin1');
      const headers = ['content-type', 'application/x-www-form-urlencoded', 'accept', 'application/json'];
      const request = {
        method: 'POST',
        origin: url.origin,
        path: url.pathname + url.search,
        headers,
        body: { kind: 'form', bytes: () => body },
      } as const;
      // The life of the token is counted from before it was asked for: never longer than it is.
      const askedAt = deps.now();
      const answer = await fetchWhole(deps.upstream, request, { ...limits, trust }).catch((fault: unknown) => {
        throw new TokenError(`${url.host}: ${fault instanceof FetchFault ? fault.message : 'the request failed'}`, { cause: fault });
      });
      return tokenOf(answer, url.host, askedAt);
    },
  };
}

function tokenUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new TokenError('the token endpoint is not an http or https URL');
  return url;
}

async function sign(grant: Grant, now: number): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose');
  let key: Awaited<ReturnType<typeof importPKCS8>>;
  try {
    // Keys that came through an environment variable have their line breaks written out.
    key = await importPKCS8(grant.privateKey.replaceAll('\\n', '\n'), 'RS256');
  } catch {
    // Without the cause: nothing that was made of the key leaves this function.
    throw new TokenError('the private key of the service account can not be read: it must be PEM in PKCS #8');
  }
  return new SignJWT({ scope: grant.scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(grant.keyId === undefined ? {} : { kid: grant.keyId }) })
    .setIssuer(grant.issuer)
    .setAudience(grant.audience)
    .setIssuedAt(now)
    .setExpirationTime(now + assertionLife)
    .sign(key);
}

function tokenOf({ status, body }: FetchedWhole, host: string, askedAt: number): Token {
  const answer = parsed(body);
  const { access_token: value, expires_in: life } = answer;
  if (status === 200 && typeof value === 'string' && value !== '') {
    const seconds = Number(life);
    return { value, expiresAt: askedAt + (seconds > 0 ? seconds : assumedLife) * 1000 };
  }
  const { error, error_description: more } = answer;
  const said = [error, more].filter((part) => typeof part === 'string' && part !== '').map((part) => String(part).slice(0, 300));
  throw new TokenError(`${host} answered ${status}: ${said.length === 0 ? 'no token, and no reason' : said.join(': ')}`);
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
