import { request as requestHttp } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { curlOf } from '../../src/core/logs/curl.ts';
import { adminUrl } from '../admin/client.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** How each listener responds to methods that a path does not support, and to HEAD (RFC 9110 9.3.2, 15.5.6). */

let upstream: ScriptedUpstream;
let gateway: TestGateway;
const token = 'token-of-the-admin-12';
const listeners: Record<string, string> = {};
beforeAll(async () => {
  upstream = await startUpstream((response, { method, url }) =>
    json(response, 200, url.endsWith('/content') ? { asked: method } : { id: 'file-1', object: 'file', asked: method }),
  );
  gateway = await startTestGateway(
    `
version: 1
server: {admin: {token: "\${env:ADMIN_TOKEN}"}}
providers:
  main: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}
  gemini: {type: gemini, api_key: k-0123456789}
  listed: {type: openai, api_key: sk-0123456789, models: [gpt-4o]}
`,
    { admin: true, env: { ADMIN_TOKEN: token } },
  );
  Object.assign(listeners, { data: gateway.url, admin: adminUrl(gateway) });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

function call(listener: string, method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const sent = requestHttp(new URL(listeners[listener] ?? ''), { method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', reject);
    });
    sent.on('error', reject).end();
  });
}

const ofAdmin = { 'x-gateway-admin': '1', authorization: `Bearer ${token}` };
const everyMethod = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

describe('an unsupported method returns 405 with the header Allow', () => {
  it.each<[listener: string, method: string, path: string, allow: string, headers?: Record<string, string>]>([
    ['admin', 'DELETE', '/api/status', 'GET, HEAD'],
    ['admin', 'OPTIONS', '/api/status', 'GET, HEAD'],
    ['admin', 'TRACE', '/api/status', 'GET, HEAD'],
    ['admin', 'GET', '/api/drain', 'POST'],
    ['admin', 'HEAD', '/api/drain', 'POST'],
    ['admin', 'PATCH', '/api/session', 'GET, HEAD, POST, DELETE'],
    ['admin', 'POST', '/', 'GET, HEAD'],
    ['admin', 'OPTIONS', '/', 'GET, HEAD'],
    ['admin', 'POST', '/metrics', 'GET, HEAD'],
    ['admin', 'TRACE', '/metrics', 'GET, HEAD'],
    ['data', 'TRACE', '/v1/models', everyMethod],
    ['data', 'PROPFIND', '/v1/files', everyMethod],
    ['data', 'POST', '/openapi.json', 'GET, HEAD'],
    ['data', 'TRACE', '/openapi.json', 'GET, HEAD'],
    ['data', 'POST', '/healthz', 'GET, HEAD'],
    ['data', 'GET', '/v1/chat/completions', 'POST'],
    ['data', 'HEAD', '/v1/chat/completions', 'POST'],
    ['data', 'OPTIONS', '/v1/models', 'GET, HEAD'],
    ['data', 'PUT', '/v1/files', 'POST, GET, HEAD'],
    ['data', 'GET', '/v1/feedback/1', 'PUT'],
    // The provider relays no request to a route that is not modelled.
    ['data', 'PATCH', '/v1/models', 'GET, HEAD', { 'x-gateway-provider': '@gemini' }],
  ])('%s %s %s', async (listener, method, path, allow, headers = {}) => {
    const response = await call(listener, method, path, listener === 'admin' ? ofAdmin : headers);
    expect([response.status, response.headers['allow']]).toEqual([405, allow]);
  });
});

describe('HEAD returns the response of GET without a body', () => {
  it.each<[listener: string, path: string, status: number, headers?: Record<string, string>]>([
    ['data', '/healthz', 200],
    ['data', '/readyz', 200],
    ['data', '/openapi.json', 200],
    ['data', '/v1/models', 200],
    ['data', '/openai/v1/models', 200],
    ['data', '/v1/models/@listed/gpt-4o', 200],
    ['data', '/v1/models/none', 404],
    ['data', '/nowhere', 404],
    ['data', '/v1/files/file-1', 400],
    ['data', '/v1/files/file-1', 200, { 'x-gateway-provider': '@main' }],
    ['data', '/v1/responses/resp_1/input_items', 400, { 'x-gateway-provider': '@gemini' }],
    ['admin', '/healthz', 200],
    ['admin', '/metrics', 200],
    ['admin', '/', 200],
    ['admin', '/api/status', 200],
    ['admin', '/api/keys', 200],
    ['admin', '/api/live', 200],
    ['admin', '/api/nothing', 404],
  ])('%s %s: %d', async (listener, path, status, more = {}) => {
    const headers = listener === 'admin' ? ofAdmin : more;
    const head = await call(listener, 'HEAD', path, headers);
    expect([head.status, head.text]).toEqual([status, '']);
    if (path === '/api/live') return;
    const get = await call(listener, 'GET', path, headers);
    expect(get.status).toBe(status);
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
    if (path.includes('/v1/')) {
      const record = await gateway.record(String(head.headers['x-request-id']));
      expect([record.method, record.bytes.out]).toEqual(['HEAD', 0]);
      expect(curlOf(record, { url: 'http://gateway', headerPrefixes: [] }, undefined)).toMatch(/^curl 'http:\S+' \\\n {2}-I(?: |$)/);
    }
  });

  it('is sent to the provider as HEAD for file contents and relayed paths, else as GET', async () => {
    const headers = { 'x-gateway-provider': '@main' };
    upstream.requests.length = 0;
    await call('data', 'HEAD', '/v1/files/file-1', headers);
    await call('data', 'HEAD', '/v1/files/file-1/content', headers);
    await call('data', 'HEAD', '/v1/something', headers);
    expect(upstream.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/files/file-1',
      'HEAD /v1/files/file-1/content',
      'HEAD /v1/something',
    ]);
  });
});
