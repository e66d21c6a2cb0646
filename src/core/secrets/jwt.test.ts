import { expect, it } from 'vitest';
import { claimAt, claimText, looksLikeJwt, unverifiedClaims } from './jwt.ts';

it.each([
  ['eyJh.eyJp.sig', true],
  ['eyJh.eyJp.', true],
  ['eyJh.eyJp', false],
  ['eyJh', false],
  ['eyJh..sig', false],
  ['eyJh.p.s.more', false],
  ['ey.a.', true],
  ['.eyJh.b', false],
  ['xeyJh.a.b', false],
  ['', false],
])('looksLikeJwt(%j) returns %s', (text, expected) => {
  expect(looksLikeJwt(text)).toBe(expected);
});

const part = (json: string): string => Buffer.from(json).toString('base64url');

it.each<[payload: string, claims: unknown]>([
  ['{"iss":"a","n":1}', { iss: 'a', n: 1 }],
  ['[1]', undefined],
  ['null', undefined],
  ['"text"', undefined],
  ['7', undefined],
  ['9007199254740993', undefined],
  ['{"iss":', undefined],
  ['', undefined],
])('unverifiedClaims parses the payload %j', (payload, claims) => {
  expect(unverifiedClaims(`${part('{}')}.${part(payload)}.sig`)).toEqual(claims);
});

it('unverifiedClaims returns undefined for a token with one part', () => {
  expect(unverifiedClaims('eyJh')).toBeUndefined();
});

it.each([
  ['9007199254740993', '9007199254740993'],
  ['[9007199254740992,9007199254740993]', '9007199254740992,9007199254740993'],
  // The same as in a token without a long number.
  ['1.0,"y":9007199254740993', '1'],
])('claimText keeps the digits of %s: %s', (json, text) => {
  expect(claimText(unverifiedClaims(`${part('{}')}.${part(`{"x":${json}}`)}.sig`)?.['x'])).toBe(text);
});

it.each<[name: string, value: unknown, text: string | undefined]>([
  ['sub', 'me', 'me'],
  ['realm.roles', ['a', 'b'], 'a,b'],
  ['flat.name', 'x', 'x'],
  ['realm', { roles: ['a', 'b'] }, undefined],
  ['realm.none', undefined, undefined],
  ['sub.length', undefined, undefined],
  ['nothing.x', undefined, undefined],
  ['toString', undefined, undefined],
  ['realm.constructor', undefined, undefined],
  ['n', 0, '0'],
  ['no', false, 'false'],
  ['empty', '', undefined],
  ['none', [], undefined],
  ['holed', ['a', {}], undefined],
  ['nested', [['a', 1], true], 'a,1,true'],
  ['nil', null, undefined],
  ['nil.x', undefined, undefined],
])('claimAt and claimText read the claim %s: %j, as text %j', (name, value, text) => {
  const claims = {
    sub: 'me',
    realm: { roles: ['a', 'b'] },
    'flat.name': 'x',
    flat: { name: 'not this one' },
    n: 0,
    no: false,
    empty: '',
    none: [],
    holed: ['a', {}],
    nested: [['a', 1], true],
    nil: null,
  };
  expect(claimAt(claims, name)).toEqual(value);
  expect(claimText(claimAt(claims, name))).toBe(text);
});
