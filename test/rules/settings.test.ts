import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { providers } from '../../plugins/index.ts';
import { secretHeaders } from '../../src/core/model/request-settings.ts';
import type { TestGateway } from '../support/gateway.ts';
import { keyLines, keyOf, type Recorder, send, startRecorder, startWith } from './rig.ts';
import { headersOf, jsonType, plainRequest, routes } from './routes.ts';

/**
 * Settings that only the operator may choose together with the operator's credential. Every setting that a provider type
 * declares is tested here automatically, as a header and in a config that a request sends.
 */

let upstream: Recorder;
let gateway: TestGateway;
const typed = providers.filter(({ entry }) => entry.requestSettings.length > 0 || entry.accountHeaders !== undefined);
const entries: Readonly<Record<string, string>> = {
  'azure-openai': 'custom_host: "URL/openai", api_version: v1',
  'azure-ai': 'custom_host: "URL", format: openai',
  'vertex-ai': 'custom_host: "URL", region: europe-west1, project: p-1, express: false',
};
beforeAll(async () => {
  upstream = await startRecorder();
  const lines = typed.map(({ type }) => {
    const credential = type === 'vertex-ai' ? 'api_key: ya29.0123456789' : 'api_key: sk-0123456789';
    return `  ${type}: {type: ${type}, ${credential}, ${entries[type] ?? 'custom_host: "URL/v1"'}}\n`;
  });
  gateway = await startWith(
    `
version: 1
providers:
${lines.join('')}  callers: {type: azure-openai, auth: {mode: caller}, custom_host: "URL/openai", api_version: v1}
  keyed: {type: azure-openai, api_key: sk-0123456789, custom_host: "URL/openai", api_version: v1, deployments: {small: {deployment_id: d-1}, big: {deployment_id: d-2}}}
  set: {type: openai, api_key: sk-0123456789, custom_host: "URL/v1", organization: org-ours}
api_keys:
${keyLines({ free: '', small: 'allow: {models: ["small*"]}', narrow: 'allow: {models: [small]}' })}`.replaceAll('URL', upstream.url),
  );
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});
beforeEach(() => {
  upstream.received.length = 0;
});

const guarded = typed.flatMap(({ type, entry: { requestSettings } }) =>
  requestSettings
    .filter(({ shapesHost, choosesPart }) => shapesHost || choosesPart === true)
    .map((row) => [type, row.setting, row] as const),
);
const chat = routes.find(({ name }) => name === 'POST /v1/chat/completions') ?? expect.fail('no chat');
const callerKey = { 'x-gateway-api-key': keyOf('free') };
const value = 'canary-value';
/** By the gateway itself, whatever they name. */
const answeredLocally: ReadonlySet<string> = new Set(['models', 'models/{id}', 'feedback', 'feedback/{id}']);

describe.each(guarded)('%s.%s', (type, _setting, { headers, keys }) => {
  it.each(headers.flatMap((tail) => [`x-gateway-${tail}`, `x-portkey-${tail}`]))('cannot be set by the header %s', async (name) => {
    for (const route of routes.filter(({ endpoint }) => !answeredLocally.has(endpoint))) {
      const plain = plainRequest(route, 'm-1');
      const { status } = await send(gateway.url, {
        ...plain,
        headers: { ...plain.headers, ...callerKey, 'x-gateway-virtual-key': type, [name]: value },
      });
      // This catalog contains no prompt; a form may be read before its rules are checked.
      expect([403, 404]).toContain(status);
    }
    expect(upstream.received).toEqual([]);
  });

  it.each(keys)('cannot be set by "%s" in a config', async (key) => {
    const configs = [
      { provider: `@${type}`, [key]: value },
      { virtual_key: type, [key]: value },
      { strategy: { mode: 'fallback' }, targets: [{ provider: `@${type}`, [key]: value }] },
      { [key]: value, targets: [{ provider: `@${type}` }] },
    ];
    for (const config of configs) {
      const plain = plainRequest(chat, 'm-1');
      const { status } = await send(gateway.url, {
        ...plain,
        headers: { ...plain.headers, ...callerKey, 'x-gateway-config': JSON.stringify(config) },
      });
      // Next to targets, where no provider is named, it has no effect.
      if (!Object.hasOwn(config, key) || !('targets' in config)) expect([400, 403]).toContain(status);
    }
    expect(upstream.readings()).not.toContain(value);
  });
});

describe('a native header that selects an account or deployment', () => {
  const owned = typed.flatMap(({ type, entry: { accountHeaders = [] } }) => accountHeaders.map((name) => [type, name] as const));

  it.each(owned)('%s: %s is not sent together with the credential of the gateway', async (type, name) => {
    for (const route of routes) {
      const plain = plainRequest(route, 'm-1');
      await send(gateway.url, { ...plain, headers: { ...plain.headers, ...callerKey, 'x-gateway-virtual-key': type, [name]: value } });
      await send(gateway.url, {
        ...plain,
        headers: { ...plain.headers, ...callerKey, 'x-gateway-virtual-key': type, 'x-gateway-forward-headers': name, [name]: value },
      });
    }
    expect(upstream.readings()).not.toContain(value);
  });

  it('does not replace the value of the provider, and adds a warning', async () => {
    const plain = plainRequest(chat, 'm-1');
    await send(gateway.url, {
      ...plain,
      headers: { ...plain.headers, ...callerKey, 'x-gateway-virtual-key': 'set', 'openai-organization': value, 'openai-project': value },
    });
    await send(gateway.url, {
      method: 'POST',
      path: '/v1/other',
      headers: { ...jsonType, ...callerKey, 'x-gateway-virtual-key': 'set', 'openai-organization': value },
      body: '{}',
    });
    expect(upstream.received.map(({ headers }) => [headers['openai-organization'], headers['openai-project']])).toEqual([
      ['org-ours', undefined],
      ['org-ours', undefined],
    ]);
    const { warnings } = gateway.records.at(-2) ?? {};
    expect(warnings?.join()).toContain('openai-organization');
  });
});

describe('a credential of the request next to that of the gateway', () => {
  const rows = typed.flatMap((provider) => secretHeaders(provider).map((tail) => [provider.type, `x-portkey-${tail}`] as const));

  it.each(rows)('%s: %s is not sent and is recorded as overruled', async (type, name) => {
    const plain = plainRequest(chat, 'm-1');
    await send(gateway.url, { ...plain, headers: { ...plain.headers, ...callerKey, 'x-gateway-virtual-key': type, [name]: value } });
    expect(upstream.readings()).not.toContain(value);
    expect(gateway.records.at(-1)?.overruled).toEqual([{ choice: name, value: '***', by: 'config' }]);
  });
});

describe('a deployment chosen by a client with its own credential', () => {
  const callerHeaders = { authorization: 'Bearer own-key-0123456789', ...headersOf(chat) };
  const sendChat = (key: string, headers: Record<string, string>, model = 'small') => {
    const plain = plainRequest(chat, model);
    return send(gateway.url, { ...plain, headers: { ...plain.headers, ...callerHeaders, 'x-gateway-api-key': keyOf(key), ...headers } });
  };
  const callers = { 'x-gateway-virtual-key': 'callers' };

  it('is rejected if the model list of the key does not include it', async () => {
    for (const name of ['x-gateway-azure-deployment-id', 'x-gateway-cloud-deployment-id'])
      expect((await sendChat('narrow', { ...callers, [name]: 'big' })).status).toBe(403);
    const config = { provider: 'azure-openai', api_key: 'own-key-0123456789', resource_name: 'r', azure_deployment_id: 'big' };
    expect((await sendChat('narrow', { 'x-gateway-config': JSON.stringify(config) })).status).toBe(403);
    expect(upstream.received).toEqual([]);
  });

  it('is used if the key has no list or the list includes it', async () => {
    expect((await sendChat('free', { ...callers, 'x-gateway-azure-deployment-id': 'big' })).status).toBe(200);
    expect((await sendChat('small', { ...callers, 'x-gateway-azure-deployment-id': 'small-2' })).status).toBe(200);
  });

  it('cannot be chosen by a query parameter of the WebSocket', async () => {
    const socket = routes.find(({ endpoint }) => endpoint === 'realtime') ?? expect.fail('no socket');
    for (const query of ['model=small&deployment=big', 'deployment=big', 'Deployment=big&model=small'])
      await send(gateway.url, {
        method: 'GET',
        path: `/v1/realtime?${query}`,
        headers: { ...headersOf(socket), 'x-gateway-api-key': keyOf('narrow'), 'x-gateway-virtual-key': 'keyed' },
      });
    expect(upstream.readings()).not.toMatch(/big|d-2/);
  });
});
