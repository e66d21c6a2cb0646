import { describe, expect, test } from 'vitest';
import { headerNames, RequestHeaderBag } from '../../src/transport/inbound/header-bag.ts';
import { defaultPrefixes } from '#core/http/headers.ts';
import { relayedHeaders } from './relayed.ts';

/** As the server parses them: repeated headers are joined. */
function headerBag(rawHeaders: readonly string[]): RequestHeaderBag {
  const headers: Record<string, string> = {};
  rawHeaders.forEach((name, i) => {
    if (i % 2 === 0) headers[name] = headers[name] === undefined ? (rawHeaders[i + 1] ?? '') : `${headers[name]}, ${rawHeaders[i + 1]}`;
  });
  return new RequestHeaderBag({ headers, rawHeaders: [...rawHeaders] }, headerNames(defaultPrefixes));
}

describe('a client header', () => {
  const forwarded = [
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
  test.each(forwarded)('%s is sent to the provider', (name) => {
    expect(relayedHeaders(headerBag([name, 'v']))).toEqual([name, 'v']);
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
  test.each(dropped)('%s is not sent to the provider', (name) => {
    expect(relayedHeaders(headerBag([name, 'v']))).toEqual([]);
  });

  test('is not sent if Connection names it, regardless of case and position', () => {
    const pairs = ['x-one', '1', 'connection', 'close, X-One', 'x-two', '2', 'connection', 'x-two ,keep-alive', 'x-three', '3'];
    expect(relayedHeaders(headerBag(pairs))).toEqual(['x-three', '3']);
  });

  test('may be repeated', () => {
    expect(relayedHeaders(headerBag(['x-a', '1', 'x-a', '2']))).toEqual(['x-a', '1', 'x-a', '2']);
  });
});
