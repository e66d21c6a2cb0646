import type { UpstreamRequest } from '../../src/core/provider.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import azure from '../../plugins/providers/azure-openai/index.ts';
import { createOutbound } from '../../src/transport/outbound/index.ts';
import { until } from '../support/gateway.ts';
import { json } from '../support/upstream.ts';
import { accept, type AzureRig, entra, secret, startAzureRig } from './azure-rig.ts';
import { aadsts } from './token-server.ts';
import { TimerWheel } from '../../src/transport/wire/timer-wheel.ts';

/** The token of an Entra application through its lifetime, and requests without a token. */

let rig: AzureRig;

beforeAll(async () => {
  rig = await startAzureRig();
});
beforeEach(() => rig.reset());
afterAll(() => rig?.close());

const fetched = (): number => rig.tokens.requests.length;

describe('one token', () => {
  it('serves a thousand concurrent requests', async () => {
    await rig.start(entra(rig.tokens));
    const responses = await Promise.all(Array.from({ length: 1000 }, () => rig.send()));
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
    expect([fetched(), rig.signed().length, new Set(rig.signed())]).toEqual([1, 1000, new Set(['Bearer token-1'])]);
  });

  it('is replaced after it expired', async () => {
    rig.tokens.life = { expires_in: '0.001' };
    await rig.start(entra(rig.tokens));
    await rig.send();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await rig.send();
    expect(rig.signed()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('is renewed in the background when refresh_in has passed', async () => {
    rig.tokens.life = { expires_in: 86_399, refresh_in: 0.001 };
    await rig.start(entra(rig.tokens));
    await rig.send();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await rig.send();
    await until(() => rig.tokens.issuedCount === 2, 'the second token');
    // It is used as soon as the response was read, and a few requests may be faster.
    for (let n = 0; n < 500 && rig.signed().at(-1) === 'Bearer token-1'; n += 1) await rig.send();
    expect(rig.signed().at(-1)).not.toBe('Bearer token-1');
    expect(rig.signed().slice(0, 2)).toEqual(['Bearer token-1', 'Bearer token-1']);
  });

  it('is replaced once in the same attempt after a 401', async () => {
    rig.upstream.script = (response, request, count) =>
      request.headers.authorization === 'Bearer token-2'
        ? accept(response, request, count)
        : json(response, 401, { error: { code: 'Unauthorized', message: 'Access token is missing, invalid, or expired.' } });
    await rig.start(entra(rig.tokens));
    const response = await rig.send();
    expect([response.status, rig.signed()]).toEqual([200, ['Bearer token-1', 'Bearer token-2']]);
    expect((await rig.gateway.record(response.headers.get('x-request-id'))).attempts).toHaveLength(1);
  });

  it.each([
    ['an upload', '/v1/files', (): FormData => upload()],
    ['a relayed request', '/v1/vector_stores', (): string => '{"name":"n"}'],
  ])('is replaced for the next request after a 401 for %s, which cannot be sent twice', async (_, path, body) => {
    rig.upstream.script = (response, { headers }) =>
      json(response, headers.authorization === 'Bearer token-1' ? 401 : 200, { id: 'file-1', object: 'file', error: { message: 'no' } });
    await rig.start(entra(rig.tokens));
    const send = async (): Promise<number> => {
      const content = body();
      const type: Record<string, string> = typeof content === 'string' ? { 'content-type': 'application/json' } : {};
      const headers = { 'x-gateway-provider': '@azure', ...type };
      return (await fetch(`${rig.gateway.url}${path}`, { method: 'POST', headers, body: content })).status;
    };
    expect([await send(), await send()]).toEqual([502, 200]);
    expect(rig.signed()).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('is not fetched for each request if a role is missing', async () => {
    rig.upstream.script = (response) =>
      json(response, 401, { error: { code: 'PermissionDenied', message: 'The principal lacks a role.' } });
    await rig.start(entra(rig.tokens));
    const responses = [await rig.send(), await rig.send(), await rig.send()];
    expect(responses.map((response) => response.status)).toEqual([502, 502, 502]);
    expect(fetched()).toBe(2);
  });
});

describe('a token that a provider repeats in its error', () => {
  it.each([400, 403, 500])('is redacted with status %s', async (status) => {
    rig.upstream.script = (response, { headers }) =>
      json(response, status, { error: { code: 'Bad', message: `What is "${headers.authorization}" for?` } });
    await rig.start(entra(rig.tokens));
    const response = await rig.send();
    const text = await response.text();
    const record = await rig.gateway.record(response.headers.get('x-request-id'));
    expect(rig.signed()).toEqual(['Bearer token-1']);
    for (const output of [text, JSON.stringify(record), rig.gateway.lines.join('')]) expect(output).not.toContain('token-1');
    expect(text).toContain('*******');
  });

  it('is redacted if it is the second token of an attempt', async () => {
    rig.upstream.script = (response, { headers }) =>
      json(response, headers.authorization === 'Bearer token-1' ? 401 : 400, { error: { message: `Not ${headers.authorization}` } });
    await rig.start(entra(rig.tokens));
    const text = await (await rig.send()).text();
    expect(rig.signed()).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(text).toContain('Not Bearer *******');
  });
});

function upload(): FormData {
  const form = new FormData();
  form.set('purpose', 'assistants');
  form.set('file', new Blob(['x'.repeat(100_000)]), 'a.txt');
  return form;
}

describe('an error of the token endpoint', () => {
  it.each([
    [7000215, 'Invalid client secret provided.', 'invalid_client', 'auth.client_secret', 'is wrong'],
    [7000222, 'The provided client secret keys for app c1 are expired.', 'invalid_client', 'auth.client_secret', 'is expired'],
    [700016, 'Application c1 was not found in the directory.', 'unauthorized_client', 'auth.client_id', 'names no application'],
    [90002, "Tenant 't1' not found.", 'invalid_request', 'auth.tenant_id', 'names no tenant'],
    [500011, 'The resource principal was not found.', 'invalid_resource', 'auth.scope', 'names no service'],
    [70021, 'No matching federated identity record found.', 'invalid_client', 'auth.client_id', 'has no federated credential'],
  ])('names the setting in the response for AADSTS%s', async (code, text, error, field, message) => {
    rig.tokens.errorResponse = aadsts(code, text, error);
    await rig.start(entra(rig.tokens));
    const response = await rig.send();
    const body = (await response.json()) as { error: Record<string, string> };
    expect([response.status, rig.upstream.requests.length]).toEqual([502, 0]);
    expect(body.error).toMatchObject({ code: 'provider_auth_failed', param: field });
    expect(body.error['message']).toContain(`${field} ${message}`);
    expect(body.error['message']).toContain(`returned 401: ${error}: AADSTS${code}: ${text.replace(/\.$/, '')}`);
    expect(body.error['message']).not.toMatch(/trace|corr/i);
  });

  it('does not reveal the secret in response, record or log', async () => {
    rig.tokens.errorResponse = aadsts(7000215, `Invalid client secret "${secret}" provided.`);
    await rig.start(entra(rig.tokens));
    const response = await rig.send();
    const text = await response.text();
    expect(text).toContain('***');
    const record = await rig.gateway.record(response.headers.get('x-request-id'));
    for (const output of [text, JSON.stringify([...response.headers]), JSON.stringify(record), rig.gateway.lines.join('')]) {
      expect(output).not.toContain(secret);
      expect(output).not.toContain(encodeURIComponent(secret));
    }
  });

  it('makes a fallback use the next target', async () => {
    rig.tokens.errorResponse = aadsts(7000222, 'The provided client secret keys are expired.');
    const more = '  spare: {type: mock}\nconfigs:\n  safe: {strategy: {mode: fallback}, targets: ["@azure", "@spare"]}';
    await rig.start(entra(rig.tokens), { more });
    expect((await rig.send({ 'x-gateway-config': 'safe' }, 'm')).status).toBe(200);
  });

  it('causes a 502 if it is not JSON', async () => {
    rig.tokens.first = (response) => void response.writeHead(302, { location: 'https://elsewhere.example/' }).end('<html>');
    await rig.start(entra(rig.tokens));
    const response = await rig.send();
    expect([response.status, rig.upstream.requests.length, fetched()]).toEqual([502, 0, 1]);
    expect(await response.text()).toMatch(/returned 302: no token, and no reason/);
  });
});

describe('a more specific credential replaces that of the provider', () => {
  const more = `
    deployments:
      keyed: {deployment_id: d2, api_key: k-of-deployment, foundation_model: gpt-4o}
virtual_keys:
  team: {provider: azure, api_key: k-of-team}
configs:
  target: {provider: azure, api_key: k-of-target}`;

  it.each([
    ['a deployment', {}, '@azure/keyed', 'api-key k-of-deployment'],
    ['a virtual key', { 'x-gateway-virtual-key': 'team' }, 'm', 'api-key k-of-team'],
    ['a target', { 'x-gateway-config': 'target' }, 'm', 'api-key k-of-target'],
    ['a config in a request', { 'x-gateway-config': '{"provider":"@azure","api_key":"k-of-caller"}' }, 'm', 'api-key k-of-caller'],
    ['only the provider itself', {}, '@azure/m', 'Bearer token-1'],
  ])('for %s', async (_, headers, model, signature) => {
    await rig.start(entra(rig.tokens), { more });
    expect((await rig.send(headers as Record<string, string>, model)).status).toBe(200);
    expect(rig.signed()).toEqual([signature]);
  });
});

describe('a virtual key with its own auth settings', () => {
  /** Each application has its own tokens: a request with another secret gets none. */
  const secrets: Readonly<Record<string, string>> = { c1: secret, c2: 'secret-2', c3: 'secret-3' };
  const callerConfig = (client: string): string =>
    `auth: {mode: entra, tenant_id: t-${client}, client_id: ${client}, client_secret: "\${env:SECRET_${client.slice(1)}}", authority: "${rig.tokens.url}"}`;
  const env = { SECRET_2: 'secret-2', SECRET_3: 'secret-3' };
  const more = (): string => `
virtual_keys:
  sales: {provider: azure, ${callerConfig('c2')}}
  legal: {provider: azure, ${callerConfig('c3')}}
  keyed: {provider: azure, auth: {mode: api_key, api_key: k-of-key}}
  guests: {provider: azure, auth: {mode: caller}}`;

  /** Returns a token that names the application of the form. */
  const perClient = (): void => {
    rig.tokens.script = (response, { url, body }) => {
      const form = new URLSearchParams(body.toString());
      const client = form.get('client_id') ?? '';
      const isKnown =
        form.get('client_secret') === secrets[client] && url === `/${client === 'c1' ? 't1' : `t-${client}`}/oauth2/v2.0/token`;
      json(response, isKnown ? 200 : 401, isKnown ? { token_type: 'Bearer', access_token: `of-${client}`, expires_in: 3599 } : {});
    };
  };

  it.each(['auth: {mode: managed_identity}', 'api_key: k-of-entry', 'ad_token: t-of-entry', 'entra'])(
    'overrides those of a provider with %s',
    async (entry) => {
      const { script } = rig.tokens;
      perClient();
      try {
        await rig.start(entry === 'entra' ? entra(rig.tokens) : entry, { env, more: more() });
        const keys = ['sales', 'legal', 'keyed', 'sales', 'legal'];
        for (const key of keys) expect((await rig.send({ 'x-gateway-virtual-key': key }, 'm')).status).toBe(200);
        expect((await rig.send({ 'x-gateway-virtual-key': 'guests', authorization: 'Bearer k-of-guest' }, 'm')).status).toBe(200);
        const signatures = ['Bearer of-c2', 'Bearer of-c3', 'api-key k-of-key', 'Bearer of-c2', 'Bearer of-c3', 'api-key k-of-guest'];
        expect([rig.signed(), fetched()]).toEqual([signatures, 2]);
        // A request to the provider itself still uses its own credential.
        if (entry === 'entra') expect([(await rig.send()).status, rig.signed().at(-1)]).toEqual([200, 'Bearer of-c1']);
      } finally {
        rig.tokens.script = script;
      }
    },
  );

  it('cannot be used with another host', async () => {
    await rig.start('api_key: k-of-entry', { env, more: more() });
    for (const key of ['sales', 'keyed']) {
      const response = await rig.send({ 'x-gateway-virtual-key': key, 'x-gateway-custom-host': 'https://elsewhere.azure.com/openai' }, 'm');
      expect([response.status, fetched(), rig.upstream.requests.length]).toEqual([403, 0, 0]);
    }
  });

  it('with auth mode caller requires a credential of the client', async () => {
    await rig.start('api_key: k-of-entry', { env, more: more() });
    const response = await rig.send({ 'x-gateway-virtual-key': 'guests' }, 'm');
    expect([response.status, rig.upstream.requests.length]).toEqual([401, 0]);
  });
});

describe('a credential that fails', () => {
  it('is tried once per second for any number of sequential requests', async () => {
    let now = Date.now();
    const outbound = createOutbound({
      wheel: new TimerWheel(),
      clock: { now: () => now, monotonic: () => now },
      random: () => 0,
      egressAllow: () => [],
      env: {},
      onTokenFault: () => undefined,
      onKeysFault: () => undefined,
    });
    try {
      const auth = { mode: 'entra', tenant_id: 't1', client_id: 'c1', client_secret: secret, authority: rig.tokens.url };
      const credential = outbound.sign(azure.entry.credential({ auth }, undefined), 'catalog');
      const credentialHeaders = async (): Promise<unknown> =>
        Promise.resolve(credential.headers({} as UpstreamRequest)).catch((error: unknown) => error);
      rig.tokens.errorResponse = aadsts(7000215, 'Invalid client secret provided.');
      for (let n = 0; n < 100; n += 1)
        expect(await credentialHeaders()).toMatchObject({ code: 'provider_auth_failed', param: 'auth.client_secret' });
      expect(fetched()).toBe(1);
      now += 1000;
      for (let n = 0; n < 100; n += 1) expect(await credentialHeaders()).toMatchObject({ code: 'provider_auth_failed' });
      expect(fetched()).toBe(2);
      rig.tokens.errorResponse = undefined;
      now += 1000;
      expect([await credentialHeaders(), await credentialHeaders(), fetched()]).toEqual([
        ['authorization', 'Bearer token-1'],
        ['authorization', 'Bearer token-1'],
        3,
      ]);
    } finally {
      await outbound.upstream.close();
    }
  });

  it('is reported with the setting for each request', async () => {
    rig.tokens.errorResponse = aadsts(7000215, 'Invalid client secret provided.');
    await rig.start(entra(rig.tokens));
    for (const _ of [1, 2, 3]) expect(await (await rig.send()).json()).toMatchObject({ error: { param: 'auth.client_secret' } });
  });
});
