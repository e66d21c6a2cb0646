import type { AwsGrant } from '../../../core/secrets/grant.ts';
import { resolvedText } from '../grants/variables.ts';
import { requestLocalToken, type GrantDeps, type TokenResponse, type TokenRequest, tokenUrl } from '../grants/token-request.ts';
import { TokenError, type TokenFetcher } from '../token-source.ts';
import { keysOf } from './keys-response.ts';

type Grant = Extract<AwsGrant, { kind: 'aws-instance' }>;

/** Lifetime of a session in seconds; each fetch uses a new one. */
const sessionTtlS = '60';

/** Connect timeout in milliseconds, for machines without the service. */
const connectMs = 2000;

const repeats = [{ statuses: [429, 500, 502, 503, 504], waitsMs: [500, 1500] }] as const;

/**
 * Fetches keys of the instance's role from the EC2 metadata service. Only version 2 is used: version 1 responds to anyone who can
 * make the gateway fetch a URL. For the operator's grants only.
 */
export function awsInstance(grant: Grant, deps: GrantDeps): TokenFetcher {
  const base = (): string =>
    resolvedText({ env: 'AWS_EC2_METADATA_SERVICE_ENDPOINT', otherwise: 'http://169.254.169.254' }, deps.env).replace(/\/+$/, '');
  const request = (path: string, options: Omit<TokenRequest, 'url' | 'trust'>): Promise<TokenResponse> => {
    const url = tokenUrl(`${base()}/latest/${path}`);
    return requestLocalToken({ url, trust: 'operator', connectMs, repeats, ...options }, deps, 'the instance metadata service', 'role');
  };
  return {
    async fetch() {
      if (deps.env['AWS_EC2_METADATA_DISABLED']?.trim().toLowerCase() === 'true')
        throw new TokenError('AWS_EC2_METADATA_DISABLED switches the instance metadata service off');
      const session = firstLineOf(
        await request('api/token', { method: 'PUT', headers: ['x-aws-ec2-metadata-token-ttl-seconds', sessionTtlS] }),
        'session',
      );
      const headers = ['x-aws-ec2-metadata-token', session];
      const credentialsPath = 'meta-data/iam/security-credentials/';
      const role = grant.role ?? firstLineOf(await request(credentialsPath, { headers }), 'role');
      return keysOf(await request(credentialsPath + encodeURIComponent(role), { headers }));
    },
  };
}

/** Returns the first line of a text response. @throws TokenError */
function firstLineOf({ status, body }: TokenResponse, what: 'session' | 'role'): string {
  const line = body.toString('latin1').trim().split(/\r?\n/)[0] ?? '';
  if (status === 200 && /^[\x21-\x7e]{1,1024}$/.test(line)) return line;
  if (what === 'role' && (status === 404 || (status === 200 && line === ''))) throw new TokenError('this instance has no role');
  throw new TokenError(`the instance metadata service returned ${status} for its ${what}`);
}
