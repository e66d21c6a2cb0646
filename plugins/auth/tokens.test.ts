import { describe, expect, it } from 'vitest';
import type { JwtClaims, JwtFault, JwtVerdict } from '#core/secrets/jwt.ts';
import type { JwtRules } from '#core/snapshot.ts';
import {
  makeContext,
  makeHost,
  makeKey,
  makeSnapshot,
  noon,
  refusal,
  setUp,
  type SnapshotParts,
} from '../../test/support/stage-context.ts';
import auth from './index.ts';

/** Verification is simulated: these tests check how a verdict affects the request. */

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenOf = (issuer: string, extraClaims: JwtClaims = {}): string =>
  `${part({ alg: 'RS256' })}.${part({ iss: issuer, ...extraClaims })}.c2ln`;
const validToken = tokenOf('https://issuer.example/');
const foreignToken = tokenOf('https://elsewhere.example/');

const rules = (overrides: Partial<JwtRules> = {}): JwtRules => ({
  settings: { issuers: ['https://issuer.example/'], audiences: ['gw'], jwks: { text: '{}' }, algorithms: ['RS256'], toleranceS: 0 },
  inAuthorization: false,
  caller: 'sub',
  metadata: [],
  keyClaim: undefined,
  rules: makeKey('jwt'),
  keys: new Map(),
  ...overrides,
});

interface Scene extends SnapshotParts {
  readonly jwt?: Partial<JwtRules>;
  readonly verdict?: JwtVerdict;
}

async function scene({ jwt, verdict = { claims: { sub: 'alice' }, until: noon + 60_000 }, ...parts }: Scene = {}) {
  const verified: string[] = [];
  const warnings: string[] = [];
  const host = makeHost({
    jwt: () => ({
      verify: (token) => {
        verified.push(token);
        return Promise.resolve(verdict);
      },
    }),
    log: { warn: (_fields, message) => void warnings.push(message), debug: () => undefined, request: () => undefined },
  });
  const plugin = await setUp(auth, {}, host);
  const snapshot = makeSnapshot({ ...parts, overrides: { jwt: rules(jwt) } });
  const admit = (headers: Record<string, string>, now = noon) => plugin.admit?.(makeContext({ snapshot, headers, overrides: { at: now } }));
  const callerOf = async (headers: Record<string, string>, now?: number) => (await admit(headers, now))?.caller;
  return { admit, callerOf, verified, warnings };
}

describe('a JWT as a gateway key', () => {
  it('has a separate object owner for each issuer and each full subject', async () => {
    const longName = 'a'.repeat(200);
    const claims = [
      { iss: 'https://issuer.example/', sub: 'alice' },
      { iss: 'https://other.example/', sub: 'alice' },
      { iss: 'https://issuer.example/', sub: `${longName}1` },
      { iss: 'https://issuer.example/', sub: `${longName}2` },
      { iss: 'https://issuer.example/', sub: 'a\u0001' },
      { iss: 'https://issuer.example/', sub: 'a\u0002' },
    ];
    const owners: (string | undefined)[] = [];
    for (const callerClaims of claims) {
      const { callerOf } = await scene({ verdict: { claims: callerClaims, until: noon + 1 } });
      owners.push((await callerOf({ 'x-gateway-api-key': validToken }))?.key?.owner);
    }
    expect(new Set(owners).size).toBe(claims.length);
    expect(owners.every((owner) => owner?.startsWith('jwt:'))).toBe(true);
  });

  it('sets the name of the caller', async () => {
    const { callerOf } = await scene();
    const caller = await callerOf({ 'x-gateway-api-key': validToken });
    expect(caller).toMatchObject({ name: 'jwt:alice', key: { name: 'jwt:alice', id: '' }, credential: undefined, consumed: [] });
  });

  it.each([
    ['of 128 characters', 'a'.repeat(128), 'b'.repeat(128), /^jwt:a{128}$/],
    ['that is too long', `${'a'.repeat(128)}1`, `${'a'.repeat(128)}2`, /^jwt:a{115}~[0-9a-f]{12}$/],
    ['that would be cut within a character', `${'a'.repeat(114)}${'\u{1f600}'.repeat(20)}`, 'b', /^jwt:a{114}\ufffd~[0-9a-f]{12}$/],
    ['with control characters', 'a\u0001', 'a\u0002', /^jwt:a\ufffd~[0-9a-f]{12}$/],
    ['with a lone surrogate', 'a\ud800', 'a\ud801', /^jwt:a\ufffd~[0-9a-f]{12}$/],
    ['with a credential', 'https://u:p1@a.example', 'https://u:p2@a.example', /^jwt:https:\/\/\*\*\*@a\.example~[0-9a-f]{12}$/],
  ])('has a name of its own, the one in its records, if it has one %s', async (_, one, other, name) => {
    const names: (string | undefined)[] = [];
    for (const sub of [one, other]) {
      const { callerOf } = await scene({ verdict: { claims: { iss: 'https://issuer.example/', sub }, until: noon + 1 } });
      names.push((await callerOf({ 'x-gateway-api-key': validToken }))?.name);
    }
    expect(names[0]).toMatch(name);
    expect(new Set(names).size).toBe(2);
  });

  it('is verified once and then cached until it expires', async () => {
    const { admit, callerOf, verified } = await scene();
    expect(admit({ 'x-gateway-api-key': validToken })).toBeInstanceOf(Promise);
    await callerOf({ 'x-gateway-api-key': validToken });
    const before = verified.length;
    expect(admit({ 'x-gateway-api-key': validToken }, noon + 59_999)).not.toBeInstanceOf(Promise);
    expect(verified).toHaveLength(before);
    expect(admit({ 'x-gateway-api-key': validToken }, noon + 60_000)).toBeInstanceOf(Promise);
    expect(verified).toHaveLength(before + 1);
  });

  it('is cached together with a limited number of others; the oldest is evicted', async () => {
    const { admit, callerOf } = await scene();
    const tokenWithId = (i: number): string => tokenOf('https://issuer.example/', { jti: i });
    for (let i = 0; i <= 5_000; i += 1) await callerOf({ 'x-gateway-api-key': tokenWithId(i) });
    expect(admit({ 'x-gateway-api-key': tokenWithId(5_000) })).not.toBeInstanceOf(Promise);
    expect(admit({ 'x-gateway-api-key': tokenWithId(0) })).toBeInstanceOf(Promise);
  });

  it('does not affect ordinary keys, which need no verification', async () => {
    const { admit, verified } = await scene({ keys: { 'a-key-chosen-by-hand': makeKey('by-hand') } });
    expect(admit({ 'x-gateway-api-key': 'a-key-chosen-by-hand' })).toMatchObject({ caller: { name: 'by-hand' } });
    expect(verified).toEqual([]);
  });

  it.each<[string, Partial<JwtRules>, JwtClaims, string]>([
    ['another claim', { caller: 'email' }, { email: 'a@b.example' }, 'jwt:a@b.example'],
    ['a claim with a dotted name', { caller: 'https://x.example/id' }, { 'https://x.example/id': 7 }, 'jwt:7'],
    ['a claim inside another', { caller: 'user.name' }, { user: { name: 'bo' } }, 'jwt:bo'],
    ['a claim with terminal control characters, which it replaces', {}, { sub: 'a\u001b[31m\nb' }, 'jwt:a\ufffd[31m b~'],
  ])('takes the caller name from %s', async (_name, jwt, claims, name) => {
    const { callerOf } = await scene({ jwt, verdict: { claims, until: noon + 1 } });
    expect((await callerOf({ 'x-gateway-api-key': validToken }))?.name.replace(/~.*/, '~')).toBe(name);
  });

  it('fills the metadata from claims', async () => {
    const metadata = [
      ['team', 'dept'],
      ['roles', 'realm.roles'],
      ['absent', 'nothing'],
      ['object', 'realm'],
      ['long', 'essay'],
    ] as const;
    const claims = { sub: 'alice', dept: 'search', realm: { roles: ['a', 'b'] }, essay: 'x'.repeat(129) };
    const { callerOf, warnings } = await scene({ jwt: { metadata }, verdict: { claims, until: noon + 1 } });
    expect((await callerOf({ 'x-gateway-api-key': validToken }))?.key?.metadata).toEqual({ team: 'search', roles: 'a,b' });
    expect(warnings).toEqual([expect.stringContaining('longer than 128')]);
  });
});

describe('the rules for a JWT', () => {
  const key = makeKey('app-web', {
    id: '9f86d081',
    allowsModel: (name) => name === 'small',
    metadata: { team: 'web', app: 'shop' },
    defaultConfig: 'support',
  });
  const keys = new Map([
    ['app-web', key],
    ['old', makeKey('old', { expires: noon })],
    ['gone', makeKey('gone', { revoked: noon })],
  ]);
  const admitNamed = (value: unknown) =>
    scene({
      jwt: { keyClaim: 'app', keys, metadata: [['team', 'dept']] },
      verdict: { claims: { sub: 'alice', app: value, dept: 'search' }, until: noon + 1 },
    });

  it('are those of auth.jwt', async () => {
    const { callerOf } = await scene({ jwt: { rules: makeKey('jwt', { defaultConfig: 'draft' }) } });
    expect((await callerOf({ 'x-gateway-api-key': validToken }))?.key?.defaultConfig).toBe('draft');
  });

  it('are those of the key that a claim names, with metadata of claims before that of the key', async () => {
    const { callerOf } = await admitNamed('app-web');
    const caller = await callerOf({ 'x-gateway-api-key': validToken });
    expect(caller?.key).toMatchObject({ name: 'jwt:alice', id: '', defaultConfig: 'support', metadata: { team: 'search', app: 'shop' } });
    expect([caller?.key?.allowsModel('small'), caller?.key?.allowsModel('big')]).toEqual([true, false]);
  });

  it.each([
    ['an unknown key', 'nobody', 'invalid_api_key', /claim "app" of the token .* names no key/],
    ['no key', undefined, 'invalid_api_key', /no usable claim "app"/],
    ['an expired key', 'old', 'expired_api_key', /expired on 2026-11-21/],
    ['a revoked key', 'gone', 'invalid_api_key', /was revoked on 2026-11-21/],
  ])('cannot come from a claim that names %s', async (_name, value, code, message) => {
    const { callerOf } = await admitNamed(value);
    const error = await refusal(() => callerOf({ 'x-gateway-api-key': validToken }));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

describe('the header that contains a JWT', () => {
  const bothHeaders = { 'x-gateway-api-key': 'a-key-chosen-by-hand' };
  const keys = { 'a-key-chosen-by-hand': makeKey('by-hand') };

  it.each<[string, boolean, Record<string, string>, string, string[], string | undefined]>([
    ['the gateway header', false, { 'x-gateway-api-key': validToken }, 'jwt:alice', [], undefined],
    ['the gateway header, after Bearer', false, { 'x-gateway-api-key': `Bearer ${validToken}` }, 'jwt:alice', [], undefined],
    [
      'both headers',
      false,
      { 'x-gateway-api-key': validToken, authorization: `Bearer ${validToken}` },
      'jwt:alice',
      ['authorization'],
      undefined,
    ],
    [
      'authorization, if auth.jwt.from includes it',
      true,
      { authorization: `Bearer ${validToken}` },
      'jwt:alice',
      ['authorization'],
      undefined,
    ],
    [
      'authorization next to a key, consumed too',
      true,
      { ...bothHeaders, authorization: `Bearer ${validToken}` },
      'by-hand',
      ['authorization'],
      undefined,
    ],
    [
      'authorization next to a key, with a token of another issuer',
      true,
      { ...bothHeaders, authorization: `Bearer ${foreignToken}` },
      'by-hand',
      [],
      foreignToken,
    ],
    [
      'authorization next to a key, if auth.jwt.from excludes it',
      false,
      { ...bothHeaders, authorization: `Bearer ${validToken}` },
      'by-hand',
      [],
      validToken,
    ],
  ])('can be %s', async (_name, inAuthorization, headers, name, consumed, credential) => {
    const { callerOf } = await scene({ keys, jwt: { inAuthorization } });
    for (let i = 0; i < 2; i += 1) expect(await callerOf(headers)).toMatchObject({ name, consumed, credential });
  });

  it.each([
    ['authorization, if auth.jwt.from excludes it', false, { authorization: `Bearer ${validToken}` }, /"authorization" is not a key/],
    ['x-api-key', true, { 'x-api-key': validToken }, /"x-api-key" is not a key/],
  ])('cannot be %s', async (_name, inAuthorization, headers, message) => {
    const { callerOf, verified } = await scene({ jwt: { inAuthorization } });
    const error = await refusal(() => callerOf(headers));
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(/token as "x-gateway-api-key".*auth\.jwt\.from/);
    expect(verified).toEqual([]);
  });

  it('is named in the error for a token of another issuer', async () => {
    const { callerOf } = await scene({ jwt: { inAuthorization: true }, verdict: { fault: 'issuer' } });
    expect((await refusal(() => callerOf({ authorization: `Bearer ${foreignToken}` }))).message).toMatch(
      /"authorization" is from another issuer/,
    );
  });
});

describe('auth rejects a JWT', () => {
  it.each<[JwtFault, string, number, RegExp]>([
    ['malformed', 'invalid_api_key', 401, /is not a valid JWT/],
    ['algorithm', 'invalid_api_key', 401, /algorithm that is not accepted/],
    ['issuer', 'invalid_api_key', 401, /another issuer/],
    ['audience', 'invalid_api_key', 401, /another audience/],
    ['expired', 'expired_api_key', 401, /has expired/],
    ['not-yet', 'invalid_api_key', 401, /not valid yet/],
    ['claim', 'invalid_api_key', 401, /no usable claim "exp"/],
    ['unknown-key', 'invalid_api_key', 401, /key that the issuer does not list/],
    ['signature', 'invalid_api_key', 401, /invalid signature/],
    ['no-keys', 'auth_unavailable', 503, /keys of its issuer are not available/],
  ])('that fails verification: %s', async (fault, code, status, message) => {
    const { callerOf } = await scene({ verdict: { fault } });
    const error = await refusal(() => callerOf({ 'x-portkey-api-key': validToken }));
    expect(error).toMatchObject({ code, status, param: 'x-portkey-api-key' });
    expect(error.message).toMatch(message);
    expect(error.hint).toBeTruthy();
    expect(`${error.message}${error.hint}`).not.toContain(validToken.slice(0, 10));
  });

  it('with the usual errors if the value is not a JWT', async () => {
    const { callerOf } = await scene();
    expect((await refusal(() => callerOf({ 'x-gateway-api-key': 'nothing-we-know-of' }))).message).toMatch(/is unknown/);
    expect((await refusal(() => callerOf({}))).code).toBe('missing_api_key');
  });

  it('without a usable caller claim', async () => {
    const { callerOf } = await scene({ verdict: { claims: { sub: '' }, until: noon + 1 } });
    const error = await refusal(() => callerOf({ 'x-gateway-api-key': validToken }));
    expect(error).toMatchObject({
      message: expect.stringContaining('no usable claim "sub"'),
      hint: expect.stringContaining('auth.jwt.caller'),
    });
  });
});

describe('a verified JWT', () => {
  const header = (token: string): Record<string, string> => ({ 'x-gateway-api-key': token });
  const tokenOfUser = (user: number): string => tokenOf('https://issuer.example/', { sub: `user-${user}` });

  it.each([
    ['is cached until it expires', noon + 1, [validToken]],
    ['is verified again if it expires at once', noon, [validToken, validToken]],
  ])('%s', async (_name, until, expected) => {
    const { callerOf, verified } = await scene({ verdict: { claims: { sub: 'alice' }, until } });
    for (const _ of [1, 2]) expect((await callerOf(header(validToken)))?.name).toContain('alice');
    expect(verified).toEqual(expected);
  });

  it.each([
    [4096, 1],
    [4097, 2],
  ])('of %i characters is verified %i times for two requests', async (length, times) => {
    const { callerOf, verified } = await scene();
    const token = validToken + 'A'.repeat(length - validToken.length);
    for (const _ of [1, 2]) await callerOf(header(token));
    expect(verified).toHaveLength(times);
  });

  it('is evicted from the cache if it is the oldest of too many', async () => {
    const { callerOf, verified } = await scene();
    for (let index = 0; index <= 5_000; index += 1) await callerOf(header(tokenOfUser(index)));
    expect(verified).toHaveLength(5_000 + 1);
    await callerOf(header(tokenOfUser(5_000)));
    await callerOf(header(tokenOfUser(1)));
    expect(verified).toHaveLength(5_000 + 1);
    await callerOf(header(tokenOfUser(0)));
    expect(verified).toHaveLength(5_000 + 2);
  });
});
