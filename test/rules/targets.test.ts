import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { keyLines, keyOf, type Recorder, type Request, send, startRecorder, startWith } from './rig.ts';
import { jsonType, jsonWith, plainRequest, type Route, routes } from './routes.ts';

/** Forbidden providers and configs cannot be reached on any route, and error messages do not name them. */

let open: Recorder;
let shut: Recorder;
let gateway: TestGateway;
beforeAll(async () => {
  [open, shut] = await Promise.all([startRecorder(), startRecorder()]);
  gateway = await startWith(`
version: 1
providers:
  open: {type: openai, api_key: sk-0123456789, custom_host: "${open.url}/v1"}
  secretive: {type: openai, api_key: sk-9876543210, custom_host: "${shut.url}/v1"}
  cloud: {type: azure-openai, api_key: k-0123456789, api_version: v1, custom_host: "${open.url}/openai", deployments: {small: {deployment_id: d-1}, secretmodel: {deployment_id: d-2}}}
virtual_keys:
  secretvk: {provider: secretive}
configs:
  plain: {targets: [{provider: open}]}
  secretconfig: {targets: [{provider: secretive}]}
prompts:
  p1: {model: "@secretive/m", messages: [{role: user, content: hi}]}
  p2: {model: m, config: secretconfig, messages: [{role: user, content: hi}]}
  secretprompt: {model: "@open/m", messages: [{role: user, content: hi}]}
api_keys:
${keyLines({
  free: '',
  providers: 'allow: {providers: [open, cloud], models: ["s*"]}',
  few: 'allow: {providers: [open, cloud], models: [small], configs: [plain], prompts: [p1]}',
  configs: 'allow: {configs: [plain], providers: [open]}',
  inline: 'allow: {configs: [inline], providers: [open]}',
  bound: 'default_config: plain, enforce_config: true',
  prompts: 'allow: {prompts: [p1], providers: [open], configs: [plain]}',
})}`);
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([open?.close(), shut?.close()]);
});
beforeEach(() => {
  open.received.length = 0;
  shut.received.length = 0;
});

type Way = readonly [name: string, more: (route: Route) => Request | undefined];

const withHeaders =
  (headers: Record<string, string>, model = 's-1') =>
  (route: Route): Request => {
    const plain = plainRequest(route, model);
    return { ...plain, headers: { ...plain.headers, ...headers } };
  };
const config = (value: object) => withHeaders({ 'x-gateway-config': JSON.stringify(value) });

const ways: readonly Way[] = [
  ['a slug', withHeaders({}, '@secretive/s-1')],
  ['a slug in the query', (route) => ({ ...withHeaders({})(route), path: `${route.path}?model=@secretive/s-1` })],
  ['an encoded slug in the query', (route) => ({ ...withHeaders({})(route), path: `${route.path}?mod%65l=%40secretive%2Fs-1` })],
  ['a slug as model of a header', withHeaders({ 'x-gateway-provider-model': '@secretive/s-1' }, '')],
  ['the slug of a virtual key', withHeaders({}, '@secretvk/s-1')],
  ['x-gateway-provider', withHeaders({ 'x-gateway-provider': '@secretive' })],
  ['x-gateway-provider without @', withHeaders({ 'x-gateway-provider': 'secretive' })],
  ['x-portkey-provider', withHeaders({ 'x-portkey-provider': '@secretive' })],
  ['x-gateway-virtual-key', withHeaders({ 'x-gateway-virtual-key': 'secretive' })],
  ['x-gateway-virtual-key with a model', withHeaders({ 'x-gateway-virtual-key': '@secretive/s-1' })],
  ['a virtual key', withHeaders({ 'x-gateway-virtual-key': 'secretvk' })],
  ['a config', withHeaders({ 'x-gateway-config': 'secretconfig' })],
  ['a config in the old spelling', withHeaders({ 'x-portkey-config': 'secretconfig' })],
  ['an own config', config({ provider: '@secretive' })],
  ['an own config with a slug', config({ provider: 'secretive' })],
  ['an own config with a virtual key', config({ virtual_key: 'secretvk' })],
  ['an own config with targets', config({ strategy: { mode: 'fallback' }, targets: [{ provider: '@secretive' }] })],
  ['an own config with the slug of a model', config({ targets: [{ override_params: { model: '@secretive/s-1' } }] })],
  ['an own config with a prompt', config({ targets: [{ prompt_id: 'p1' }] })],
  ['the host of the other', withHeaders({ 'x-gateway-virtual-key': 'open', 'x-gateway-custom-host': 'https://secretive.example' })],
];

describe.each(['providers', 'configs', 'inline', 'bound', 'prompts'])('a key with rules for "%s"', (key) => {
  it.each(ways)('does not reach another provider by %s', async (_name, make) => {
    for (const route of routes) {
      const request = make(route);
      if (request !== undefined) await send(gateway.url, { ...request, headers: { 'x-gateway-api-key': keyOf(key), ...request.headers } });
    }
    expect(shut.received.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
    expect(open.readings()).not.toContain('sk-9876543210');
  });
});

it('a key without rules reaches the provider by every way but the host', async () => {
  const silent: string[] = [];
  for (const [name, make] of ways) {
    shut.received.length = 0;
    for (const route of routes) {
      const request = make(route);
      if (request !== undefined)
        await send(gateway.url, { ...request, headers: { 'x-gateway-api-key': keyOf('free'), ...request.headers } });
    }
    if (shut.received.length === 0) silent.push(name);
  }
  expect(silent).toEqual(['the host of the other']);
});

/** Names similar to those that a key may not use. */
const typos = { provider: 'secretiv', vk: 'secretv', config: 'secretconfi', prompt: 'secretpromp', model: 'secretmode' } as const;

describe('an error message', () => {
  const chat = routes.find(({ name }) => name === 'POST /v1/chat/completions') ?? expect.fail('no chat');
  const guesses: readonly (readonly [string, Request])[] = [
    ['a slug', withHeaders({}, `@${typos.provider}/s-1`)(chat)],
    ['a provider', withHeaders({ 'x-gateway-provider': `@${typos.provider}` })(chat)],
    ['a bare provider', withHeaders({ 'x-gateway-provider': typos.provider })(chat)],
    ['a virtual key', withHeaders({ 'x-gateway-virtual-key': typos.vk })(chat)],
    ['a config', withHeaders({ 'x-gateway-config': typos.config })(chat)],
    ['a provider of an own config', config({ provider: `@${typos.provider}` })(chat)],
    ['a virtual key of an own config', config({ virtual_key: typos.vk })(chat)],
    ['a prompt of an own config', config({ provider: '@open', prompt_id: typos.prompt })(chat)],
    ['a prompt', { method: 'POST', path: `/v1/prompts/${typos.prompt}/completions`, headers: jsonType, body: '{}' }],
    ['a version of a prompt', { method: 'POST', path: '/v1/prompts/secretprompt@9/render', headers: jsonType, body: '{}' }],
    ['a missing model', { method: 'POST', path: '/v1/chat/completions', headers: jsonType, body: jsonWith(chat, '') }],
    ['a model of the catalog', { method: 'GET', path: `/v1/models/@cloud%2F${typos.model}`, headers: {} }],
    ['the models', { method: 'GET', path: '/v1/models', headers: {} }],
    ['the models of a provider', { method: 'GET', path: '/v1/models', headers: { 'x-gateway-virtual-key': 'cloud' } }],
  ];
  const secretPattern = /secretive|secretvk|secretconfig|secretprompt\b(?!")|secretmodel/;

  it.each(guesses)('about %s does not reveal names that the key may not use', async (_name, request) => {
    for (const key of ['few', 'configs', 'inline', 'bound', 'prompts']) {
      const { text } = await send(gateway.url, { ...request, headers: { 'x-gateway-api-key': keyOf(key), ...request.headers } });
      expect(text.replaceAll(/"secretprompt@?9?"|\\"secretprompt\\"/g, '')).not.toMatch(secretPattern);
    }
  });

  it('about a deployment lists only those that the key may use', async () => {
    const sendChat = (key: string) =>
      send(gateway.url, { ...withHeaders({ 'x-gateway-api-key': keyOf(key), 'x-gateway-virtual-key': 'cloud' }, 'smal')(chat) });
    expect((await sendChat('free')).text).toContain('secretmodel');
    const wide = withHeaders({ 'x-gateway-api-key': keyOf('providers'), 'x-gateway-virtual-key': 'cloud' }, 'smal')(chat);
    expect((await send(gateway.url, wide)).text).toContain('small');
    expect((await sendChat('few')).text).not.toContain('secretmodel');
  });

  it('lists names that the key may use', async () => {
    for (const [, request] of guesses.slice(0, 7)) {
      const { text } = await send(gateway.url, { ...request, headers: { 'x-gateway-api-key': keyOf('free'), ...request.headers } });
      expect(text).toMatch(secretPattern);
    }
  });
});

describe('the model list of a provider', () => {
  let listing: Recorder;
  let other: TestGateway;
  beforeAll(async () => {
    listing = await startRecorder(() => ({ object: 'list', data: [{ id: 'small-1' }, { id: 'big-1' }, { id: 7 }], first_id: 'x' }));
    other = await startWith(`
version: 1
providers:
  all: {type: openai, api_key: sk-0123456789, custom_host: "${listing.url}/v1"}
  narrow: {type: openai, api_key: sk-0123456789, custom_host: "${listing.url}/v1", models: ["small*"]}
api_keys:
${keyLines({ free: '', small: 'allow: {models: ["small*"]}' })}`);
  });
  afterAll(async () => {
    await other?.close();
    await listing?.close();
  });

  it.each([
    ['small', 'all', ['small-1']],
    ['free', 'narrow', ['small-1']],
    ['free', 'all', ['small-1', 'big-1', 7]],
  ] as const)('requested with key %s from %s contains only allowed models', async (key, to, ids) => {
    const { status, text } = await send(other.url, {
      method: 'GET',
      path: '/v1/models',
      headers: { 'x-gateway-api-key': keyOf(key), 'x-gateway-virtual-key': to },
    });
    const list = JSON.parse(text) as { data: { id: unknown }[]; first_id: string };
    expect([status, list.data.map(({ id }) => id), list.first_id]).toEqual([200, ids, 'x']);
  });
});
