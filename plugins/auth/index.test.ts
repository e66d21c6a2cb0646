import { describe, expect, it } from 'vitest';
import { keyChecksum } from '#core/secrets/key.ts';
import { makeContext, makeHost, makeKey, makeSnapshot, noon, refusal, setUp, sha256 } from '../../test/support/stage-context.ts';
import auth from './index.ts';

const issuedKey = (random: string): string => `gw_live_${random}_${keyChecksum(`gw_live_${random}`)}`;
const key = issuedKey('9f2cQ7h0Zk3vJm8tXw1bRn5s');
const otherKey = issuedKey('AAAAAAAAAAAAAAAAAAAAAAAA');
const plainKey = 'a-key-chosen-by-hand';
const snapshot = makeSnapshot({
  keys: {
    [key]: makeKey('app-web'),
    [plainKey]: makeKey('by-hand'),
    'old-key-0123456789': makeKey('old', { expires: noon }),
    'gone-key-0123456789': makeKey('gone', { revoked: noon }),
    'ending-key-0123456789': makeKey('ending', { expires: noon, revoked: noon + 1 }),
    'turned-key-0123456789': makeKey('turned', { retires: noon, expires: noon + 1, revoked: noon + 1 }),
    'replaced-0123456789': makeKey('app-web', { retires: noon }),
    'older-0123456789': makeKey('app-web', { retires: noon + 1, id: 'older' }),
  },
});
const open = makeSnapshot();

async function admit(headers: Record<string, string>, snapshotOfRequest = snapshot) {
  const plugin = await setUp(auth);
  return (await plugin.admit?.(makeContext({ snapshot: snapshotOfRequest, headers })))?.caller;
}

describe('auth with a known key', () => {
  it.each([
    ['the gateway header', { 'x-gateway-api-key': key }, 'app-web', []],
    ['the gateway header under another prefix', { 'x-portkey-api-key': key }, 'app-web', []],
    ['authorization', { authorization: `Bearer ${key}` }, 'app-web', ['authorization']],
    ['authorization in lower case', { authorization: `bearer ${key}` }, 'app-web', ['authorization']],
    ['x-api-key', { 'x-api-key': key }, 'app-web', ['x-api-key']],
    ['api-key', { 'api-key': key }, 'app-web', ['api-key']],
    ['authorization, although it does not start with gw_', { authorization: `Bearer ${plainKey}` }, 'by-hand', ['authorization']],
    ['two headers with the same key', { 'x-gateway-api-key': key, authorization: `Bearer ${key}` }, 'app-web', ['authorization']],
    [
      'two headers with different keys, uses the first and consumes both',
      { authorization: `Bearer ${key}`, 'x-api-key': plainKey },
      'app-web',
      ['authorization', 'x-api-key'],
    ],
    [
      "one header and a provider's own header, which it consumes",
      { 'x-gateway-api-key': key, 'x-goog-api-key': key },
      'app-web',
      ['x-goog-api-key'],
    ],
    [
      'one header, with another gateway key in x-goog-api-key',
      { 'x-api-key': key, 'x-goog-api-key': plainKey },
      'app-web',
      ['x-api-key', 'x-goog-api-key'],
    ],
    [
      'one header, with an unknown gateway key in x-goog-api-key',
      { 'x-api-key': key, 'x-goog-api-key': 'gw_live_gone' },
      'app-web',
      ['x-api-key', 'x-goog-api-key'],
    ],
    [
      'a repeated header with joined values',
      { authorization: `Bearer ${key}`, 'x-api-key': `sk-own, ${key}` },
      'app-web',
      ['authorization', 'x-api-key'],
    ],
    ['a header with a word before the key', { 'x-api-key': plainKey, 'api-key': `token ${plainKey}` }, 'by-hand', ['x-api-key', 'api-key']],
    [
      'the gateway header, with a key after too many words in another',
      { 'x-gateway-api-key': key, authorization: `${'a '.repeat(40)}${plainKey}` },
      'app-web',
      ['authorization'],
    ],
    [
      'the gateway header, with too many words in another',
      { 'x-gateway-api-key': key, 'api-key': 'a,'.repeat(40) },
      'app-web',
      ['api-key'],
    ],
    [
      'the gateway header, with the same key after a word in another',
      { 'x-gateway-api-key': plainKey, authorization: `Basic ${plainKey}` },
      'by-hand',
      ['authorization'],
    ],
    ['a header with a replaced secret during its overlap', { 'x-api-key': 'older-0123456789' }, 'app-web', ['x-api-key']],
    ['x-api-key if the gateway header has a placeholder', { 'x-gateway-api-key': 'dummy', 'x-api-key': key }, 'app-web', ['x-api-key']],
  ])('finds it in %s', async (_, headers, name, consumed) => {
    expect(await admit(headers)).toMatchObject({ name, consumed, credential: undefined, key: { name } });
  });

  it('returns the same result for a header value that it has seen before', async () => {
    const plugin = await setUp(auth);
    const callerNameOf = async (headers: Record<string, string>) =>
      (await plugin.admit?.(makeContext({ snapshot, headers })))?.caller?.name;
    expect([await callerNameOf({ 'x-api-key': key }), await callerNameOf({ 'x-api-key': key })]).toEqual(['app-web', 'app-web']);
    await refusal(() => callerNameOf({ 'x-api-key': 'sk-other' }));
    expect((await refusal(() => callerNameOf({ 'x-api-key': 'sk-other' }))).code).toBe('invalid_api_key');
  });

  it('hashes it only once', async () => {
    const hashed: string[] = [];
    const host = makeHost({
      sha256: (text) => {
        hashed.push(text);
        return sha256(text);
      },
    });
    const plugin = await setUp(auth, {}, host);
    for (let i = 0; i < 3; i += 1) await plugin.admit?.(makeContext({ snapshot, headers: { authorization: `Bearer ${key}` } }));
    expect(hashed).toEqual([key]);
  });

  it('accepts it only if it is in the current snapshot', async () => {
    const plugin = await setUp(auth);
    const next = makeSnapshot({ keys: { [plainKey]: makeKey('by-hand') } });
    await plugin.admit?.(makeContext({ snapshot, headers: { 'x-gateway-api-key': key } }));
    const error = await refusal(() => plugin.admit?.(makeContext({ snapshot: next, headers: { 'x-gateway-api-key': key } })));
    expect(error.code).toBe('invalid_api_key');
  });
});

describe('the provider credential of a client', () => {
  it.each([
    ['authorization', { authorization: 'Bearer sk-own' }, 'sk-own'],
    ['a scheme other than Bearer', { authorization: 'Basic abc' }, 'Basic abc'],
    [
      'a credential with commas',
      { authorization: 'AWS4-HMAC-SHA256 Credential=AKID/x, Signature=gw' },
      'AWS4-HMAC-SHA256 Credential=AKID/x, Signature=gw',
    ],
    ['Bearer with two spaces', { authorization: 'Bearer  sk-own ' }, 'sk-own'],
    ['a scheme with the prefix Bearer', { authorization: 'Bearerish sk-own' }, 'Bearerish sk-own'],
    ['a scheme with six letters', { authorization: 'basics sk-own' }, 'basics sk-own'],
    ['a value with one letter', { authorization: 'b' }, 'b'],
    ['Bearer in another case', { authorization: 'bEARER sk-own' }, 'sk-own'],
    ['x-api-key', { 'x-api-key': 'sk-own' }, 'sk-own'],
    ['x-goog-api-key', { 'x-goog-api-key': 'sk-own' }, 'sk-own'],
    ['authorization unless it is a placeholder', { authorization: 'Bearer OPENAI_API_KEY' }, undefined],
    ['authorization unless it is another placeholder', { authorization: 'Bearer DUMMY-KEY' }, undefined],
    ['authorization unless it is a sample value', { authorization: 'Bearer X' }, undefined],
    ['authorization unless it is only Bearer', { authorization: 'Bearer' }, undefined],
    ['authorization unless it is Bearer and a space', { authorization: 'Bearer ' }, undefined],
    ['authorization if x-api-key is set too', { authorization: 'Bearer sk-own', 'x-api-key': 'sk-second' }, 'sk-own'],
  ])('is taken from %s', async (_, headers, credential) => {
    expect(await admit({ 'x-gateway-api-key': key, ...headers })).toMatchObject({ name: 'app-web', credential, consumed: [] });
  });
});

describe('auth of a gateway without keys', () => {
  it.each([
    ['no credential', {}, undefined, []],
    ['any gateway key', { 'x-gateway-api-key': 'whatever' }, undefined, []],
    ['a key in authorization that starts with gw_', { authorization: 'Bearer gw_anything' }, undefined, ['authorization']],
    ['the gateway key twice', { 'x-gateway-api-key': 'whatever', authorization: 'Bearer whatever' }, undefined, ['authorization']],
    ['a provider credential', { authorization: 'Bearer sk-own' }, 'sk-own', []],
  ])('accepts a request with %s', async (_, headers, credential, consumed) => {
    expect(await admit(headers, open)).toEqual({ name: 'anonymous', key: undefined, credential, consumed });
  });
});

describe('auth without a valid key', () => {
  it.each([
    ['no key', {}, 'missing_api_key', /has no gateway API key/],
    ['a placeholder', { authorization: 'Bearer OPENAI_API_KEY' }, 'missing_api_key', /has no gateway API key/],
    [
      'only a provider credential for a provider type',
      { authorization: 'Bearer sk-own', 'x-gateway-provider': 'openai' },
      'missing_api_key',
      /has no gateway API key/,
    ],
    ['a value that is not a key', { authorization: 'Bearer sk-own' }, 'invalid_api_key', /"authorization" is not a key of this gateway/],
    ['an unknown key', { 'x-gateway-api-key': 'unknown-key-0123456789' }, 'invalid_api_key', /"x-gateway-api-key" is unknown/],
    [
      'an unknown key under another prefix',
      { 'x-portkey-api-key': 'unknown-key-0123456789' },
      'invalid_api_key',
      /"x-portkey-api-key" is unknown/,
    ],
    ['an unknown key in the generated format', { authorization: `Bearer ${otherKey}` }, 'invalid_api_key', /"authorization" is unknown/],
    ['a truncated key', { 'x-api-key': key.slice(0, -3) }, 'invalid_api_key', /is incomplete or mistyped: its checksum is wrong/],
    [
      'an unknown key even if a later header has a known one',
      { 'x-gateway-api-key': otherKey, authorization: `Bearer ${key}` },
      'invalid_api_key',
      /is unknown/,
    ],
    ['an expired key', { 'x-gateway-api-key': 'old-key-0123456789' }, 'expired_api_key', /"old" expired on 2026-11-21\.$/],
    [
      'an expired key that will be revoked',
      { 'x-gateway-api-key': 'ending-key-0123456789' },
      'expired_api_key',
      /"ending" expired on 2026-11-21\.$/,
    ],
    [
      'a replaced secret of a key that expires later',
      { 'x-gateway-api-key': 'turned-key-0123456789' },
      'expired_api_key',
      /"turned" was rotated/,
    ],
    ['a revoked key', { authorization: 'Bearer gone-key-0123456789' }, 'invalid_api_key', /"gone" was revoked on 2026-11-21/],
    ['a replaced secret', { 'x-api-key': 'replaced-0123456789' }, 'expired_api_key', /"app-web" was rotated.* expired on 2026-11-21/],
  ])('rejects %s with 401', async (_, headers, code, message) => {
    const error = await refusal(() => admit(headers));
    expect(error).toMatchObject({ code, status: 401 });
    expect(error.message).toMatch(message);
    expect(error.hint).toBeTruthy();
  });

  it('does not repeat an unknown key in the error', async () => {
    const error = await refusal(() => admit({ 'x-gateway-api-key': otherKey }));
    expect(`${error.message}${error.hint}`).not.toContain(otherKey.slice(0, 12));
  });
});
