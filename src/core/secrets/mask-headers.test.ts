import { describe, expect, it } from 'vitest';
import { maskAddresses } from './credential-names.ts';
import { maskHeader } from './mask-headers.ts';

describe('maskHeader', () => {
  it.each([
    'authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'api-key',
    'apikey',
    'x-apikey',
    'ocp-apim-subscription-key',
    'x-functions-key',
    'x-goog-api-key',
    'x-auth-token',
    'x-amz-security-token',
    'x-ms-client-secret',
    'cf-access-jwt-assertion',
    'x-gateway-api-key',
    'x-portkey-aws-secret-access-key',
    'x-portkey-aws-session-token',
    'x-vertex-service-account-json',
  ])('hides the value of %s', (name) => {
    expect(maskHeader(name, 'anything')).toBe('***');
  });

  it.each([
    [
      'x-gateway-config',
      '{"provider":"openai","api_key":"k1","retry":{"attempts":2}}',
      '{"provider":"openai","api_key":"***","retry":{"attempts":2}}',
    ],
    ['x-gateway-config', String.raw`{"api\u005fkey":"k1"}`, '{"api_key":"***"}'],
    [
      'x-gateway-config',
      '{"targets":[{"targets":[{"apiKey":"k1","custom_host":"https://u:p@h.example/v1?key=abc&x=1"}]}]}',
      '{"targets":[{"targets":[{"apiKey":"***","custom_host":"https://***@h.example/v1?key=***&x=1"}]}]}',
    ],
    ['x-gateway-config', '{"api_key":["k1"],"client_secret":7}', '{"api_key":"***","client_secret":"***"}'],
    [
      'x-gateway-config',
      '{"override_params":{"headers":{"authorization":"Bearer k"}}}',
      '{"override_params":{"headers":{"authorization":"***"}}}',
    ],
    ['x-gateway-config', '{"api_key":"k1"', '***'],
    ['x-gateway-config', Buffer.from('{"api_key":"k1"}').toString('base64'), '***'],
    ['x-gateway-config', Buffer.from('{ "api_key":"k1"}').toString('base64'), '***'],
    ['x-gateway-config', `${'['.repeat(200)}"k1"${']'.repeat(200)}`, `${'['.repeat(16)}"***"${']'.repeat(16)}`],
    ['x-gateway-config', 'support', 'support'],
    ['x-gateway-custom-host', 'https://user:pass@host.example/v1', 'https://***@host.example/v1'],
    ['x-gateway-custom-host', 'https://host.example/v1?api-key=abc', 'https://host.example/v1?api-key=***'],
    ['referer', 'https://app.example/?access_token=abc&tab=2', 'https://app.example/?access_token=***&tab=2'],
    ['x-forwarded-user', 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln', '***'],
    ['x-upstream', 'Bearer abc', '***'],
    ['x-gateway-metadata', '{"team":"web"}', '{"team":"web"}'],
    ['accept', '*/*', '*/*'],
    [
      'sec-websocket-protocol',
      'realtime, openai-insecure-api-key.my-own-key, openai-beta.realtime-v1',
      'realtime, ***, openai-beta.realtime-v1',
    ],
    ['sec-websocket-protocol', 'realtime,gw_live_x, base64url.bearer.authorization.k8s.io.abc', 'realtime, ***, ***'],
    ['sec-websocket-protocol', 'realtime, eyJhbGciOiJIUzI1NiJ9.e30.c2ln', 'realtime, ***'],
    ['sec-websocket-protocol', 'realtime', 'realtime'],
    ['idempotency-key', 'a1', 'a1'],
    ['x-max-tokens', '5', '5'],
    ['x-note', 'eyJhbGciOiJub25lIn0', '***'],
    ['x-note', 'eyJhbGciOiJub25lIn0 and more', 'eyJhbGciOiJub25lIn0 and more'],
    ['x-note', 'eyJhbGc', 'eyJhbGc'],
    ['x-note', 'elsewhere', 'elsewhere'],
    ['x-note', 'Bearer abc', '***'],
    ['x-note', 'bearer', 'bearer'],
    ['x-note', 'Both Bearer abc', 'Both Bearer abc'],
    ['x-note', '[null,1,true,"a"]', '[null,1,true,"a"]'],
    ['x-note', '{"A-Secret-Header":"k1","Cookie":"k1","n":null}', '{"A-Secret-Header":"k1","Cookie":"***","n":null}'],
    ['x-note', `${'['.repeat(16)}1${']'.repeat(16)}`, `${'['.repeat(16)}1${']'.repeat(16)}`],
    ['x-note', `${'['.repeat(17)}1${']'.repeat(17)}`, `${'['.repeat(16)}"***"${']'.repeat(16)}`],
    ['x-note', `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`, `${'{"a":'.repeat(16)}"***"${'}'.repeat(16)}`],
  ])('masks %s: %s', (name, value, masked) => {
    expect(maskHeader(name, value)).toBe(masked);
  });
});

it('maskHeader masks each value of a header independent of earlier ones', () => {
  const values = ['a', 'https://u:p@h.example/', 'a', '', 'https://u:p@h.example/'];
  const masked = ['a', 'https://***@h.example/', 'a', '', 'https://***@h.example/'];
  expect(values.map((value) => maskHeader('x-of-many-values', value))).toEqual(masked);
});

describe('maskAddresses', () => {
  it.each([
    ['/v1/files?key=abc&limit=2', '/v1/files?key=***&limit=2'],
    ['/v1/files%3Fapi-key%3Dabc%26limit%3D2', '/v1/files%3Fapi-key%3D***%26limit%3D2'],
    ['/v1/a?api%2Dkey=abc&%6bey=def&a%20b=c', '/v1/a?api%2Dkey=***&%6bey=***&a%20b=c'],
    ['/v1/a%3Faccess%5Ftoken%3Dabc%26b%3Dc', '/v1/a%3Faccess%5Ftoken%3D***%26b%3Dc'],
    ['/v1/a?key%zz=abc&100%=1', '/v1/a?key%zz=abc&100%=1'],
    ['/v1/a?u=https%3A%2F%2Fu%3Ap%2540x%40h.example%2F&b=c%40d', '/v1/a?u=https%3A%2F%2F***%40h.example%2F&b=c%40d'],
    ['https://u:p%40x@h.example/?a=b%40c', 'https://***@h.example/?a=b%40c'],
    ['/v1/a;api_key=abc;b=1', '/v1/a;api_key=***;b=1'],
    ['see https://h.example/x?sv=1&sig=abc%3D&se=2.', 'see https://h.example/x?sv=1&sig=***&se=2.'],
    ['https://h.example/x?code=abc', 'https://h.example/x?code=***'],
    ['postgres://u:p@db.example/x', 'postgres://***@db.example/x'],
    ['postgres://u:p@ss@db.example/x@y', 'postgres://***@db.example/x@y'],
    ['/k?X-Amz-Signature=abc&x-goog-signature=def&b=c', '/k?X-Amz-Signature=***&x-goog-signature=***&b=c'],
    ['/login?user=jo&pass=abc&db-passwd=abc&pwd=abc&compass=n', '/login?user=jo&pass=***&db-passwd=***&pwd=***&compass=n'],
    ['mail me@example.com a=b', 'mail me@example.com a=b'],
    ['{"key":"value"}', '{"key":"value"}'],
  ])('masks the secrets in %s', (text, masked) => {
    expect(maskAddresses(text)).toBe(masked);
  });
});
