import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorCode, errorCatalogue } from '../../src/core/error.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Codes after which an SDK may retry the same request; all others forbid a retry. */
const passing: readonly ErrorCode[] = [
  'log_unavailable',
  'timeout',
  'rate_limited',
  'internal',
  'provider_error',
  'upstream_unreachable',
  'upstream_invalid',
  'stream_interrupted',
  'idle_timeout',
  'auth_unavailable',
  'draining',
  'overloaded',
  'target_skipped',
];

/** Throws the error that a header names. */
const plugin = `
export default {
  name: 'throwing',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup: (_options, host) => ({
    prepare(ctx) {
      const code = ctx.headers.get('x-throw');
      if (code !== undefined) throw host.error(code, { message: 'Thrown.', ...JSON.parse(ctx.headers.get('x-details') ?? '{}') });
    },
  }),
};
`;

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((response, { headers }) => {
    const status = Number(headers['x-status'] ?? 200);
    const shouldRetry = headers['x-says'];
    const body = status === 200 ? completion('hi') : { error: { message: 'no' } };
    json(response, status, body, typeof shouldRetry === 'string' ? { 'x-should-retry': shouldRetry } : {});
  });
  const hosted = { custom_host: `${upstream.url}/v1`, api_key: 'sk-open-0123456789' };
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { egress: { allow: ['127.0.0.1'] } },
      plugins: ['auth', 'routing', 'virtual-key', 'transform', { use: './throwing.ts' }, 'fallback-retry', 'logging'],
      providers: {
        open: { type: 'openai', ...hosted },
        own: { type: 'openai', custom_host: `${upstream.url}/v1`, auth: { mode: 'caller' } },
        claude: { type: 'anthropic', api_key: 'sk-ant-0123456789', custom_host: upstream.url },
        plain: { type: 'openai', api_key: 'sk-plain-0123456789', custom_host: `${upstream.url.replace('http:', 'https:')}/v1` },
        dead: { type: 'openai', api_key: 'sk-dead-0123456789', custom_host: 'https://name.invalid/v1' },
      },
      virtual_keys: { team: { provider: 'open', api_key: 'sk-team-0123456789' } },
      configs: {
        lacking: { strategy: { mode: 'fallback' }, targets: [{ provider: 'open', forward_headers: ['x-status'] }, { provider: 'claude' }] },
        keyed: { provider: 'open', api_key: 'sk-config-0123456789', forward_headers: ['x-status'] },
        plain: { provider: 'open', forward_headers: ['x-status', 'x-says'] },
        virtual: { virtual_key: 'team', forward_headers: ['x-status'] },
      },
    }),
    { files: { 'throwing.ts': plugin } },
  );
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

const send = (headers: Readonly<Record<string, string>>, path = '/v1/chat/completions'): Promise<Response> =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', input: 'x', messages: [] }),
  });
const shouldRetryOf = ({ headers }: Response): string | null => headers.get('x-should-retry');
const messageOf = async (response: Response): Promise<string> => ((await response.json()) as { error: { message: string } }).error.message;

describe('an error of the catalogue', () => {
  it.each(Object.keys(errorCatalogue) as ErrorCode[])('has x-should-retry: false if a retry cannot succeed: %s', async (code) => {
    // An error that a plugin throws by mistake is treated the same for every code.
    const response = await send({ 'x-gateway-provider': '@open', 'x-throw': code });
    expect([response.status, shouldRetryOf(response)]).toEqual([errorCatalogue[code].status, passing.includes(code) ? null : 'false']);
    if (response.status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it.each([
    ['media_fetch_failed', { status: 502 }, null],
    ['media_fetch_failed', { status: 400 }, 'false'],
    ['no_batch_output', { status: 409 }, 'false'],
    ['provider_auth_failed', { retry: true }, null],
    ['upstream_invalid', { retry: false }, 'false'],
  ])('can override whether a retry can succeed: %s %j', async (code, details, expected) => {
    expect(shouldRetryOf(await send({ 'x-gateway-provider': '@open', 'x-throw': code, 'x-details': JSON.stringify(details) }))).toBe(
      expected,
    );
  });
});

describe('an error of the provider', () => {
  it.each([
    [400, undefined, 'false'],
    [404, undefined, 'false'],
    [422, undefined, 'false'],
    [408, undefined, null],
    [409, undefined, null],
    [429, undefined, null],
    [500, undefined, null],
    [501, undefined, 'false'],
    [503, undefined, null],
    [400, 'true', 'true'],
    [500, 'false', 'false'],
  ])('with status %i and x-should-retry %s returns x-should-retry %s', async (status, upstreamValue, expected) => {
    const headers = { 'x-status': status.toString(), ...(upstreamValue === undefined ? {} : { 'x-says': upstreamValue }) };
    expect(shouldRetryOf(await send({ 'x-gateway-config': 'plain', ...headers }))).toBe(expected);
    // The relay reads no body and forwards the caller's headers itself.
    expect(shouldRetryOf(await send({ 'x-gateway-provider': '@open', ...headers }, '/v1/elsewhere'))).toBe(expected);
  });
});

describe('a rejected credential', () => {
  const unauthorized = { 'x-status': '401' };
  it.each([
    ['of a provider', { 'x-gateway-config': 'plain' }, 'providers.open.api_key'],
    ['of a virtual key', { 'x-gateway-config': 'virtual' }, 'virtual_keys.team.api_key'],
    ['of a target', { 'x-gateway-config': 'keyed' }, 'config.api_key'],
  ])('%s is reported with its setting', async (_name, headers, setting) => {
    const response = await send({ ...headers, ...unauthorized });
    expect([response.status, shouldRetryOf(response)]).toEqual([502, 'false']);
    expect(await messageOf(response)).toBe(`Provider "open" rejected the credential of ${setting} with status 401: no`);
  });

  it('of a relayed request is reported with its setting', async () => {
    const response = await send({ 'x-gateway-provider': '@open', ...unauthorized }, '/v1/elsewhere');
    expect([response.status, shouldRetryOf(response)]).toEqual([502, 'false']);
    expect(await messageOf(response)).toBe('Provider "open" rejected the credential of providers.open.api_key with status 401.');
  });

  it('of the caller returns the status 401 of the provider', async () => {
    const response = await send({ 'x-gateway-provider': '@own', authorization: 'Bearer of-the-caller', ...unauthorized }, '/v1/elsewhere');
    expect([response.status, shouldRetryOf(response)]).toEqual([401, 'false']);
  });

  it('of a WebSocket returns 502', async () => {
    const request = httpRequest(`${gateway.url}/v1/realtime?model=m`, {
      headers: {
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'x-gateway-provider': '@open',
        ...unauthorized,
      },
    });
    request.end();
    const [status, headers, text] = await new Promise<[number, Record<string, unknown>, string]>((resolve, reject) => {
      request.on('error', reject);
      request.on('response', (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (piece: string) => (body += piece));
        response.on('end', () => resolve([response.statusCode ?? 0, response.headers, body]));
      });
    });
    expect([status, headers['x-should-retry']]).toEqual([502, 'false']);
    expect(text).toContain('Provider \\"open\\" rejected the credential of providers.open.api_key with status 401: no');
  });
});

describe('a route that the provider does not support', () => {
  it('returns 400 and no retry', async () => {
    const response = await send({ 'x-gateway-provider': '@claude' }, '/v1/moderations');
    expect([response.status, shouldRetryOf(response)]).toEqual([400, 'false']);
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_endpoint', type: 'invalid_request_error' } });
  });

  it('keeps the error of the targets that were tried', async () => {
    const response = await send({ 'x-gateway-config': 'lacking', 'x-status': '503' }, '/v1/moderations');
    expect([response.status, shouldRetryOf(response)]).toEqual([503, 'false']);
    expect(await messageOf(response)).toContain('Last: open returned 503');
  });
});

it('an invalid HTTP request gets 400 with x-should-retry: false', async () => {
  const { hostname, port } = new URL(gateway.url);
  const received = await new Promise<string>((resolve, reject) => {
    let pieces = '';
    const socket = connect(Number(port), hostname, () => void socket.write('GET / HTTP/1.1\r\nbad header\r\n\r\n'));
    socket.setEncoding('latin1').on('data', (piece: string) => (pieces += piece));
    socket.on('error', reject).on('close', () => resolve(pieces));
  });
  expect(received).toMatch(/^HTTP\/1\.1 400 [^]*\r\nx-should-retry: false\r\n/);
});

describe('a port that does not use TLS', () => {
  const path = '/v1/realtime?model=m';
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  it.each([
    ['a request', '/v1/other', {}],
    ['a WebSocket', path, { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key }],
  ])('is named in the error of %s', async (_name, target, headers) => {
    const request = httpRequest(`${gateway.url}${target}`, { headers: { 'x-gateway-provider': '@plain', ...headers } });
    const response = await new Promise<IncomingMessage>(
      (resolve, reject) => void request.on('response', resolve).on('error', reject).end(),
    );
    expect([response.statusCode, response.headers['x-should-retry']]).toEqual([502, 'false']);
    expect(await text(response)).toContain('the port does not use TLS');
  });
});
