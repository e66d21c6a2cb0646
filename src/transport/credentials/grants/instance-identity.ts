import type { InstanceEndpoint, OAuthGrant } from '../../../core/secrets/grant.ts';
import type { HeaderPairs } from '../../../core/http/headers.ts';
import { type Token, TokenError, type TokenFetcher } from '../token-source.ts';
import { readChallengeFile } from './file-challenge.ts';
import { resolvedText, isSet } from './variables.ts';
import { requestLocalToken, type GrantDeps, tokenOf, type TokenRequest, tokenUrl } from './token-request.ts';

type Grant = Extract<OAuthGrant, { kind: 'instance-identity' }>;

/**
 * The machine's own identity, from the local endpoint in its environment. For the operator's grants only.
 *
 * Own implementation instead of `@azure/identity`: that package has 46 dependencies, rejects authorities with plain http that the
 * operator chose, and its requests bypass the gateway's egress rules.
 */
export function instanceIdentity(grant: Grant, deps: GrantDeps): TokenFetcher {
  return {
    async fetch() {
      const endpoint = grant.endpoints.find(({ when }) => when.every((name) => isSet(name, deps.env)));
      if (endpoint === undefined) throw new TokenError('this machine has no identity');
      if (endpoint.unsupported !== undefined) throw new TokenError(`${endpoint.name} ${endpoint.unsupported}`);
      return fetchToken(endpoint, grant, deps);
    },
  };
}

async function fetchToken(endpoint: InstanceEndpoint, grant: Grant, deps: GrantDeps): Promise<Token> {
  const request = requestFor(endpoint, grant, deps);
  let answer = await requestLocalToken(request, deps, endpoint.name, 'identity');
  if (answer.status === 401 && endpoint.challenge !== undefined) {
    const proof = await readChallengeFile(answer.headers['www-authenticate'], endpoint.challenge, deps.env);
    const headers = [...(request.headers ?? []), 'authorization', `Basic ${proof}`];
    answer = await requestLocalToken({ ...request, headers }, deps, endpoint.name, 'identity');
  }
  return tokenOf(answer, grant.blame);
}

function requestFor(endpoint: InstanceEndpoint, grant: Grant, { env }: GrantDeps): TokenRequest {
  const parameters = new URLSearchParams({ ...endpoint.parameters, resource: grant.resource });
  const identity = grant.identity ?? (endpoint.defaultIdentity === undefined ? '' : resolvedText(endpoint.defaultIdentity, env));
  if (identity !== '') {
    if (endpoint.identity === undefined) {
      const field = grant.identityField;
      throw new TokenError(`${field} cannot be used: ${endpoint.name} has only the machine's own identity`, { field });
    }
    parameters.set(endpoint.identity, identity);
  }
  const url = tokenUrl(`${resolvedText(endpoint.url, env).replace(/\/+$/, '')}${endpoint.path ?? ''}`);
  const headers: HeaderPairs = Object.entries(endpoint.headers).flatMap(([name, value]) => [name, resolvedText(value, env)]);
  const common = { url, headers, trust: 'operator', connectMs: endpoint.connectMs, repeats: endpoint.repeats } as const;
  if (endpoint.method === 'POST') return { ...common, form: parameters };
  for (const [name, value] of parameters) url.searchParams.set(name, value);
  return common;
}
