import type { CredentialOwner, CredentialSpec, UpstreamRequest } from '../../core/provider.ts';
import { credentialHeaders, type HeaderPairs } from '../../core/http/headers.ts';
import { createMask } from '../../core/secrets/mask.ts';
import type { CredentialCompiler } from '../../transport/credentials/sign.ts';

/** Secret value → its reference in the files, such as `${env:OPENAI_API_KEY}`. */
export type References = ReadonlyMap<string, string>;

/** What explanations show instead of credentials that have no reference. Each contains no other parentheses. */
export const placeholders = {
  caller: '(from the caller)',
  inFile: '(set in the file, not shown)',
  token: '(a token, not fetched)',
  keys: '(keys, not fetched)',
  perRequest: '(generated for each request)',
} as const;

/** Signs with references instead of secrets, and fetches nothing. Errors that real signing finds in a credential are still reported. */
export function referenceSigning(sign: CredentialCompiler, references: References): CredentialCompiler {
  return (spec, owner) => {
    const real = sign(spec, owner);
    return { owner: real.owner, headers: () => placeholderHeaders(spec, owner, references) };
  };
}

function placeholderHeaders(spec: CredentialSpec, owner: CredentialOwner, references: References): HeaderPairs {
  const shown = (secret: string): string => (owner === 'caller' ? placeholders.caller : (references.get(secret) ?? placeholders.inFile));
  switch (spec.scheme) {
    case 'none':
      return [];
    case 'bearer':
      return ['authorization', `Bearer ${shown(spec.secret)}`];
    case 'header':
      return [spec.name.toLowerCase(), shown(spec.secret)];
    case 'headers':
      return spec.names
        .map((name) => name.toLowerCase())
        .flatMap((name) => [name, name === 'authorization' ? `Bearer ${shown(spec.secret)}` : shown(spec.secret)]);
    case 'oauth2':
      return ['authorization', `Bearer ${owner === 'caller' ? placeholders.caller : placeholders.token}`];
    case 'aws-sigv4':
      return awsHeaders(spec, shown);
    default:
      return spec satisfies never;
  }
}

function awsHeaders(
  { keys, region, service }: Extract<CredentialSpec, { scheme: 'aws-sigv4' }>,
  shown: (secret: string) => string,
): HeaderPairs {
  const isFetched = 'kind' in keys;
  const id = isFetched ? placeholders.keys : shown(keys.accessKeyId);
  const token =
    isFetched || keys.sessionToken !== undefined
      ? ['x-amz-security-token', isFetched ? placeholders.token : shown(keys.sessionToken ?? '')]
      : [];
  const authorization = `AWS4-HMAC-SHA256 Credential=${id}/${placeholders.perRequest}/${region}/${service}/aws4_request, Signature=${placeholders.perRequest}`;
  return ['x-amz-date', placeholders.perRequest, ...token, 'authorization', authorization];
}

/** Names of headers, in lower case. */
export const headerNames = (pairs: HeaderPairs): string[] => pairs.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());

/** Headers of an upstream request with the caller's credentials masked. */
export function maskedHeaderPairs(request: UpstreamRequest, signed: HeaderPairs): (readonly [string, string])[] {
  const signing = new Set(headerNames(signed));
  const pairs: (readonly [string, string])[] = [];
  for (let i = 0; i + 1 < request.headers.length; i += 2) {
    const name = (request.headers[i] ?? '').toLowerCase();
    pairs.push([name, credentialHeaders.has(name) || signing.has(name) ? placeholders.caller : (request.headers[i + 1] ?? '')]);
  }
  for (let i = 0; i + 1 < signed.length; i += 2) pairs.push([(signed[i] ?? '').toLowerCase(), signed[i + 1] ?? '']);
  return pairs;
}

/** Replaces each secret of the configuration in a text by its reference, or masks it if it has none. */
export function createRedactor(references: References, secrets: readonly string[]): (text: string) => string {
  const known = [...references]
    .filter(([value]) => value.length >= minSecretLength && secrets.includes(value))
    .flatMap(([value, text]) => [[value, text] as const, [JSON.stringify(value).slice(1, -1), text] as const])
    .toSorted(([one], [other]) => other.length - one.length);
  const mask = createMask(secrets);
  return (text) => mask.text(known.reduce((out, [value, reference]) => out.replaceAll(value, () => reference), text));
}

/** In characters. Replacing shorter values would garble ordinary text. */
const minSecretLength = 6;
