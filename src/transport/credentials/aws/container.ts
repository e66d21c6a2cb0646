import { readRegularFileAsync } from '../../../core/files/regular-file.ts';
import type { HeaderPairs } from '../../../core/http/headers.ts';
import { codeIn } from '../grants/token-file.ts';
import { isSet } from '../grants/variables.ts';
import { requestToken, type GrantDeps, tokenUrl } from '../grants/token-request.ts';
import { TokenError, type TokenFetcher } from '../token-source.ts';
import { keysOf } from './keys-response.ts';

const relative = 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI';
const full = 'AWS_CONTAINER_CREDENTIALS_FULL_URI';
const token = 'AWS_CONTAINER_AUTHORIZATION_TOKEN';
const tokenFile = 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE';

/** Base of relative addresses. */
const ecsHost = 'http://169.254.170.2';

/**
 * Hosts that are allowed without TLS: loopback, and those of ECS and EKS (AWS SDKs and Tools Reference, "Container credential
 * provider").
 */
const localHosts = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])$/;

/** Maximum token size in bytes; a token has a few kilobytes. */
const maxToken = 64 * 1024;

const repeats = [{ statuses: [429, 500, 502, 503, 504], waitsMs: [500, 1500] }] as const;

/** Fetches keys for the role of a task (ECS) or a pod (EKS), from the endpoint in the environment. For the operator's grants only. */
export function awsContainer(deps: GrantDeps): TokenFetcher {
  return {
    async fetch() {
      const url = endpoint(deps);
      const authorization = await authorizationIn(deps);
      const headers: HeaderPairs = authorization === undefined ? [] : ['authorization', authorization];
      return keysOf(await requestToken({ url, headers, trust: 'operator', connectMs: 2000, repeats }, deps));
    },
  };
}

function endpoint({ env }: GrantDeps): URL {
  if (isSet(relative, env)) return tokenUrl(ecsHost + (env[relative]?.trim() ?? '').replace(/^\/*/, '/'));
  if (!isSet(full, env)) throw new TokenError(`neither ${relative} nor ${full} is set, so this is no container with a role`);
  const url = tokenUrl(env[full]?.trim() ?? '');
  if (url.protocol === 'https:' || localHosts.test(url.hostname)) return url;
  throw new TokenError(`${full} names a host that is neither local nor reached by https`);
}

async function authorizationIn({ env }: GrantDeps): Promise<string | undefined> {
  if (!isSet(tokenFile, env)) return isSet(token, env) ? checkHeaderValue(env[token]?.trim() ?? '', token) : undefined;
  try {
    return checkHeaderValue((await readRegularFileAsync(env[tokenFile]?.trim() ?? '', maxToken)).toString('utf8').trim(), tokenFile);
  } catch (cause) {
    if (cause instanceof TokenError) throw cause;
    throw new TokenError(`${tokenFile} names a file that cannot be read${codeIn(cause)}`, { cause });
  }
}

/** @throws TokenError if the text cannot be a header value */
function checkHeaderValue(text: string, name: string): string {
  if (/^[\x20-\x7e]+$/.test(text)) return text;
  throw new TokenError(`${name} holds no token that a header could carry`);
}
