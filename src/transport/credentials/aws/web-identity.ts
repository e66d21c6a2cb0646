import type { AwsGrant } from '../../../core/secrets/grant.ts';
import { readRegularFileLater } from '../../../core/files/regular-file.ts';
import { resolvedText } from '../grants/variables.ts';
import { askToken, type GrantDeps, tokenUrl } from '../grants/token-request.ts';
import { TokenError, type TokenFetcher } from '../token-source.ts';
import { keysOf } from './keys-answer.ts';

type Grant = Extract<AwsGrant, { kind: 'aws-web-identity' }>;

/** Bytes: a token has some kilobytes. */
const maxToken = 64 * 1024;

/** A busy endpoint is asked once more; the cluster may write its token anew meanwhile. */
const repeats = [{ statuses: [429, 500, 502, 503, 504], waitsMs: [1000] }] as const;

/**
 * Keys of a role for the token of another issuer (AWS STS API, AssumeRoleWithWebIdentity): the file is read each time,
 * since the cluster writes it anew. For the operator's grants only.
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
      return keysOf(await askToken({ url, form, trust: 'operator', repeats }, deps), grant.roleField);
    },
  };
}

/** @throws TokenError without the path: callers may see it */
async function tokenIn({ file, fileField: field }: Grant, { env }: GrantDeps): Promise<string> {
  const path = resolvedText(file, env);
  let text: string;
  try {
    text = (await readRegularFileLater(path, maxToken)).toString('utf8').trim();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new TokenError(`${field} names a file that cannot be read${code}`, { field, cause });
  }
  if (text === '') throw new TokenError(`${field} names an empty file`, { field });
  return text;
}
