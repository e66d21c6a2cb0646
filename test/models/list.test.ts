import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

let upstream: ScriptedUpstream;
let gateway: TestGateway;

const hash = (key: string): string => `"sha256:${createHash('sha256').update(key).digest('hex')}"`;
const all = 'key-without-any-rule';
const limited = 'key-with-providers-and-models';
const virtual = 'key-for-a-virtual-key-only';
const bound = 'key-bound-to-one-config';

const yaml = (url: string): string => `
version: 1
logging: {requests: {bodies: full}}
providers:
  plain: {type: openai, api_key: sk-plain-secret, custom_host: "${url}/v1"}
  listed: {type: openai, api_key: sk-listed-secret, custom_host: "${url}/v1", models: [gpt-4o, "gpt-4.1*", o3]}
  azure:
    type: azure-openai
    resource_name: contoso
    api_key: azure-secret
    models: [chat, gone]
    deployments:
      chat: {deployment_id: chat-1, api_version: "2024-10-21"}
      hidden: {deployment_id: hidden-1, api_version: "2024-10-21"}
  mock: {type: mock, replies: {hello: {text: hi}}}
  off: {type: mock, enabled: false}
virtual_keys:
  team: {provider: azure}
configs:
  one: {targets: [{provider: "@azure"}]}
  open: {provider: "@plain"}
api_keys:
  all: {hash: ${hash(all)}}
  limited: {hash: ${hash(limited)}, allow: {providers: [listed, mock], models: ["gpt-*", hello]}}
  virtual: {hash: ${hash(virtual)}, allow: {providers: [team]}}
  bound: {hash: ${hash(bound)}, default_config: open, enforce_config: true}
`;

beforeAll(async () => {
  upstream = await startUpstream((response) => json(response, 200, { object: 'list', data: [{ id: 'from-upstream', object: 'model' }] }));
  gateway = await startTestGateway(yaml(upstream.url));
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function listModels(key: string | undefined, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/models`, { headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers } });
}

async function idsOf(response: Response): Promise<readonly string[]> {
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

const mockModels = ['echo', 'fail', 'slow', 'rate-limited', 'hello'].map((model) => `@mock/${model}`);

const lists: readonly [who: string, key: string, headers: Record<string, string>, ids: readonly string[]][] = [
  ['returns the configured models', all, {}, ['@listed/gpt-4o', '@listed/o3', '@azure/chat', ...mockModels]],
  ['returns only models that the key may use', limited, {}, ['@listed/gpt-4o', '@mock/hello']],
  ['returns models of a virtual key if the key may not use the provider', virtual, {}, ['@team/chat']],
  ['requests the list from the provider of an enforced config', bound, {}, ['from-upstream']],
  ['returns the deployments of a selected provider', all, { 'x-gateway-provider': '@azure' }, ['@azure/chat']],
  ['returns the deployments of a virtual key with its own slug', all, { 'x-gateway-virtual-key': 'team' }, ['@team/chat']],
  ['returns the models of a config without slugs', all, { 'x-gateway-config': 'one' }, ['chat']],
  ['requests the list from a selected provider without configured models', all, { 'x-gateway-provider': '@plain' }, ['from-upstream']],
  ['filters the list of a provider by its allow list', all, { 'x-gateway-provider': '@listed' }, []],
  [
    'returns the models of a provider type without slug',
    all,
    { 'x-gateway-provider': 'mock', 'api-key': 'of-the-caller' },
    ['echo', 'fail', 'slow', 'rate-limited'],
  ],
];

describe('GET /v1/models/{id}', () => {
  const one = (key: string, id: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.url}/v1/models/${id}`, { headers: { authorization: `Bearer ${key}`, ...headers } });

  it.each([
    ['a listed name', all, '@listed/gpt-4o', {}, '@listed/gpt-4o'],
    ['a listed name, URL-encoded', all, '%40listed%2Fgpt-4o', {}, '@listed/gpt-4o'],
    ['a deployment', all, '@azure/chat', {}, '@azure/chat'],
    ['a deployment name of a selected provider', all, 'chat', { 'x-gateway-provider': '@azure' }, '@azure/chat'],
    ['a model of a virtual key', virtual, '@team/chat', {}, '@team/chat'],
  ])('returns %s without an upstream request', async (_name, key, id, headers, listed) => {
    const before = upstream.requests.length;
    const response = await one(key, id, headers);
    expect([response.status, upstream.requests.length - before]).toEqual([200, 0]);
    const [slug = ''] = listed.slice(1).split('/');
    expect(await response.json()).toEqual({ id: listed, object: 'model', created: 0, owned_by: slug });
    const record = await gateway.record(response.headers.get('x-request-id'));
    expect(record).toMatchObject({
      endpoint: 'models/{id}',
      attempts: [],
      end: 'whole',
      status: 200,
      model: { asked: decodeURIComponent(id) },
    });
  });

  it.each([
    ['by its slug', '@plain/org/some-model', {}, '/v1/models/org%2Fsome-model'],
    ['by header, with an unchanged path', 'org/some-model', { 'x-gateway-provider': '@plain' }, '/v1/models/org/some-model'],
    ['by a config', 'some-model', { 'x-gateway-config': 'open' }, '/v1/models/some-model'],
  ])('requests the model from a provider that is selected %s', async (_how, id, headers, path) => {
    const before = upstream.requests.length;
    const response = await one(all, id, headers);
    expect(response.status).toBe(200);
    await response.text();
    expect(upstream.requests.slice(before).map((request) => [request.method, request.url, request.headers.authorization])).toEqual([
      ['GET', path, 'Bearer sk-plain-secret'],
    ]);
  });

  it.each([
    ['that is not listed', all, 'llama', {}, 404, 'model_not_found', /no model "llama"\.$/],
    ['without its slug', all, 'gpt-4o', {}, 404, 'model_not_found', /"gpt-4o"\. Did you mean "@listed\/gpt-4o"\?/],
    ['that is mistyped', all, '@mock/helo', {}, 404, 'model_not_found', /Did you mean "@mock\/hello"\?/],
    ['with an unknown slug', all, '@azur/chat', {}, 404, 'provider_not_found', /"azur".*"azure"/],
    ['that the key may not use', limited, '@listed/o3', {}, 403, 'not_allowed', /"o3"/],
  ])('rejects a name %s', async (_name, key, id, headers, status, code, message) => {
    const response = await one(key, id, headers);
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

describe('GET /v1/models', () => {
  it.each(lists)('%s', async (_name, key, headers, ids) => {
    const response = await listModels(key, headers);
    expect(response.status).toBe(200);
    expect(await idsOf(response)).toEqual(ids);
  });

  it('returns the shape that client libraries read', async () => {
    const body = (await (await listModels(limited)).json()) as unknown;
    expect(body).toEqual({
      object: 'list',
      data: [
        { id: '@listed/gpt-4o', object: 'model', created: 0, owned_by: 'listed' },
        { id: '@mock/hello', object: 'model', created: 0, owned_by: 'mock' },
      ],
    });
  });

  it('returns names that can be used unchanged', async () => {
    const id = (await idsOf(await listModels(all))).at(-1);
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${all}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: id, messages: [{ role: 'user', content: 'x' }] }),
    });
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'hi' } }] });
  });

  it.each([
    ['without a key', undefined, {}, 401, 'missing_api_key'],
    ['for a disabled provider', all, { 'x-gateway-provider': '@off' }, 403, 'not_allowed'],
    ['for a provider that the key may not use', limited, { 'x-gateway-provider': '@azure' }, 403, 'not_allowed'],
    ['for an unknown slug', all, { 'x-gateway-provider': '@azur' }, 404, 'provider_not_found'],
  ])('rejects the request %s', async (_name, key, headers, status, code) => {
    const response = await listModels(key, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it('records the response without an upstream request', async () => {
    const before = upstream.requests.length;
    const response = await listModels(all);
    const body = await response.text();
    expect(response.headers.get('content-type')).toBe('application/json');
    const record = await gateway.record(response.headers.get('x-request-id'));
    expect(record).toMatchObject({ endpoint: 'models', status: 200, key: 'all', attempts: [], end: 'whole', error: null });
    expect(record.bytes.out).toBe(body.length);
    expect(record.response.body).toMatchObject({ size: body.length, kept: body.length });
    expect(upstream.requests).toHaveLength(before);
  });
});

describe('DELETE /v1/models/{id}', () => {
  it.each([
    ['by its slug', '@plain/ft:gpt-4o:org::1', {}, '/v1/models/ft%3Agpt-4o%3Aorg%3A%3A1'],
    ['by its slug, also if the name is in the catalog', '@listed/gpt-4o', {}, '/v1/models/gpt-4o'],
    ['by header, with an unchanged path', 'ft:gpt-4o:org::1', { 'x-gateway-provider': '@plain' }, '/v1/models/ft:gpt-4o:org::1'],
  ])('deletes the model of a provider that is selected %s', async (_how, id, headers, path) => {
    const before = upstream.requests.length;
    const response = await fetch(`${gateway.url}/v1/models/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${all}`, ...(headers as Record<string, string>) },
    });
    expect(response.status).toBe(200);
    await response.text();
    expect(upstream.requests.slice(before).map(({ method, url }) => [method, url])).toEqual([['DELETE', path]]);
  });

  it('needs a provider', async () => {
    const response = await fetch(`${gateway.url}/v1/models/gpt-4o`, { method: 'DELETE', headers: { authorization: `Bearer ${all}` } });
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([400, 'no_target']);
  });
});
