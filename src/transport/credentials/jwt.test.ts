import { createHmac, generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  audience,
  type Issuer,
  issuerName,
  type IssuerKey,
  makeKey,
  startIssuer,
  tokenOf,
  type TokenParts,
} from '../../../test/keys/issuer.ts';
import { json } from '../../../test/support/upstream.ts';
import { claimText, type JwtSettings, type JwtVerdict, type JwtVerifier } from '../../core/secrets/jwt.ts';
import { createEgress } from '../outbound/egress/egress.ts';
import { createJwt } from './jwt.ts';
import { createUpstream, type Upstream } from '../outbound/upstream.ts';
import { TimerWheel } from '../wire/timer-wheel.ts';

/** Real key sets over a real socket; only the clock is fake. */

const noon = 1_795_262_400_000;
const seconds = noon / 1000;

let rsa: IssuerKey;
let elliptic: IssuerKey;
let otherKey: IssuerKey;
let issuer: Issuer;
let upstream: Upstream;
let now = noon;
let faults: Error[] = [];
let jwt: ReturnType<typeof createJwt>;
/** How far the wall clock is behind the monotonic clock, in milliseconds. */
let clockOffset: number;

beforeAll(async () => {
  [rsa, elliptic, otherKey] = await Promise.all([makeKey('rsa-1'), makeKey('ec-1', 'ES256'), makeKey('rsa-2')]);
  issuer = await startIssuer();
  upstream = createUpstream({ wheel: new TimerWheel(), lookup: createEgress(() => []).lookup });
});
afterAll(async () => {
  await upstream.close();
  await issuer.server.close();
});
beforeEach(() => {
  now = noon;
  faults = [];
  clockOffset = 0;
  issuer.server.requests.length = 0;
  issuer.show(rsa, elliptic);
  jwt = createJwt({
    upstream,
    checkEgress: () => undefined,
    now: () => now,
    monotonic: () => now + clockOffset,
    onFault: (error) => void faults.push(error),
  });
});

const verifier = (overrides: Partial<JwtSettings> = {}): JwtVerifier =>
  jwt({
    issuers: [issuerName],
    audiences: [audience],
    jwks: { url: issuer.jwksUrl },
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    toleranceS: 30,
    ...overrides,
  });

const token = (key: IssuerKey, parts: TokenParts = {}): Promise<string> => tokenOf(key, parts, now);
const faultOf = (verdict: JwtVerdict): string | undefined => ('fault' in verdict ? verdict.fault : undefined);

/** Signed with the text of the public key as if it were a shared secret. */
function tokenWithWrongAlgorithm(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: 'mallory', iss: issuerName, aud: audience, exp: seconds + 60 };
  const text = `${part({ alg: 'HS256', kid: 'rsa-1' })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', JSON.stringify(rsa.jwk)).update(text).digest('base64url')}`;
}

/** No signature at all. */
function unsignedToken(header: object = { alg: 'none' }): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part({ sub: 'mallory', iss: issuerName, aud: audience, exp: seconds + 60 })}.`;
}

/** The texts of an error and its causes, joined as in the log. */
const logged = (error: unknown): string =>
  error instanceof Error ? [error.message, ...(error.cause === undefined ? [] : [logged(error.cause)])].join(': ') : String(error);

/** Correctly signed, with an exp that is valid JSON but too large for a double. */
const tokenWithoutEnd = (): Promise<string> => signClaims('"sub":"alice","exp":1e400');

/** Correctly signed, with claims in exactly this spelling. */
function signClaims(members: string): Promise<string> {
  const claims = `{"iss":"${issuerName}","aud":"${audience}",${members}}`;
  return new CompactSign(Buffer.from(claims)).setProtectedHeader({ alg: rsa.alg, kid: rsa.kid }).sign(rsa.privateKey);
}

/** The claims changed, the signature unchanged. */
async function forgedToken(): Promise<string> {
  const [head, , signature] = (await token(rsa)).split('.');
  const [, claims] = (await token(otherKey, { claims: { sub: 'mallory' } })).split('.');
  return `${head}.${claims}.${signature}`;
}

describe('JwtVerifier', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['RS256', () => token(rsa)],
    ['ES256', () => token(elliptic)],
    ['one of several audiences', () => token(rsa, { aud: ['elsewhere', audience] })],
    ['an exp within the tolerance', () => token(rsa, { exp: seconds - 29 })],
    ['an nbf within the tolerance', () => token(rsa, { nbf: seconds + 29 })],
  ])('accepts %s', async (_name, createToken) => {
    expect(await verifier().verify(await createToken())).toMatchObject({ claims: { sub: 'alice' } });
  });

  it.each<[string, () => string | Promise<string>, string]>([
    ['text that is not a token', () => 'eyno.token', 'malformed'],
    ['three empty parts', () => 'ey.ey.ey', 'malformed'],
    ['a token that is too long', async () => token(rsa, { claims: { x: 'y'.repeat(20_000) } }), 'malformed'],
    ['another issuer', () => token(rsa, { iss: 'https://issuer.example' }), 'issuer'],
    ['no issuer', () => token(rsa, { claims: { iss: undefined } }), 'issuer'],
    ['another audience', () => token(rsa, { aud: 'llm-gateway-2' }), 'audience'],
    ['an expired token', () => token(rsa, { exp: seconds - 31 }), 'expired'],
    ['a token without exp', () => token(rsa, { exp: undefined }), 'claim'],
    ['an exp that is a string', () => token(rsa, { claims: { exp: 'tomorrow' }, exp: undefined }), 'claim'],
    ['an infinite exp', tokenWithoutEnd, 'claim'],
    ['an nbf in the future', () => token(rsa, { nbf: seconds + 31 }), 'not-yet'],
    ['a key that is not listed', () => token(otherKey), 'unknown-key'],
    ['a listed key id with another key', () => token({ ...otherKey, kid: 'rsa-1' }), 'signature'],
    ['changed claims', forgedToken, 'signature'],
    ['HS256 with the public key as the secret', tokenWithWrongAlgorithm, 'algorithm'],
    ['no signature', () => unsignedToken(), 'algorithm'],
    ['a required extension', () => unsignedToken({ alg: 'RS256', kid: 'rsa-1', crit: ['x'], x: 1 }), 'extension'],
  ])('rejects %s', async (_name, createToken, fault) => {
    expect(faultOf(await verifier().verify(await createToken()))).toBe(fault);
  });

  it('keeps claims with integers beyond 2^53 distinct', async () => {
    const names: unknown[] = [];
    for (const id of ['9007199254740992', '9007199254740993']) {
      const verdict = await verifier().verify(await signClaims(`"exp":${seconds + 60}.0,"id":${id}`));
      names.push('claims' in verdict ? [claimText(verdict.claims['id']), verdict.until] : verdict.fault);
    }
    expect(names).toEqual(['9007199254740992', '9007199254740993'].map((id) => [id, expect.any(Number)]));
  });

  it('rejects an algorithm that the settings do not allow', async () => {
    expect(faultOf(await verifier({ algorithms: ['ES256'] }).verify(await token(rsa)))).toBe('algorithm');
  });

  it('tries each key if the token names no key id', async () => {
    const second = await makeKey('rsa-3');
    issuer.show(rsa, second);
    const withoutKeyId = { header: { kid: undefined } };
    expect(await verifier().verify(await token(second, withoutKeyId))).toMatchObject({ claims: { sub: 'alice' } });
    expect(faultOf(await verifier().verify(await token(otherKey, withoutKeyId)))).toBe('signature');
  });

  it.each([
    ['accepts a token without a key id that is signed with the 32nd key', 31, undefined],
    ['compares a token without a key id with at most 32 keys', 32, 'signature'],
  ])('%s', async (_name, before, fault) => {
    const others = Array.from({ length: before }, (_, i) => ({ ...otherKey.jwk, kid: `other-${i}` }));
    const fileVerifier = verifier({ jwks: { text: JSON.stringify({ keys: [...others, rsa.jwk] }) } });
    expect(faultOf(await fileVerifier.verify(await token(rsa, { header: { kid: undefined } })))).toBe(fault);
  });

  it('tries the other keys if one key is unusable', async () => {
    const shortKey = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    const keys = [{ ...shortKey, kid: 'short', alg: 'RS256', use: 'sig' }, rsa.jwk];
    const fileVerifier = verifier({ jwks: { text: JSON.stringify({ keys }) } });
    const withoutKeyId = { header: { kid: undefined } };
    expect(await fileVerifier.verify(await token(rsa, withoutKeyId))).toMatchObject({ claims: { sub: 'alice' } });
    expect(faultOf(await fileVerifier.verify(await token(otherKey, withoutKeyId)))).toBe('signature');
  });

  it('returns a verdict valid until the token expires, at most while the keys are fresh', async () => {
    expect(await verifier().verify(await token(rsa, { exp: seconds + 60 }))).toMatchObject({ until: noon + 90_000 });
    expect(await verifier().verify(await token(rsa))).toMatchObject({ until: noon + 600_000 });
  });

  it('uses a key set from the configuration without opening a connection', async () => {
    const fileVerifier = verifier({ jwks: { text: JSON.stringify({ keys: [rsa.jwk] }) } });
    expect(await fileVerifier.verify(await token(rsa))).toMatchObject({ claims: { sub: 'alice' } });
    expect(faultOf(await fileVerifier.verify(await token(otherKey)))).toBe('unknown-key');
    expect(issuer.server.requests).toEqual([]);
  });

  it('ignores a private key or a shared secret in a key set', async () => {
    const keys = [
      { ...rsa.jwk, d: 'AQAB' },
      { kty: 'oct', kid: 'oct', k: 'c2VjcmV0' },
    ];
    const fileVerifier = verifier({ jwks: { text: JSON.stringify({ keys }) } });
    expect(faultOf(await fileVerifier.verify(await token(rsa)))).toBe('unknown-key');
  });
});

describe('JWKS of an issuer', () => {
  const fetches = (): number => issuer.server.requests.length;
  const verifyMany = async (count: number, key: IssuerKey): Promise<string[]> => {
    const tokens = await Promise.all(Array.from({ length: count }, (_, i) => token(key, { claims: { sub: `caller-${i}` } })));
    const verdicts = await Promise.all(tokens.map((token) => verifier().verify(token)));
    return [...new Set(verdicts.map((verdict) => faultOf(verdict) ?? 'proven'))];
  };

  it('is fetched once for 500 concurrent callers', async () => {
    expect(await verifyMany(500, rsa)).toEqual(['proven']);
    expect(fetches()).toBe(1);
  });

  it('is fetched once more for 500 tokens signed by a new key', async () => {
    await verifyMany(1, rsa);
    issuer.show(rsa, otherKey);
    expect(await verifyMany(500, otherKey)).toEqual(['proven']);
    expect(fetches()).toBe(2);
  });

  it('is not fetched for every token with an unknown key id', async () => {
    await verifyMany(1, rsa);
    for (let i = 0; i < 50; i += 1)
      expect(faultOf(await verifier().verify(await token({ ...otherKey, kid: `made-up-${i}` })))).toBe('unknown-key');
    expect(fetches()).toBe(2);
    now += 31_000;
    expect(await verifyMany(50, otherKey)).toEqual(['unknown-key']);
    expect(fetches()).toBe(3);
  });

  it('is refreshed in the background, so that a withdrawn key is rejected', async () => {
    await verifyMany(1, rsa);
    issuer.show(elliptic);
    now += 601_000;
    expect(await verifyMany(1, rsa)).toEqual(['proven']);
    await expect.poll(fetches).toBe(2);
    await expect.poll(() => verifyMany(1, rsa)).toEqual(['unknown-key']);
  });

  it('is fetched again after a failure, even if the wall clock was set back', async () => {
    issuer.answer((response) => json(response, 500, {}));
    expect(await verifyMany(1, rsa)).toEqual(['no-keys']);
    issuer.show(rsa);
    now -= 3_600_000;
    clockOffset = 3_605_000;
    expect(await verifyMany(1, rsa)).toEqual(['proven']);
    expect(fetches()).toBe(2);
  });

  it('is used from the cache while the URL is unavailable', async () => {
    await verifyMany(1, rsa);
    issuer.answer((response) => json(response, 500, {}));
    now += 3_600_000;
    expect(await verifyMany(5, rsa)).toEqual(['proven']);
    await expect.poll(() => faults.length).toBe(1);
    expect(String(faults[0])).toMatch(/127\.0\.0\.1:\d+ returned 500/);
    expect(await verifyMany(5, rsa)).toEqual(['proven']);
    expect(await verifyMany(5, otherKey)).toEqual(['unknown-key']);
    expect(fetches()).toBe(2);
  });

  it('is used from the cache for at most one day', async () => {
    await verifyMany(1, rsa);
    issuer.answer((response) => json(response, 500, {}));
    now += 86_400_000;
    expect(await verifyMany(5, rsa)).toEqual(['no-keys']);
    issuer.show(rsa);
    now += 6_000;
    expect(await verifyMany(5, rsa)).toEqual(['proven']);
  });

  it.each<[string, Parameters<Issuer['answer']>[0], RegExp]>([
    ['a 503 error', (response) => json(response, 503, {}), /returned 503/],
    ['an HTML page', (response) => response.end('<html>'), /is not JSON/],
    ['another JSON document', (response) => json(response, 200, { kids: [] }), /key set cannot be used: JSON Web Key Set malformed/],
    ['no keys', (response) => json(response, 200, { keys: [] }), /key set cannot be used: it contains no keys/],
    ['a redirect', (response) => response.writeHead(302, { location: '/else' }).end(), /returned 302/],
    ['a response that is too large', (response) => response.end(Buffer.alloc(2_000_000, 0x20)), /larger than/],
    ['no response and closes the connection', (response) => response.destroy(), /connection closed/],
  ])('is reported as unavailable if the URL returns %s', async (_name, script, message) => {
    issuer.answer(script);
    expect(await verifyMany(100, rsa)).toEqual(['no-keys']);
    expect(await verifyMany(1, rsa)).toEqual(['no-keys']);
    // The client may retry once on a reused connection that broke.
    expect(fetches()).toBeLessThan(5);
    expect(faults.map(logged)).toEqual([expect.stringMatching(message)]);
    // No secret, and no text twice.
    expect(faults.map(logged).join()).not.toMatch(/eyJ|(\w{3}.{6,}): \1/);
    issuer.show(rsa);
    now += 5_001;
    expect(await verifyMany(1, rsa)).toEqual(['proven']);
  });

  it('is not fetched again at once if the failed fetch took long', async () => {
    issuer.answer((response) => {
      now += 10_000;
      json(response, 500, {});
    });
    expect([await verifyMany(1, rsa), await verifyMany(1, rsa)]).toEqual([['no-keys'], ['no-keys']]);
    expect(issuer.server.requests).toHaveLength(1);
    now += 5000;
    expect(await verifyMany(1, rsa)).toEqual(['no-keys']);
    expect(issuer.server.requests).toHaveLength(2);
  });

  it('is shared by settings with the same URL', async () => {
    await verifier().verify(await token(rsa));
    await verifier({ audiences: ['another'] }).verify(await token(rsa, { aud: 'another' }));
    expect(fetches()).toBe(1);
  });
});
