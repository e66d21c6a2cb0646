import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { audience, type Issuer, issuerName, type IssuerKey, makeKey, startIssuer, tokenOf } from './issuer.ts';

/** Tokens as gateway keys, from the issuer's key set to the record. */

let key: IssuerKey;
let unknownKey: IssuerKey;
let issuer: Issuer;
let upstream: ScriptedUpstream;
let gateway: TestGateway | undefined;

beforeAll(async () => {
  [key, unknownKey] = await Promise.all([makeKey('k-1'), makeKey('k-2')]);
  issuer = await startIssuer(key);
  upstream = await startUpstream((response, { url }) => json(response, 200, url.includes('/chat/') ? completion('yes') : { ok: true }));
});
afterAll(async () => {
  await issuer.server.close();
  await upstream.close();
});
beforeEach(() => {
  issuer.show(key);
  issuer.server.requests.length = 0;
  upstream.requests.length = 0;
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

/** Without api_keys: only tokens give access. */
const yaml = (jwt = '', more = ''): string => `
version: 1
providers: {main: {type: openai, api_key: sk-catalog-0123456789, custom_host: "${upstream.url}/v1"}}
configs: {support: {metadata: {from: config}, targets: [{provider: main, override_params: {model: fixed}}]}}
auth:
  jwt: {issuer: "${issuerName}", audience: ${audience}, jwks: "${issuer.jwksUrl}"${jwt}}
${more}`;

async function start(text: string, options: Parameters<typeof startTestGateway>[1] = {}): Promise<TestGateway> {
  gateway = await startTestGateway(text, options);
  return gateway;
}

type Headers = Readonly<Record<string, string>>;

const send = ({ url }: TestGateway, headers: Headers, path = '/v1/chat/completions', body: object = { model: '@main/m', messages: [] }) =>
  fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });

const codeOf = async (response: Response): Promise<unknown> => {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return [response.status, error.code, error.message];
};

describe('a gateway with tokens only', () => {
  it('accepts a token, records the caller and does not forward the token', async () => {
    const at = await start(yaml(', metadata: {team: dept}, clock_tolerance: 5s'));
    const token = await tokenOf(key, { claims: { dept: 'search' } });
    const ways: readonly Headers[] = [
      { 'x-gateway-api-key': token },
      { 'x-portkey-api-key': `Bearer ${token}`, authorization: `Bearer ${token}` },
    ];
    for (const headers of ways) {
      const response = await send(at, { ...headers, 'x-gateway-metadata': '{"app":"shop"}' });
      expect(response.status).toBe(200);
      const record = await at.record(response.headers.get('x-request-id'));
      expect(record).toMatchObject({ key: 'jwt:alice', key_id: null, metadata: { team: 'search', app: 'shop' } });
      expect(JSON.stringify(record)).not.toContain(token.slice(0, 20));
    }
    for (const { rawHeaders } of upstream.requests) expect(rawHeaders.join('\n')).not.toContain(token.slice(0, 20));
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer sk-catalog-0123456789'));
    expect(at.lines.join('')).not.toContain(token.slice(0, 20));
  });

  it('does not forward the token in relayed requests, forwarded headers and direct mode', async () => {
    const at = await start(yaml(', from: [authorization]'));
    const token = await tokenOf(key);
    const bearer = { authorization: `Bearer ${token}` };
    await send(at, { ...bearer, 'x-gateway-provider': '@main' }, '/v1/some/new/path', { a: 1 });
    await send(at, { ...bearer, 'x-gateway-forward-headers': 'x-app', 'x-app': '1' });
    expect((await send(at, { ...bearer, 'x-gateway-forward-headers': 'authorization' })).status).toBe(401);
    expect(
      (await send(at, { ...bearer, 'x-gateway-provider': 'openai' }, '/v1/chat/completions', { model: 'm', messages: [] })).status,
    ).toBe(401);
    expect(upstream.requests.length).toBe(2);
    for (const { rawHeaders } of upstream.requests) expect(rawHeaders.join('\n')).not.toContain(token.slice(0, 20));
  });

  it.each<[string, () => Promise<Headers>, number, string, RegExp]>([
    ['no key', () => Promise.resolve({}), 401, 'missing_api_key', /has no gateway API key/],
    ['an invalid key', () => Promise.resolve({ 'x-gateway-api-key': 'anything-goes-0123' }), 401, 'invalid_api_key', /is unknown/],
    [
      'a token in authorization',
      async () => ({ authorization: `Bearer ${await tokenOf(key)}` }),
      401,
      'invalid_api_key',
      /not a key of this gateway/,
    ],
    [
      'another audience',
      async () => ({ 'x-gateway-api-key': await tokenOf(key, { aud: 'x' }) }),
      401,
      'invalid_api_key',
      /another audience/,
    ],
    ['another issuer', async () => ({ 'x-gateway-api-key': await tokenOf(key, { iss: 'x' }) }), 401, 'invalid_api_key', /another issuer/],
    [
      'an expired token',
      async () => ({ 'x-gateway-api-key': await tokenOf(key, { exp: 1_700_000_000 }) }),
      401,
      'expired_api_key',
      /has expired/,
    ],
    ['another key', async () => ({ 'x-gateway-api-key': await tokenOf(unknownKey) }), 401, 'invalid_api_key', /does not list/],
  ])('rejects %s', async (_name, headers, status, code, message) => {
    const at = await start(yaml());
    expect(await codeOf(await send(at, await headers()))).toEqual([status, code, expect.stringMatching(message)]);
    expect(upstream.requests).toEqual([]);
  });

  it('returns 503 auth_unavailable while the issuer is unavailable', async () => {
    issuer.answer((response) => json(response, 500, {}));
    const at = await start(yaml());
    const response = await send(at, { 'x-gateway-api-key': await tokenOf(key) });
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await codeOf(response)).toEqual([503, 'auth_unavailable', expect.any(String)]);
    expect(at.lines.join('')).toMatch(/public keys of the tokens' issuer could not be fetched/);
  });

  it('fetches the keys of the issuer once for 500 concurrent requests', async () => {
    const at = await start(yaml());
    const tokens = await Promise.all(Array.from({ length: 500 }, (_, i) => tokenOf(key, { claims: { sub: `u${i}` } })));
    const responses = await Promise.all(tokens.map((token) => send(at, { 'x-gateway-api-key': token })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(issuer.server.requests).toHaveLength(1);
    await Promise.all(responses.map((response) => response.text()));
  });

  it('may listen on all interfaces; without tokens and keys this is rejected', async () => {
    const at = await start(yaml('', 'server: {listen: "0.0.0.0:0"}'), { listen: undefined });
    expect(at.gateway.url).toContain(':');
    await at.close();
    await expect(
      startTestGateway('version: 1\nproviders: {mock: {type: mock}}\nserver: {listen: "0.0.0.0:0"}\n', { listen: undefined }),
    ).rejects.toMatchObject({ diagnostics: [{ code: 'exposed', severity: 'error' }] });
  });
});

describe('the rules for a token', () => {
  it('are those of auth.jwt', async () => {
    const at = await start(yaml(', default_config: support, allow: {models: [m, fixed], providers: [main]}'));
    const headers = { 'x-gateway-api-key': await tokenOf(key) };
    const response = await send(at, headers, '/v1/chat/completions', { model: 'any', messages: [] });
    expect(response.status).toBe(200);
    expect(await at.record(response.headers.get('x-request-id'))).toMatchObject({ config: 'support', metadata: { from: 'config' } });
    expect(await codeOf(await send(at, headers, '/v1/chat/completions', { model: '@main/other', messages: [] }))).toEqual([
      403,
      'not_allowed',
      'Key "jwt:alice" may not use model "other".',
    ]);
  });

  it('are those of the key that the token names', async () => {
    const hash = `sha256:${'a'.repeat(64)}`;
    const keys = `api_keys: {shop: {hash: "${hash}", allow: {models: [small]}, metadata: {app: shop}}}`;
    const at = await start(yaml(', key: app', keys));
    const token = await tokenOf(key, { claims: { app: 'shop' } });
    const sent = (model: string) => send(at, { 'x-gateway-api-key': token }, '/v1/chat/completions', { model, messages: [] });
    const response = await sent('@main/small');
    expect((await at.record(response.headers.get('x-request-id'))).metadata).toEqual({ app: 'shop' });
    expect((await sent('@main/big')).status).toBe(403);
    expect((await send(at, { 'x-gateway-api-key': await tokenOf(key, { claims: { app: 'no' } }) })).status).toBe(401);
  });
});

describe('a key set in a file', () => {
  it('is read again after a change, and a removed key is rejected at once', async () => {
    const set = (...keys: IssuerKey[]): string => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
    const text = yaml().replace(`"${issuer.jwksUrl}"`, 'keys/jwks.json');
    const at = await start(text, { watch: true, files: { 'keys/jwks.json': set(key) } });
    const old = { 'x-gateway-api-key': await tokenOf(key) };
    const fresh = { 'x-gateway-api-key': await tokenOf(unknownKey) };
    expect([(await send(at, old)).status, (await send(at, fresh)).status]).toEqual([200, 401]);
    writeFileSync(join(at.dir, 'keys/jwks.json'), set(unknownKey));
    await until(() => at.events.some((event) => event.type === 'reloaded' && event.changes.includes('~auth.jwt')), 'the reload');
    expect([(await send(at, old)).status, (await send(at, fresh)).status]).toEqual([401, 200]);
    expect(issuer.server.requests).toEqual([]);
  });
});

describe('a WebSocket', () => {
  it('is accepted with a token, which is not forwarded', async () => {
    const subjects: string[] = [];
    const server = createServer();
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket, request) => {
      subjects.push(`${request.url} ${request.rawHeaders.join(' ')}`);
      socket.send('hello');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const provider = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const at = await start(yaml(', from: [authorization]').replace(`${upstream.url}/v1`, provider));
    const token = await tokenOf(key);
    const url = `${at.url.replace('http', 'ws')}/v1/realtime?model=@main/m`;
    const hello = (client: WebSocket): Promise<string> =>
      new Promise((resolve, reject) => client.once('message', (data: Buffer) => resolve(data.toString())).once('error', reject));
    const ways = [
      new WebSocket(url, { headers: { 'x-gateway-api-key': token } }),
      new WebSocket(`${url}&api-key=${token}`),
      new WebSocket(`${url}&api%2Dkey=${token}`),
      new WebSocket(url, ['realtime', `openai-insecure-api-key.${token}`]),
    ];
    try {
      expect(await Promise.all(ways.map(hello))).toEqual(['hello', 'hello', 'hello', 'hello']);
      expect(subjects.join('\n')).not.toContain(token.slice(0, 20));
      await expect(hello(new WebSocket(url))).rejects.toThrow(/401/);
    } finally {
      for (const client of ways) client.terminate();
      sockets.close();
      server.closeAllConnections();
      server.close();
    }
  });
});
