import { describe, expect, test } from 'vitest';
import { answerHeaders, overlay, relayHeaders, relaySubprotocols, toObject } from './headers.ts';

const names = { isGateway: (name: string) => name.startsWith('x-gateway-') || name.startsWith('x-portkey-') };

function entries(pairs: readonly string[]): (readonly [string, string])[] {
  return pairs.flatMap((name, i) => (i % 2 === 0 ? [[name, pairs[i + 1] ?? ''] as const] : []));
}

describe('a header of the caller', () => {
  const kept = [
    'content-type',
    'accept',
    'user-agent',
    'x-stainless-lang',
    'openai-beta',
    'openai-organization',
    'anthropic-version',
    'traceparent',
    'range',
    'if-none-match',
    'idempotency-key',
    'origin',
    'x-custom',
  ];
  test.each(kept)('%s goes to the provider', (name) => {
    expect(relayHeaders([[name, 'v']], names)).toEqual([name, 'v']);
  });

  const dropped = [
    'authorization',
    'api-key',
    'x-api-key',
    'x-goog-api-key',
    'cookie',
    'proxy-authorization',
    'apikey',
    'ocp-apim-subscription-key',
    'x-functions-key',
    'x-auth-token',
    'x-amz-security-token',
    'accept-encoding',
    'connection',
    'keep-alive',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'proxy-authenticate',
    'host',
    'expect',
    'content-length',
    'x-gateway-config',
    'x-gateway-anything',
    'x-portkey-api-key',
    'sec-websocket-protocol',
    'http2-settings',
    'x-forwarded-for',
    'x-forwarded-prefix',
    'forwarded',
    'x-http-method-override',
    'x_http_method_override',
    'x-http-method',
    'x-method-override',
    'x-original-url',
    'x-rewrite-url',
  ];
  test.each(dropped)('%s does not', (name) => {
    expect(relayHeaders([[name, 'v']], names)).toEqual([]);
  });

  test('does not when Connection names it, whatever its case and place', () => {
    const pairs = ['x-one', '1', 'connection', 'close, X-One', 'x-two', '2', 'connection', 'x-two ,keep-alive', 'x-three', '3'];
    expect(relayHeaders(entries(pairs), names)).toEqual(['x-three', '3']);
  });

  test('may come twice', () => {
    expect(relayHeaders(entries(['x-a', '1', 'x-a', '2']), names)).toEqual(['x-a', '1', 'x-a', '2']);
  });
});

describe('a header of the provider', () => {
  test.each([
    'Content-Type',
    'Content-Length',
    'Content-Encoding',
    'Location',
    'ETag',
    'Retry-After',
    'Openai-Processing-Ms',
    'WWW-Authenticate',
    'x-ratelimit-limit-requests',
  ])('%s goes to the client', (name) => {
    expect(answerHeaders([name, 'v'], names)).toEqual([name.toLowerCase(), 'v']);
  });

  test.each([
    'Connection',
    'Transfer-Encoding',
    'Keep-Alive',
    'Trailer',
    'Set-Cookie',
    'Strict-Transport-Security',
    'Alt-Svc',
    'X-Gateway-Provider',
    'x-request-id',
    'Access-Control-Allow-Origin',
  ])('%s does not', (name) => {
    expect(answerHeaders([name, 'v'], names)).toEqual([]);
  });

  test('does not when Connection names it', () => {
    expect(answerHeaders(['X-Hop', '1', 'Connection', 'x-hop', 'X-End', '2'], names)).toEqual(['x-end', '2']);
  });
});

test('headers laid over others replace all of their name', () => {
  expect(overlay(['a', '1', 'b', '2', 'a', '3'], ['A', '4'])).toEqual(['b', '2', 'A', '4']);
});

test('a repeated header becomes a list, and a name of the prototype stays a name', () => {
  const object = toObject(['x', '1', 'y', '2', 'x', '3', '__proto__', 'z']);
  expect(Object.entries(object)).toEqual([
    ['x', ['1', '3']],
    ['y', '2'],
    ['__proto__', 'z'],
  ]);
});

test.each([
  [undefined, []],
  ['', []],
  ['realtime', ['realtime']],
  ['realtime, openai-insecure-api-key.sk-1, openai-beta.realtime-v1', ['realtime', 'openai-beta.realtime-v1']],
  ['openai-insecure-api-key.gw_abc', []],
  ['OpenAI-Insecure-API-Key.sk-1,realtime', ['realtime']],
  ['gw_abc, realtime', ['realtime']],
  ['openai-organization.org-1, openai-project.p', ['openai-organization.org-1', 'openai-project.p']],
  ['base64url.bearer.authorization.k8s.io.x, bearer.abc', []],
])('of the subprotocols %j the provider sees %j', (header, expected) => {
  expect(relaySubprotocols(header)).toEqual(expected);
});
