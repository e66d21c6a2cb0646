import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, errorOf, readAll, type Rig, startRig } from './rig.ts';

/** Invalid requests: each gets its own error and a record, and no upstream request is sent. */

const key = 'gw-test-key-0123456789';
const withKey = { 'x-gateway-api-key': key };
const text = JSON.stringify(chat);

interface Refusal {
  readonly name: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | ReadableStream;
  readonly status: number;
  readonly code: string;
  readonly message: RegExp;
}

const refusals: readonly Refusal[] = [
  { name: 'a truncated body', body: '{"model":', status: 400, code: 'invalid_json', message: /unexpected end at position 9/ },
  { name: 'a body that is a list', body: '[]', status: 400, code: 'invalid_json', message: /expected an object/ },
  { name: 'no body', status: 400, code: 'invalid_json', message: /^The body is empty\.$/ },
  {
    name: 'an unknown route',
    method: 'GET',
    path: '/chat/completions',
    status: 404,
    code: 'route_not_found',
    message: /no route GET "\/chat\/completions".*"\/v1\/chat\/completions"/,
  },
  {
    name: 'a wrong key',
    headers: { 'x-gateway-api-key': 'gw-not-a-key-0123456789' },
    body: text,
    status: 401,
    code: 'invalid_api_key',
    message: /key/,
  },
  { name: 'no key', headers: { 'x-gateway-api-key': '' }, body: text, status: 401, code: 'missing_api_key', message: /key/ },
  { name: 'no target', body: text, status: 400, code: 'no_target', message: /names no provider/ },
  {
    name: 'an unknown config',
    headers: { 'x-gateway-config': 'pairs' },
    body: text,
    status: 404,
    code: 'config_not_found',
    message: /"pairs".*"pair"/,
  },
  {
    name: 'an unknown provider',
    headers: { 'x-gateway-provider': '@bb' },
    body: text,
    status: 404,
    code: 'provider_not_found',
    message: /"bb"|"@bb"/,
  },
  {
    name: 'a config that is not JSON',
    headers: { 'x-gateway-config': '{"strategy":' },
    body: text,
    status: 400,
    code: 'invalid_config',
    message: /config/,
  },
  {
    name: 'a route that the provider does not support',
    path: '/v1/moderations',
    headers: { 'x-gateway-provider': '@azure' },
    body: '{"model":"m","input":"x"}',
    status: 400,
    code: 'unsupported_endpoint',
    message: /azure/,
  },
  {
    name: 'metadata that is not an object',
    headers: { 'x-gateway-provider': '@a', 'x-gateway-metadata': '[1]' },
    body: text,
    status: 400,
    code: 'invalid_metadata',
    message: /metadata/i,
  },
  {
    name: 'a body that is too large',
    headers: { 'x-gateway-provider': '@a' },
    body: JSON.stringify({ ...chat, pad: 'x'.repeat(300_000) }),
    status: 413,
    code: 'body_too_large',
    message: /3000\d\d bytes is larger than the limit of 100 KB/,
  },
  {
    name: 'a chunked body that is too large',
    headers: { 'x-gateway-provider': '@a' },
    body: '',
    status: 413,
    code: 'body_too_large',
    message: /larger than the limit of 100 KB/,
  },
];

describe('a request', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({
      server: { max_body: '100KB' },
      providers: {
        azure: {
          type: 'azure-openai',
          api_key: 'azure-key-0123456789',
          resource_name: 'contoso',
          deployments: { m: { deployment_id: 'd', foundation_model: 'm' } },
        },
      },
      extraConfig: { api_keys: { tests: { hash: `sha256:${createHash('sha256').update(key).digest('hex')}` } } },
    });
  });
  afterAll(() => rig.close());

  it.each(refusals)(
    'with $name is rejected',
    async ({ name, method = 'POST', path = '/v1/chat/completions', headers = {}, body, status, code, message }) => {
      const chunkedBody = name.startsWith('a chunked body');
      const response = await fetch(rig.gateway.url + path, {
        method,
        headers: { 'content-type': 'application/json', ...withKey, ...headers },
        ...(body === undefined ? {} : { body: chunkedBody ? streamOf('x', 300) : body }),
        ...(chunkedBody ? { duplex: 'half' } : {}),
      } as RequestInit);
      const read = await readAll(rig.gateway, response);
      const error = errorOf(read.text);
      expect([read.status, error.code]).toEqual([status, code]);
      expect(error.message).toMatch(message);
      expect(error.gateway).toMatchObject({ request_id: read.record.id, source: 'gateway' });
      expect([read.headers.get('x-gateway-error-source'), read.headers.get('content-type')]).toEqual(['gateway', 'application/json']);
      expect(read.text).not.toContain(key);
      expect([rig.wire.requests.length, rig.healthy.requests.length]).toEqual([0, 0]);
      expect(read.record).toMatchObject({ end: 'fault', status, error: { code, source: 'gateway', message: error.message } });
    },
  );

  it.each([
    [
      'headers that are too large',
      `GET /v1/models HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(70_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['bytes that are not HTTP', 'what is this\r\n\r\n', 400, 'invalid_header'],
    ['no host', 'GET /v1/models HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'invalid_header'],
    ['an unknown expectation', 'GET /v1/models HTTP/1.1\r\nhost: x\r\nexpect: cake\r\nconnection: close\r\n\r\n', 400, 'invalid_header'],
  ])('with %s gets an error as JSON', async (_name, bytes, status, code) => {
    const response = await raw(rig.gateway.url, bytes);
    const [top = '', body = ''] = response.split('\r\n\r\n');
    expect(top.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
    expect(errorOf(body).code).toBe(code);
  });
});

function streamOf(block: string, count: number): ReadableStream {
  let remaining = count;
  return new ReadableStream({
    pull(controller) {
      remaining -= 1;
      if (remaining < 0) controller.close();
      else controller.enqueue(Buffer.from(block.repeat(1000)));
    },
  });
}

/** Sends bytes and reads until the gateway closes the connection. */
function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk) => (text += chunk.toString('utf8')));
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(text)));
    socket.on('close', () => resolve(text));
    socket.write(bytes);
  });
}
