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
import { createEgress } from '../outbound/egress.ts';
import { createJwt } from './jwt.ts';
import { createUpstream, type Upstream } from '../outbound/upstream.ts';
import { Wheel } from '../wire/wheel.ts';

/** Real sets of keys over a real socket; only the clock is played. */

const noon = 1_795_262_400_000;
const seconds = noon / 1000;

let rsa: IssuerKey;
let elliptic: IssuerKey;
let other: IssuerKey;
let issuer: Issuer;
let upstream: Upstream;
let now = noon;
let faults: Error[] = [];
let jwt: ReturnType<typeof createJwt>;
/** How far the time of day is behind the one that only goes forward, in milliseconds. */
let setBack: number;

beforeAll(async () => {
  [rsa, elliptic, other] = await Promise.all([makeKey('rsa-1'), makeKey('ec-1', 'ES256'), makeKey('rsa-2')]);
  issuer = await startIssuer();
  upstream = createUpstream({ wheel: new Wheel(), lookup: createEgress(() => []).lookup });
});
afterAll(async () => {
  await upstream.close();
  await issuer.server.close();
});
beforeEach(() => {
  now = noon;
  faults = [];
  setBack = 0;
  issuer.server.requests.length = 0;
  issuer.show(rsa, elliptic);
  jwt = createJwt({
    upstream,
    checkEgress: () => undefined,
    now: () => now,
    monotonic: () => now + setBack,
    onFault: (error) => void faults.push(error),
  });
});

const verifier = (over: Partial<JwtSettings> = {}): JwtVerifier =>
  jwt({
    issuers: [issuerName],
    audiences: [audience],
    jwks: { url: issuer.jwksUrl },
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    toleranceS: 30,
    ...over,
  });

const token = (key: IssuerKey, parts: TokenParts = {}): Promise<string> => tokenOf(key, parts, now);
const faultIn = (verdict: JwtVerdict): string | undefined => ('fault' in verdict ? verdict.fault : undefined);

/** Signed with the text of the public key as if it were a shared secret. */
function confused(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: 'mallory', iss: issuerName, aud: audience, exp: seconds + 60 };
  const text = `${part({ alg: 'HS256', kid: 'rsa-1' })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', JSON.stringify(rsa.jwk)).update(text).digest('base64url')}`;
}

/** No signature at all. */
function unsigned(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub: 'mallory', iss: issuerName, aud: audience, exp: seconds + 60 })}.`;
}

/** Signed as ever, over an end that JSON can write and no double holds. */
const endless = (): Promise<string> => written('"sub":"alice","exp":1e400');

/** Signed as ever, over claims that are written like this. */
function written(members: string): Promise<string> {
  const claims = `{"iss":"${issuerName}","aud":"${audience}",${members}}`;
  return new CompactSign(Buffer.from(claims)).setProtectedHeader({ alg: rsa.alg, kid: rsa.kid }).sign(rsa.privateKey);
}

/** The claims changed, the signature kept. */
async function forged(): Promise<string> {
  const [head, , signature] = (await token(rsa)).split('.');
  const [, claims] = (await token(other, { claims: { sub: 'mallory' } })).split('.');
  return `${head}.${claims}.${signature}`;
}

describe('proving a token', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['RS256', () => token(rsa)],
    ['ES256', () => token(elliptic)],
    ['one of several audiences', () => token(rsa, { aud: ['elsewhere', audience] })],
    ['an end within the tolerance', () => token(rsa, { exp: seconds - 29 })],
    ['a beginning within the tolerance', () => token(rsa, { nbf: seconds + 29 })],
  ])('takes %s', async (_what, make) => {
    expect(await verifier().verify(await make())).toMatchObject({ claims: { sub: 'alice' } });
  });

  it.each<[string, () => string | Promise<string>, string]>([
    ['no token', () => 'eyno.token', 'malformed'],
    ['three parts that hold nothing', () => 'ey.ey.ey', 'malformed'],
    ['more than a token can be', async () => token(rsa, { claims: { x: 'y'.repeat(20_000) } }), 'malformed'],
    ['another issuer', () => token(rsa, { iss: 'https://issuer.example' }), 'issuer'],
    ['no issuer', () => token(rsa, { claims: { iss: undefined } }), 'issuer'],
    ['another audience', () => token(rsa, { aud: 'llm-gateway-2' }), 'audience'],
    ['an end that is over', () => token(rsa, { exp: seconds - 31 }), 'expired'],
    ['no end', () => token(rsa, { exp: undefined }), 'claim'],
    ['an end that is a text', () => token(rsa, { claims: { exp: 'tomorrow' }, exp: undefined }), 'claim'],
    ['an end beyond all numbers', endless, 'claim'],
    ['a beginning to come', () => token(rsa, { nbf: seconds + 31 }), 'not-yet'],
    ['a key that is not listed', () => token(other), 'unknown-key'],
    ['a listed key id over another key', () => token({ ...other, kid: 'rsa-1' }), 'signature'],
    ['changed claims', forged, 'signature'],
    ['a shared secret made of the public key', confused, 'algorithm'],
    ['no signature', unsigned, 'algorithm'],
  ])('refuses %s', async (_what, make, fault) => {
    expect(faultIn(await verifier().verify(await make()))).toBe(fault);
  });

  it('tells callers with long numbers for names apart', async () => {
    const names: unknown[] = [];
    for (const id of ['9007199254740992', '9007199254740993']) {
      const verdict = await verifier().verify(await written(`"exp":${seconds + 60}.0,"id":${id}`));
      names.push('claims' in verdict ? [claimText(verdict.claims['id']), verdict.until] : verdict.fault);
    }
    expect(names).toEqual(['9007199254740992', '9007199254740993'].map((id) => [id, expect.any(Number)]));
  });

  it('takes only the algorithms that are allowed', async () => {
    expect(faultIn(await verifier({ algorithms: ['ES256'] }).verify(await token(rsa)))).toBe('algorithm');
  });

  it('tries each key where the token names none', async () => {
    const second = await makeKey('rsa-3');
    issuer.show(rsa, second);
    const nameless = { header: { kid: undefined } };
    expect(await verifier().verify(await token(second, nameless))).toMatchObject({ claims: { sub: 'alice' } });
    expect(faultIn(await verifier().verify(await token(other, nameless)))).toBe('signature');
  });

  it('tries the others where one of the keys cannot be used', async () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    const keys = [{ ...short, kid: 'short', alg: 'RS256', use: 'sig' }, rsa.jwk];
    const written = verifier({ jwks: { text: JSON.stringify({ keys }) } });
    const nameless = { header: { kid: undefined } };
    expect(await written.verify(await token(rsa, nameless))).toMatchObject({ claims: { sub: 'alice' } });
    expect(faultIn(await written.verify(await token(other, nameless)))).toBe('signature');
  });

  it('may be believed until the token ends, and no longer than keys are fresh', async () => {
    expect(await verifier().verify(await token(rsa, { exp: seconds + 60 }))).toMatchObject({ until: noon + 90_000 });
    expect(await verifier().verify(await token(rsa))).toMatchObject({ until: noon + 600_000 });
  });

  it('reads a set that is written in the configuration, and opens no connection', async () => {
    const written = verifier({ jwks: { text: JSON.stringify({ keys: [rsa.jwk] }) } });
    expect(await written.verify(await token(rsa))).toMatchObject({ claims: { sub: 'alice' } });
    expect(faultIn(await written.verify(await token(other)))).toBe('unknown-key');
    expect(issuer.server.requests).toEqual([]);
  });

  it('is not led astray by a set with a private key or a shared secret', async () => {
    const keys = [
      { ...rsa.jwk, d: 'AQAB' },
      { kty: 'oct', kid: 'oct', k: 'c2VjcmV0' },
    ];
    const written = verifier({ jwks: { text: JSON.stringify({ keys }) } });
    expect(faultIn(await written.verify(await token(rsa)))).toBe('unknown-key');
  });
});

describe('the keys of an issuer', () => {
  const fetches = (): number => issuer.server.requests.length;
  const many = async (count: number, key: IssuerKey): Promise<string[]> => {
    const tokens = await Promise.all(Array.from({ length: count }, (_, i) => token(key, { claims: { sub: `caller-${i}` } })));
    const verdicts = await Promise.all(tokens.map((each) => verifier().verify(each)));
    return [...new Set(verdicts.map((verdict) => faultIn(verdict) ?? 'proven'))];
  };

  it('are fetched once for 500 callers who come at once', async () => {
    expect(await many(500, rsa)).toEqual(['proven']);
    expect(fetches()).toBe(1);
  });

  it('are fetched once more for 500 tokens by a new key', async () => {
    await many(1, rsa);
    issuer.show(rsa, other);
    expect(await many(500, other)).toEqual(['proven']);
    expect(fetches()).toBe(2);
  });

  it('are not fetched for a flood of unknown key ids', async () => {
    await many(1, rsa);
    for (let i = 0; i < 50; i += 1)
      expect(faultIn(await verifier().verify(await token({ ...other, kid: `made-up-${i}` })))).toBe('unknown-key');
    expect(fetches()).toBe(2);
    now += 31_000;
    expect(await many(50, other)).toEqual(['unknown-key']);
    expect(fetches()).toBe(3);
  });

  it('are looked at again in the background, so that a withdrawn one ends', async () => {
    await many(1, rsa);
    issuer.show(elliptic);
    now += 601_000;
    expect(await many(1, rsa)).toEqual(['proven']);
    await expect.poll(fetches).toBe(2);
    await expect.poll(() => many(1, rsa)).toEqual(['unknown-key']);
  });

  it('are fetched again after a while, also when the time of day was set back', async () => {
    issuer.answer((response) => json(response, 500, {}));
    expect(await many(1, rsa)).toEqual(['no-keys']);
    issuer.show(rsa);
    now -= 3_600_000;
    setBack = 3_605_000;
    expect(await many(1, rsa)).toEqual(['proven']);
    expect(fetches()).toBe(2);
  });

  it('serve while the URL is down', async () => {
    await many(1, rsa);
    issuer.answer((response) => json(response, 500, {}));
    now += 3_600_000;
    expect(await many(5, rsa)).toEqual(['proven']);
    await expect.poll(() => faults.length).toBe(1);
    expect(String(faults[0])).toMatch(/127\.0\.0\.1:\d+ returned 500/);
    expect(await many(5, rsa)).toEqual(['proven']);
    expect(await many(5, other)).toEqual(['unknown-key']);
    expect(fetches()).toBe(2);
  });

  it('serve a day of it, and then no more', async () => {
    await many(1, rsa);
    issuer.answer((response) => json(response, 500, {}));
    now += 86_400_000;
    expect(await many(5, rsa)).toEqual(['no-keys']);
    issuer.show(rsa);
    now += 6_000;
    expect(await many(5, rsa)).toEqual(['proven']);
  });

  it.each<[string, Parameters<Issuer['answer']>[0], RegExp]>([
    ['an error', (response) => json(response, 503, {}), /returned 503/],
    ['a page', (response) => response.end('<html>'), /is not JSON/],
    ['something else', (response) => json(response, 200, { kids: [] }), /not a JSON Web Key Set/],
    ['no keys', (response) => json(response, 200, { keys: [] }), /contains no keys/],
    ['another place', (response) => response.writeHead(302, { location: '/else' }).end(), /returned 302/],
    ['a flood', (response) => response.end(Buffer.alloc(2_000_000, 0x20)), /larger than/],
    ['nothing, and hangs up', (response) => response.destroy(), /broke/],
  ])('cannot be had when the URL answers %s', async (_what, script, words) => {
    issuer.answer(script);
    expect(await many(100, rsa)).toEqual(['no-keys']);
    expect(await many(1, rsa)).toEqual(['no-keys']);
    // A broken connection that had served before is tried again by the client below.
    expect(fetches()).toBeLessThan(5);
    expect(faults.map(String)).toEqual([expect.stringMatching(words)]);
    expect(faults.map(String).join()).not.toMatch(/eyJ/);
    issuer.show(rsa);
    now += 5_001;
    expect(await many(1, rsa)).toEqual(['proven']);
  });

  it('are not asked for again at once where the answer took long to fail', async () => {
    issuer.answer((response) => {
      now += 10_000;
      json(response, 500, {});
    });
    expect([await many(1, rsa), await many(1, rsa)]).toEqual([['no-keys'], ['no-keys']]);
    expect(issuer.server.requests).toHaveLength(1);
    now += 5000;
    expect(await many(1, rsa)).toEqual(['no-keys']);
    expect(issuer.server.requests).toHaveLength(2);
  });

  it('are shared by settings that name the same URL', async () => {
    await verifier().verify(await token(rsa));
    await verifier({ audiences: ['another'] }).verify(await token(rsa, { aud: 'another' }));
    expect(fetches()).toBe(1);
  });
});
