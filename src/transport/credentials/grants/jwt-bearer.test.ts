import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../core/error.ts';
import { createUpstream } from '../../outbound/upstream.ts';
import { TimerWheel } from '../../wire/timer-wheel.ts';
import { jwtBearer } from './jwt-bearer.ts';
import type { GrantDeps } from './token-request.ts';

/** No request is sent: the egress rules reject each one after the assertion was signed. */
const deps: GrantDeps = {
  upstream: createUpstream({ wheel: new TimerWheel(), lookup: () => undefined }),
  checkEgress: () => new GatewayError('not_allowed', { message: 'signed' }),
  now: Date.now,
  monotonic: performance.now.bind(performance),
  wait: () => Promise.resolve(),
  env: {},
};

const grant = (privateKey: string) =>
  ({
    kind: 'jwt-bearer',
    tokenUri: 'https://issuer.example/token',
    issuer: 'a@example',
    audience: 'https://issuer.example/token',
    scope: 's',
    privateKey,
    keyId: undefined,
    keyField: 'service_account',
    repeats: [],
  }) as const;

const privateKeyPem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** An RSA key of this length with made-up numbers. */
function keyWithBits(bits: number): string {
  const number = (length: number): string => Buffer.alloc(length / 8, 0xd5).toString('base64url');
  const halfLength = number(bits / 2);
  const jwk = {
    kty: 'RSA',
    n: number(bits),
    e: 'AQAB',
    d: number(bits),
    p: halfLength,
    q: halfLength,
    dp: halfLength,
    dq: halfLength,
    qi: halfLength,
  };
  return createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }).toString();
}

describe('jwtBearer()', () => {
  it.each([
    ['a valid key', 'request', privateKeyPem, 'signed', undefined],
    ['a key with escaped line breaks', 'request', privateKeyPem.replaceAll('\n', String.raw`\n`), 'signed', undefined],
    [
      'text that is not a key',
      'request',
      'SECRET',
      'the private key of the service account cannot be read: it must be PEM in PKCS #8',
      'service_account',
    ],
    [
      'a key of 8192 bits',
      'request',
      keyWithBits(8192),
      'the private key of the service account is longer than 4096 bits',
      'service_account',
    ],
  ] as const)('signs with a private key or reports why it cannot: %s of a %s', async (_, trust, key, message, field) => {
    await expect(jwtBearer(grant(key), trust, deps).fetch()).rejects.toMatchObject({ message, field });
  });
});
