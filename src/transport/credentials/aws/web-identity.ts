import type { AwsGrant } from '../../../core/secrets/grant.ts';
import { readRegularFileAsync } from '../../../core/files/regular-file.ts';
import { resolvedText } from '../grants/variables.ts';
import { requestToken, type GrantDeps, tokenUrl } from '../grants/token-request.ts';
import { TokenError, type TokenFetcher } from '../token-source.ts';
import { keysOf } from './keys-response.ts';

type Grant = Extract<AwsGrant, { kind: 'aws-web-identity' }>;

/** Maximum token size in bytes; a token has a few kilobytes. */
const maxToken = 64 * 1024;

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
        WebIdentityToken: await tokenIn(grant, deps),
      });
      const url = tokenUrl(resolvedText(grant.endpoint, deps.env));
      const fieldOf = (code: string): string => (code.startsWith('ExpiredToken') ? grant.fileField : grant.roleField);
      return keysOf(await requestToken({ url, form, trust: 'operator', repeats }, deps), fieldOf);
    },
  };
}

/** @throws TokenError without the path, because callers may see it */
async function tokenIn({ file, fileField: field }: Grant, { env }: GrantDeps): Promise<string> {
  const path = resolvedText(file, env);
  let text: string;
  try {
    text = (await readRegularFileAsync(path, maxToken)).toString('utf8').trim();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new TokenError(`${field} names a file that cannot be read${code}`, { field, cause });
  }
  if (text === '') throw new TokenError(`${field} names an empty file`, { field });
  return text;
}
