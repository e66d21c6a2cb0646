import type { AwsGrant } from '../../../core/secrets/grant.ts';
import { resolvedText } from '../grants/variables.ts';
import { readTokenFile } from '../grants/token-file.ts';
import { requestToken, type GrantDeps, tokenUrl } from '../grants/token-request.ts';
import type { TokenFetcher } from '../token-source.ts';
import { keysOf } from './keys-response.ts';

type Grant = Extract<AwsGrant, { kind: 'aws-web-identity' }>;

/** Repeats the request once if the endpoint is busy. */
const repeats = [{ statuses: [429, 500, 502, 503, 504], waitsMs: [1000] }] as const;

/**
 * Exchanges another issuer's token for keys of a role (AWS STS API, AssumeRoleWithWebIdentity). The file is read each time, since
 * the cluster rotates it. For the operator's grants only.
 */
export function awsWebIdentity(grant: Grant, deps: GrantDeps): TokenFetcher {
  return {
    async fetch() {
      const form = new URLSearchParams({
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        RoleArn: resolvedText(grant.role, deps.env),
        RoleSessionName: resolvedText(grant.sessionName, deps.env),
        WebIdentityToken: await readTokenFile(resolvedText(grant.file, deps.env), grant.fileField),
      });
      const url = tokenUrl(resolvedText(grant.endpoint, deps.env));
      const fieldOf = (code: string): string => (code.startsWith('ExpiredToken') ? grant.fileField : grant.roleField);
      return keysOf(await requestToken({ url, form, trust: 'operator', repeats }, deps), fieldOf);
    },
  };
}
