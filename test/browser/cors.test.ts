import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { call } from '../relay/rig.ts';
import { chunks, completion, json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';

/** `server.cors`: the headers that let a page of another origin send requests and read responses. */

const key = 'a-key-for-a-program-0123';
const page = 'https://app.example';
const upstreamHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-secret',
  'access-control-allow-credentials': 'true',
  vary: 'X-Theirs',
};

let upstream: ScriptedUpstream;
const gateways: Record<'keyed' | 'keyless' | 'any' | 'off', TestGateway> = {} as never;
beforeAll(async () => {
  upstream = await startUpstream((response, { url, body }) => {
    if (body.includes('"stream":true')) sse(response, chunks('hi'), upstreamHeaders);
    else if (url.includes('failing')) json(response, 400, { error: { message: 'no', type: 'x' } }, upstreamHeaders);
    else json(response, 200, completion('hi'), upstreamHeaders);
  });
  const yaml = (server: string, keys: boolean): string => `
version: 1
server: {${server}}
providers: {main: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}}
${keys ? `api_keys: {app: {hash: "sha256:${createHash('sha256').update(key).digest('hex')}"}}` : ''}
`;
  const configured = 'cors: {origins: ["https://App.example:443", "https://*.team.example", "vscode-webview://panel"]}';
  gateways.keyed = await startTestGateway(yaml(configured, true));
  gateways.keyless = await startTestGateway(yaml(configured, false));
  gateways.any = await startTestGateway(yaml('cors: {origins: ["*"]}', true));
  gateways.off = await startTestGateway(yaml('', true));
});
afterAll(async () => {
  for (const gateway of Object.values(gateways)) await gateway.close();
  await upstream.close();
});

type Which = keyof typeof gateways;
const portOf = (which: Which): number => Number(new URL(gateways[which].url).port);

describe.each(['keyed', 'keyless'] as const)('server.cors, %s gateway', (which) => {
  const origins: readonly [origin: string, isAllowed: boolean][] = [
    [page, true],
    ['https://a.team.example', true],
    ['https://a.b.team.example', true],
    ['vscode-webview://panel', true],
    ['https://team.example', false],
    ['https://.team.example', false],
    ['http://app.example', false],
    ['https://app.example:8443', false],
    ['https://app.example.evil', false],
    ['https://evilteam.example', false],
    ['https://*.team.example', false],
    ['null', false],
  ];

  it.each(origins)('allows a preflight request of %s: %s', async (origin, isAllowed) => {
    const before = upstream.requests.length;
    const { status, headers, body } = await call(portOf(which), {
      method: 'OPTIONS',
      path: '/v1/chat/completions',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
        'sec-fetch-site': 'cross-site',
      },
    });
    expect(status).toBe(isAllowed ? 204 : 403);
    expect(headers['access-control-allow-origin']).toBe(isAllowed ? origin : undefined);
    expect(headers.vary).toContain('Origin');
    expect(upstream.requests.length).toBe(before);
    if (isAllowed) {
      expect(headers['access-control-allow-headers']).toBe('authorization,content-type');
      expect(headers['access-control-allow-methods']).toContain('DELETE');
    } else expect(body.toString()).toMatch(/origin_not_allowed[^]*server\.cors\.origins/);
  });

  const auth = {
    authorization: `Bearer ${key}`,
    'x-gateway-provider': '@main',
    'content-type': 'application/json',
    origin: page,
    'sec-fetch-site': 'cross-site',
  };
  const chat = (more: object): string => JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...more });
  it.each<[name: string, method: string, path: string, headers: Record<string, string>, body: string | undefined, status: number]>([
    ['a whole response', 'POST', '/v1/chat/completions', auth, chat({}), 200],
    ['a stream', 'POST', '/v1/chat/completions', auth, chat({ stream: true }), 200],
    ['a relayed response', 'GET', '/v1/anything', auth, undefined, 200],
    ['a relayed error', 'GET', '/v1/failing', auth, undefined, 400],
    ['an error of the gateway', 'POST', '/v1/chat/completions', auth, '{', 400],
    ['the 404 of an unknown route', 'GET', '/nowhere', auth, undefined, 404],
    ['the OpenAPI description', 'GET', '/openapi.json', { origin: page }, undefined, 200],
    ['the response to a request without a key', 'GET', '/v1/models', { origin: page }, undefined, which === 'keyed' ? 401 : 200],
  ])('lets the page read %s', async (_, method, path, headers, body, status) => {
    const response = await call(portOf(which), { method, path, headers }, body);
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({ 'access-control-allow-origin': page, 'access-control-expose-headers': '*' });
    expect(response.headers.vary).toContain('Origin');
    expect(JSON.stringify(response.headers)).not.toMatch(/x-secret|allow-credentials/);
  });
});

it('sends Vary: Origin with server.cors also for requests without an Origin', async () => {
  const { headers } = await call(portOf('keyless'), { path: '/v1/anything', headers: { 'x-gateway-provider': '@main' } });
  expect(headers.vary).toContain('Origin');
  expect(headers.vary).toContain('X-Theirs');
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

it('serves a page of an unlisted origin without CORS headers if it has a key', async () => {
  const headers = { authorization: `Bearer ${key}`, 'x-gateway-provider': '@main', origin: 'https://evil.example' };
  const response = await call(portOf('keyed'), { path: '/v1/anything', headers });
  expect(response.status).toBe(200);
  expect(JSON.stringify(response.headers)).not.toContain('access-control');
});

it('with all origins allowed, accepts any origin except null', async () => {
  const preflight = (origin: string) =>
    call(portOf('any'), {
      method: 'OPTIONS',
      path: '/v1/models',
      headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-private-network': 'true' },
    });
  expect((await preflight('https://anything.example')).headers).toMatchObject({
    'access-control-allow-origin': 'https://anything.example',
    'access-control-allow-private-network': 'true',
  });
  expect((await preflight('null')).status).toBe(403);
});

it('without server.cors, sends no CORS headers and requires a key for OPTIONS', async () => {
  const preflight = (headers: Record<string, string>) =>
    call(portOf('off'), {
      method: 'OPTIONS',
      path: '/v1/models',
      headers: { origin: page, 'access-control-request-method': 'GET', ...headers },
    });
  const without = await preflight({});
  expect(without.status).toBe(401);
  const passed = await preflight({ authorization: `Bearer ${key}`, 'x-gateway-provider': '@main' });
  expect(passed.status).toBe(200);
  expect(JSON.stringify([without.headers, passed.headers])).not.toContain('access-control');
  expect(without.headers.vary).toBeUndefined();
});
