import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { importSPKI, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OAuthGrant } from '../../src/core/provider.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { completion, deadPort, json, type Script, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Tokens from a real endpoint on loopback for a real upstream, through the whole gateway. */

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

let endpoint: ScriptedUpstream;
let upstream: ScriptedUpstream;
let gateway: TestGateway;

/** A new token at each request. */
const mint: Script = (response, _request, count) =>
  json(response, 200, { access_token: `token-${count}`, expires_in: 3600, token_type: 'Bearer' });
const accept: Script = (response) => json(response, 200, completion('yes'));
const bearers = (): (string | undefined)[] => upstream.requests.map((request) => request.headers.authorization);

function grantOf(overrides: Partial<Extract<OAuthGrant, { kind: 'jwt-bearer' }>> = {}): string {
  const grant = {
    kind: 'jwt-bearer',
    tokenUri: `${endpoint.url}/token`,
    issuer: 'robot@project.example',
    audience: 'https://audience.example/token',
    scope: 'scope-1 scope-2',
    privateKey,
    keyId: 'key-1',
    keyField: 'api_key',
    repeats: [],
    ...overrides,
  };
  return JSON.stringify(grant);
}

async function start(grant: string, more = ''): Promise<TestGateway> {
  return startTestGateway(
    `
version: 1
provider_plugins: ["${fileURLToPath(new URL('./minted.ts', import.meta.url))}"]
providers:
  minted: {type: minted, custom_host: "${upstream.url}", api_key: "\${env:GRANT}"}
${more}`,
    { env: { GRANT: grant } },
  );
}

const send = (headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: '@minted/m', messages: [] }),
  });

/** The request contains host and credential. */
const direct = (host: string, grant = grantOf()) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gateway-config': JSON.stringify({ provider: 'minted', api_key: grant, custom_host: host }),
    },
    body: JSON.stringify({ model: 'm', messages: [] }),
  });

beforeAll(async () => {
  endpoint = await startUpstream(mint);
  upstream = await startUpstream(accept);
});

beforeEach(() => {
  endpoint.requests.length = 0;
  upstream.requests.length = 0;
  endpoint.script = mint;
  upstream.script = accept;
});

afterEach(() => gateway?.close());

afterAll(() => Promise.all([endpoint?.close(), upstream?.close()]));

describe('a signed assertion', () => {
  it('is exchanged for a token that signs the request', async () => {
    gateway = await start(grantOf());
    expect((await send()).status).toBe(200);
    expect(bearers()).toEqual(['Bearer token-1']);
    const [request] = endpoint.requests;
    expect([request?.method, request?.url, request?.headers['content-type']]).toEqual([
      'POST',
      '/token',
      'application/x-www-form-urlencoded',
    ]);
    const form = new URLSearchParams(request?.body.toString());
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const key = await importSPKI(createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(), 'RS256');
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', key, {
      issuer: 'robot@project.example',
      audience: 'https://audience.example/token',
    });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
    expect(payload.scope).toBe('scope-1 scope-2');
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
  });

  it('is sent again if the endpoint is busy', async () => {
    gateway = await start(grantOf({ repeats: [{ statuses: [503], waitsMs: [0] }] }));
    endpoint.script = (response, request, count) => (count === 1 ? json(response, 503, {}) : mint(response, request, count));
    expect([(await send()).status, bearers()]).toEqual([200, ['Bearer token-2']]);
  });

  it('is created from a key with escaped line breaks', async () => {
    gateway = await start(grantOf({ privateKey: privateKey.replaceAll('\n', '\\n') }));
    expect((await send()).status).toBe(200);
  });
});

describe('one token of a service account', () => {
  it('serves a hundred concurrent requests and those that follow', async () => {
    gateway = await start(grantOf());
    const responses = await Promise.all(Array.from({ length: 100 }, () => send()));
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
    expect((await send()).status).toBe(200);
    expect([endpoint.requests.length, new Set(bearers())]).toEqual([1, new Set(['Bearer token-1'])]);
  });

  it('is kept by a reload', async () => {
    gateway = await start(grantOf());
    await send();
    await gateway.write(`
version: 1
provider_plugins: ["${fileURLToPath(new URL('./minted.ts', import.meta.url))}"]
providers:
  minted: {type: minted, description: changed, custom_host: "${upstream.url}", api_key: "\${env:GRANT}"}
`);
    expect((await gateway.gateway.reload()).type).toBe('reloaded');
    await send();
    expect([endpoint.requests.length, bearers()]).toEqual([1, ['Bearer token-1', 'Bearer token-1']]);
  });

  it('is replaced when it expires', async () => {
    endpoint.script = (response, _request, count) =>
      json(response, 200, { access_token: `token-${count}`, expires_in: count === 1 ? 0.001 : 3600 });
    gateway = await start(grantOf());
    await send();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await send();
    expect(bearers()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });
});

describe('a 401 of the provider', () => {
  const onlySecond: Script = (response, request) =>
    request.headers.authorization === 'Bearer token-2'
      ? accept(response, request, 0)
      : json(response, 401, { error: { message: 'expired' } });

  it('causes a new token and one repetition of the attempt', async () => {
    gateway = await start(grantOf());
    upstream.script = onlySecond;
    const response = await send();
    expect([response.status, bearers()]).toEqual([200, ['Bearer token-1', 'Bearer token-2']]);
    expect((await gateway.record(response.headers.get('x-request-id'))).attempts).toHaveLength(1);
  });

  it('is included in the time of the attempt', async () => {
    gateway = await start(grantOf());
    upstream.script = async (response, request, count) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await onlySecond(response, request, count);
    };
    const response = await send();
    const { attempts } = await gateway.record(response.headers.get('x-request-id'));
    expect(attempts[0]?.total_ms).toBeGreaterThan(190);
  });

  it('causes one new token for many requests', async () => {
    gateway = await start(grantOf());
    await send();
    upstream.script = onlySecond;
    const responses = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect([new Set(responses.map((response) => response.status)), endpoint.requests.length]).toEqual([new Set([200]), 2]);
  });

  it('for every token is returned as 502 without a new token for each request', async () => {
    gateway = await start(grantOf());
    upstream.script = (response) => json(response, 401, { error: { message: 'never' } });
    const responses = [await send(), await send(), await send()];
    expect(responses.map((response) => response.status)).toEqual([502, 502, 502]);
    expect(await responses[0]?.json()).toMatchObject({ error: { code: 'provider_auth_failed' } });
    expect([endpoint.requests.length, upstream.requests.length]).toEqual([2, 4]);
  });
});

describe('without a token', () => {
  it.each([
    ['the endpoint returns 400', (): string => grantOf(), /returned 400: invalid_grant: Invalid JWT Signature\./],
    [
      'the endpoint is unreachable',
      async (): Promise<string> => grantOf({ tokenUri: `http://127.0.0.1:${await deadPort()}/token` }),
      /connection refused/,
    ],
    ['the key is invalid', (): string => grantOf({ privateKey: 'not a key' }), /private key of the service account cannot be read/],
    ['the endpoint is not an http URL', (): string => grantOf({ tokenUri: 'file:///etc' }), /not an http or https URL/],
  ])('the gateway returns 502 for a credential of the operator when %s', async (_, grant, message) => {
    endpoint.script = (response) => json(response, 400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
    gateway = await start(await grant());
    const response = await send();
    const text = await response.text();
    expect([response.status, upstream.requests.length]).toEqual([502, 0]);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'provider_auth_failed', message: expect.stringMatching(message) as string } });
    expect(text).not.toMatch(/BEGIN|undefined/);
  });

  it.each([
    ['nothing', {}],
    ['an empty token', { access_token: '' }],
    ['a number', { access_token: 5 }],
  ])('the gateway sends no request when the endpoint returns %s', async (_, answer) => {
    endpoint.script = (response) => json(response, 200, answer);
    gateway = await start(grantOf());
    expect((await send()).status).toBe(502);
    expect(bearers()).toEqual([]);
  });

  it('the gateway returns 401 for a credential of the client', async () => {
    endpoint.script = (response) => json(response, 400, { error: 'invalid_grant', error_description: 'Account not found' });
    gateway = await start(grantOf(), 'server: {egress: {allow: ["127.0.0.1"]}}');
    const response = await direct(upstream.url);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      error: { code: 'missing_credential', message: expect.stringMatching(/Account not found/) as string },
    });
  });

  it('the gateway does not use the identity of the machine for a client', async () => {
    gateway = await start(grantOf());
    const ambient = JSON.stringify({ kind: 'google-ambient', scopes: ['all'], credentialsFile: 'secret.json' });
    const response = await direct('https://api.example.com', ambient);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringMatching(/only providers in gateway\.yaml/) as string },
    });
  });

  it('the gateway does not call an internal token endpoint for a client', async () => {
    gateway = await start(grantOf());
    const response = await direct('https://api.example.com');
    expect([response.status, endpoint.requests.length]).toEqual([401, 0]);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/"127\.0\.0\.1"/) as string } });
  });
});
