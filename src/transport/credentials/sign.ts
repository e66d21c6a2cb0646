import type { HeaderPairs } from '../../core/http/headers.ts';
import { type SecretVariants, secretVariants } from '../../core/secrets/redactor.ts';
import type { CredentialOwner, CredentialSpec, OAuthGrant } from '../../core/provider.ts';
import type { CredentialRef } from '../../core/snapshot.ts';
import { awsCredential } from './aws/credential.ts';
import { checkHeaders, tokenFault } from './faults.ts';
import type { TokenSources } from './token-source.ts';

type Scheme = CredentialSpec['scheme'];
/** Compiles the credential of each scheme, once at startup or when a request contains it. */
type Schemes = { readonly [S in Scheme]: (spec: Extract<CredentialSpec, { scheme: S }>, owner: CredentialOwner) => CredentialRef };

/**
 * Compiles a credential to a request signer. @throws GatewayError `invalid_config` if a secret contains characters that are not
 * allowed in a header
 */
export type CredentialCompiler = (spec: CredentialSpec, owner: CredentialOwner) => CredentialRef;

/**
 * @param tokens cache of fetched tokens, for all schemes
 * @param now Unix milliseconds, for signatures with a date
 */
export function createCredentialCompiler(tokens: TokenSources, now: () => number = Date.now): CredentialCompiler {
  /** One row per scheme; a new scheme needs a row here and a type in `CredentialSpec`. */
  const schemes: Schemes = {
    none: (_, owner) => staticCredential(owner, []),
    // Removes the prefix `Bearer`, which users often paste with the key. No key starts with it.
    bearer: ({ secret }, owner) => staticCredential(owner, ['authorization', `Bearer ${secret.replace(/^bearer\s+/i, '')}`]),
    header: ({ name, secret }, owner) => staticCredential(owner, [name.toLowerCase(), secret]),
    headers: ({ names, secret }, owner) => staticCredential(owner, keyHeaders(names, secret)),
    oauth2: ({ grant }, owner) => tokenCredential(owner, grant, tokens),
    'aws-sigv4': (spec, owner) => awsCredential(owner, spec, tokens, now),
  };
  return <S extends Scheme>(spec: Extract<CredentialSpec, { scheme: S }>, owner: CredentialOwner) =>
    (schemes[spec.scheme as S] as (spec: Extract<CredentialSpec, { scheme: S }>, owner: CredentialOwner) => CredentialRef)(spec, owner);
}

/** Sends the same key in each header; `authorization` needs the prefix `Bearer`. */
function keyHeaders(names: readonly string[], secret: string): HeaderPairs {
  const bare = secret.replace(/^bearer\s+/i, '');
  return names.map((name) => name.toLowerCase()).flatMap((name) => [name, name === 'authorization' ? `Bearer ${bare}` : bare]);
}

/** The headers are created, checked and frozen once, because the same list is used for every request. */
function staticCredential(owner: CredentialOwner, headers: HeaderPairs): CredentialRef {
  checkHeaders(headers);
  Object.freeze(headers);
  let forms: SecretVariants | null | undefined = null;
  const secrets = (): SecretVariants | undefined => {
    if (forms === null) forms = secretVariants(headers);
    return forms;
  };
  return { owner, headers: () => headers, secrets };
}

/** A fetched token: without waiting while it is valid, otherwise after fetching it. */
function tokenCredential(owner: CredentialOwner, grant: OAuthGrant, tokens: TokenSources): CredentialRef {
  const source = tokens.for(grant, owner === 'catalog' ? 'operator' : 'request');
  let last: { readonly token: string; readonly headers: HeaderPairs; readonly forms: SecretVariants | undefined } | undefined;
  const headersOf = (token: string): HeaderPairs => {
    if (last?.token !== token) {
      const headers = ['authorization', `Bearer ${token}`];
      checkHeaders(headers);
      Object.freeze(headers);
      last = { token, headers, forms: secretVariants(headers) };
    }
    return last.headers;
  };
  return {
    owner,
    headers: () => {
      const token = source.get();
      if (typeof token === 'string') return headersOf(token);
      return token.then(headersOf, (error: unknown) => {
        throw tokenFault(owner, error);
      });
    },
    // The response to a request that was signed before a renewal may arrive after it.
    secrets: (used) => (last?.headers === used ? last.forms : secretVariants(used)),
    evict: (used) => source.evict((used[1] ?? '').slice('Bearer '.length)),
  };
}
