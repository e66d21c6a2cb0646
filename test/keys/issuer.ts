import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { json, type Script, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** A key of the issuer: signs tokens, and its public half is published. */
export interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export async function makeKey(kid: string, alg = 'RS256'): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** A token issuer on loopback with a JWKS URL whose keys can be replaced. */
export interface Issuer {
  readonly url: string;
  readonly jwksUrl: string;
  readonly server: ScriptedUpstream;
  /** Sets what the JWKS URL returns. */
  show(...keys: readonly IssuerKey[]): void;
  answer(script: Script): void;
}

export const audience = 'llm-gateway';
export const issuerName = 'https://issuer.example/';

export async function startIssuer(...keys: readonly IssuerKey[]): Promise<Issuer> {
  const set =
    (published: readonly IssuerKey[]): Script =>
    (response) =>
      json(response, 200, { keys: published.map(({ jwk }) => jwk) });
  const server = await startUpstream(set(keys));
  return {
    url: server.url,
    jwksUrl: `${server.url}/keys.json`,
    server,
    show: (...published) => {
      server.script = set(published);
    },
    answer: (script) => {
      server.script = script;
    },
  };
}

export interface TokenParts {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Unix seconds; undefined omits the claim. */
  readonly exp?: number | undefined;
  readonly nbf?: number;
  readonly iss?: string;
  readonly aud?: string | string[];
}

/** A valid token, unless the parts make it invalid. @param now Unix milliseconds */
export function tokenOf(key: IssuerKey, parts: TokenParts = {}, now = Date.now()): Promise<string> {
  const seconds = Math.floor(now / 1000);
  const claims: Record<string, unknown> = { sub: 'alice', iss: issuerName, aud: audience, iat: seconds, ...parts.claims };
  if (parts.iss !== undefined) claims['iss'] = parts.iss;
  if (parts.aud !== undefined) claims['aud'] = parts.aud;
  if (parts.nbf !== undefined) claims['nbf'] = parts.nbf;
  const exp = 'exp' in parts ? parts.exp : seconds + 3600;
  if (exp !== undefined) claims['exp'] = exp;
  return new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid, ...parts.header }).sign(key.privateKey);
}
