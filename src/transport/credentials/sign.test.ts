import { expect, test } from 'vitest';
import { emptyBody } from '../../core/json/body.ts';
import type { CredentialSpec, UpstreamRequest } from '../../core/provider.ts';
import { createCredentialCompiler } from './sign.ts';
import { TokenSources } from './token-source.ts';

const noTokens = new TokenSources(
  () => {
    throw new Error('no token is fetched here');
  },
  { now: () => 0, monotonic: () => 0, random: () => 0, onFault: () => undefined },
);
const createCredential = createCredentialCompiler(noTokens);
const request: UpstreamRequest = { origin: 'https://x.example', path: '/', method: 'GET', headers: [], body: emptyBody, dropped: [] };

const rows: readonly (readonly [CredentialSpec, readonly string[]])[] = [
  [{ scheme: 'none' }, []],
  [{ scheme: 'bearer', secret: 'sk-1' }, ['authorization', 'Bearer sk-1']],
  [{ scheme: 'bearer', secret: 'Bearer sk-1' }, ['authorization', 'Bearer sk-1']],
  [{ scheme: 'bearer', secret: 'bearer-of-news' }, ['authorization', 'Bearer bearer-of-news']],
  [{ scheme: 'header', name: 'api-key', secret: 'abc' }, ['api-key', 'abc']],
  [{ scheme: 'header', name: 'X-Api-Key', secret: 'abc' }, ['x-api-key', 'abc']],
  [{ scheme: 'headers', names: ['api-key', 'Authorization'], secret: 'Bearer abc' }, ['api-key', 'abc', 'authorization', 'Bearer abc']],
];

test.each(rows)('createCredential(%j) signs synchronously with %j', (spec, expected) => {
  const credential = createCredential(spec, 'catalog');
  expect(credential.owner).toBe('catalog');
  expect(credential.headers(request)).toEqual(expected);
});

test('createCredential() returns the same frozen header list for every request', () => {
  const credential = createCredential({ scheme: 'bearer', secret: 'sk-1' }, 'caller');
  const headers = credential.headers(request) as string[];
  expect(credential.headers(request)).toBe(headers);
  expect(() => headers.push('x', 'y')).toThrow(TypeError);
});

test.each(['a\nb', 'a\r\nx-evil: 1', 'key-\u20ac', 'a\u0000b'])(
  'createCredential() rejects a secret that no header can contain, without showing it: %j',
  (secret) => {
    for (const spec of [
      { scheme: 'bearer', secret },
      { scheme: 'header', name: 'api-key', secret },
    ] as const) {
      expect(() => createCredential(spec, 'catalog')).toThrow(/credential contains a character/);
      try {
        createCredential(spec, 'catalog');
      } catch (error) {
        expect(`${(error as Error).message} ${String((error as Error).cause)}`).not.toContain(secret);
      }
    }
  },
);
