import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { application, type AzureRig, entra, secret, startAzureRig } from './azure-rig.ts';
import { aadsts } from './token-server.ts';

/** Credentials that clients send for Azure OpenAI. */

let rig: AzureRig;

beforeAll(async () => {
  rig = await startAzureRig();
});
beforeEach(() => rig.reset());
afterAll(() => rig?.close());

const jwt = 'Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl';
const headers = (tails: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(tails).map(([tail, value]) => [`x-gateway-${tail}`, value]));

/** Without a configured provider: the request contains everything. */
const direct = (tails: Readonly<Record<string, string>>): Record<string, string> =>
  headers({ provider: 'azure-openai', 'custom-host': `${rig.upstream.url}/openai`, 'azure-api-version': '2024-10-21', ...tails });

describe('a credential of the client', () => {
  it.each(['entra', 'caller'])('is forwarded unchanged with forward-headers authorization and auth mode %s', async (mode) => {
    await rig.start(mode === 'entra' ? entra(rig.tokens) : 'auth: {mode: caller}');
    const response = await rig.send({ authorization: jwt, ...headers({ 'forward-headers': 'Authorization' }) });
    expect([response.status, rig.signed(), rig.tokens.requests.length]).toEqual([200, [jwt], 0]);
  });

  it('is required if authorization is to be forwarded', async () => {
    await rig.start(entra(rig.tokens));
    const response = await rig.send(headers({ 'forward-headers': 'Authorization' }));
    expect([response.status, rig.upstream.requests.length, rig.tokens.requests.length]).toEqual([401, 0, 0]);
  });

  it.each([
    ['a key in its own header', { authorization: 'Bearer key-of-caller' }, 'api-key key-of-caller'],
    ['a token as bearer', { authorization: jwt }, jwt],
    [
      'a token of the azure-ad-token header',
      { authorization: 'Bearer key-of-caller', 'x-gateway-azure-ad-token': 'Bearer t-1' },
      'Bearer t-1',
    ],
    ['a key of the cloud-api-key header', { authorization: 'Bearer OPENAI_API_KEY', 'x-gateway-cloud-api-key': 'key-1' }, 'api-key key-1'],
    ['a key of the x-portkey-azure-api-key header', { 'x-portkey-azure-api-key': 'key-2' }, 'api-key key-2'],
    ['a token of the x-portkey-cloud-ad-token header', { 'x-portkey-cloud-ad-token': 't-2' }, 'Bearer t-2'],
  ])('is sent as %s', async (_, sent, signature) => {
    await rig.start('auth: {mode: caller}');
    expect((await rig.send(sent as Record<string, string>)).status).toBe(200);
    expect(rig.signed()).toEqual([signature]);
  });

  it('is required with auth mode caller', async () => {
    await rig.start('auth: {mode: caller}');
    const response = await rig.send();
    expect([response.status, rig.upstream.requests.length]).toEqual([401, 0]);
    expect(await response.json()).toMatchObject({ error: { code: 'missing_credential' } });
  });

  it('needs no authorization header in direct mode', async () => {
    await rig.start('auth: {mode: caller}');
    expect((await rig.send(direct({ 'azure-ad-token': 't-3' }), 'm')).status).toBe(200);
    expect((await rig.send(direct({ 'azure-api-key': 'key-3' }), 'm')).status).toBe(200);
    expect(rig.signed()).toEqual(['Bearer t-3', 'api-key key-3']);
  });
});

describe('an Entra application of the client', () => {
  const grant = (): string => {
    const { parameters } = application();
    return JSON.stringify({
      kind: 'client-credentials',
      endpoint: { base: rig.tokens.url, path: ['t1', 'oauth2', 'v2.0', 'token'] },
      clientId: parameters['client_id'],
      clientSecret: secret,
      scope: parameters['scope'],
      repeats: [],
      blame: [{ text: 'AADSTS7000215:', field: 'azure-entra-client-secret', says: 'is wrong' }],
    });
  };
  /** A provider whose key is the grant: the real token endpoint is not on loopback. */
  const minted = (): string => `
  minted: {type: minted, custom_host: "${rig.upstream.url}", auth: {mode: caller}}
provider_plugins: ["${fileURLToPath(new URL('./minted.ts', import.meta.url))}"]`;
  const config = (): Record<string, string> => ({
    'x-gateway-config': JSON.stringify({ provider: 'minted', api_key: grant(), custom_host: rig.upstream.url }),
  });

  it('gets one token for all its requests', async () => {
    await rig.start('auth: {mode: caller}', { more: minted() });
    const responses = await Promise.all(Array.from({ length: 20 }, () => rig.send(config(), 'm')));
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
    expect([rig.tokens.requests.length, new Set(rig.signed())]).toEqual([1, new Set(['Bearer token-1'])]);
  });

  it('causes a 401 that names the wrong header if the token endpoint rejects it', async () => {
    rig.tokens.errorResponse = aadsts(7000215, 'Invalid client secret provided.');
    await rig.start('auth: {mode: caller}', { more: minted() });
    const response = await rig.send(config(), 'm');
    const text = await response.text();
    expect([response.status, rig.upstream.requests.length]).toEqual([401, 0]);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'missing_credential', param: 'azure-entra-client-secret' } });
    expect(text).not.toContain(secret);
    expect(JSON.stringify(await rig.gateway.record(response.headers.get('x-request-id')))).not.toContain(secret);
  });

  it.each([
    [
      'no secret',
      { 'azure-auth-mode': 'entra', 'azure-entra-tenant-id': 't', 'azure-entra-client-id': 'c' },
      401,
      'azure-entra-client-secret',
    ],
    [
      'no tenant',
      { 'cloud-auth-mode': 'entra', 'cloud-entra-client-id': 'c', 'cloud-entra-client-secret': 's-1' },
      401,
      'azure-entra-tenant-id',
    ],
    ['an unknown auth mode', { 'azure-auth-mode': 'antra' }, 400, 'azure-auth-mode'],
  ])('with %s is rejected before anything is sent', async (_, tails, status, param) => {
    await rig.start('auth: {mode: caller}');
    const response = await rig.send({ authorization: 'Bearer k', ...direct(tails as unknown as Record<string, string>) }, 'm');
    const text = await response.text();
    expect([response.status, rig.upstream.requests.length]).toEqual([status, 0]);
    expect(JSON.parse(text)).toMatchObject({ error: { param } });
    expect(text + JSON.stringify(await rig.gateway.record(response.headers.get('x-request-id')))).not.toContain('s-1');
  });
});

describe('the managed identity of the machine cannot be used', () => {
  const modes = ['managed', 'managed_identity', 'workload', 'workload_identity'];

  it.each(modes)('by a header in direct mode: %s', async (mode) => {
    await rig.start(entra(rig.tokens), { env: { AZURE_POD_IDENTITY_AUTHORITY_HOST: rig.tokens.url } });
    const response = await rig.send({ authorization: 'Bearer k', ...direct({ 'azure-auth-mode': mode }) }, 'm');
    expect([response.status, rig.upstream.requests.length, rig.tokens.requests.length]).toEqual([403, 0, 0]);
    expect(await response.json()).toMatchObject({ error: { code: 'not_allowed', param: 'x-gateway-azure-auth-mode' } });
  });

  it.each(modes)('by a header for a provider with auth mode caller: %s', async (mode) => {
    await rig.start('auth: {mode: caller}');
    const response = await rig.send({ authorization: 'Bearer k', ...headers({ 'cloud-auth-mode': mode }) });
    expect([response.status, rig.upstream.requests.length]).toEqual([403, 0]);
  });

  it.each(modes)('by a config in the request: %s', async (mode) => {
    await rig.start(entra(rig.tokens));
    for (const provider of ['@azure', 'azure-openai']) {
      const config = { provider, azure_auth_mode: mode, ...(provider === '@azure' ? {} : { api_key: 'k', azure_resource_name: 'r' }) };
      const response = await rig.send({ 'x-gateway-config': JSON.stringify(config) }, 'm');
      expect([response.status, rig.upstream.requests.length]).toEqual([403, 0]);
      expect(await response.json()).toMatchObject({ error: { code: 'not_allowed' } });
    }
  });

  it('by auth in a config, which has no such key', async () => {
    await rig.start(entra(rig.tokens));
    const response = await rig.send({ 'x-gateway-config': '{"provider":"azure-openai","auth":{"mode":"managed_identity"}}' }, 'm');
    expect([response.status, rig.upstream.requests.length]).toEqual([400, 0]);
  });
});
