import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Endpoint, endpoints, type EndpointTraits } from '../../src/core/endpoint.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Permissions of a key on every route: a route that is added to the table is tested automatically. */

const hashOf = (key: string): string => `"sha256:${createHash('sha256').update(key).digest('hex')}"`;
const keyOf = (name: string): string => `a-key-for-${name}-0123`;
const keys = {
  all: '',
  elsewhere: 'allow: {providers: [other]}',
  small: 'allow: {models: [small]}',
  drafts: 'allow: {configs: [draft]}',
  bound: 'default_config: other, enforce_config: true',
  greetings: 'allow: {prompts: [welcome]}',
} as const;
type Key = keyof typeof keys;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((response, { url }) =>
    json(response, 200, url.includes('chat') ? completion('x') : { id: 'x', object: 'x', data: [] }),
  );
  gateway = await startTestGateway(`
version: 1
providers:
  main: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}
  other: {type: openai, api_key: sk-9876543210, custom_host: "${upstream.url}/v1"}
virtual_keys:
  vk: {provider: main}
configs:
  named: {targets: [{provider: main}]}
  other: {targets: [{provider: other}]}
  draft: {targets: [{provider: other}]}
prompts:
  p1: {model: big, messages: [{role: user, content: hi}]}
  welcome: {model: big, messages: [{role: user, content: hi}]}
api_keys:
${Object.entries(keys)
  .map(([name, rules]) => `  ${name}: {hash: ${hashOf(keyOf(name))}${rules === '' ? '' : `, ${rules}`}}\n`)
  .join('')}`);
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

/**
 * The catalog's own lists belong to no account, and rendering a prompt sends no request; `relay` and the WebSocket have no
 * row to build a request from.
 */
interface Row {
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly path: string;
  readonly traits: EndpointTraits;
}

const withoutProvider: ReadonlySet<Endpoint> = new Set([
  'models',
  'models/{id}',
  'prompts/{id}/render',
  'feedback',
  'feedback/{id}',
  'realtime',
]);
const rows: readonly Row[] = (Object.entries(endpoints) as [Endpoint, EndpointTraits][]).flatMap(([endpoint, traits]) =>
  withoutProvider.has(endpoint)
    ? []
    : traits.routes.map(([method, path]) => ({
        endpoint,
        method,
        path: `/v1/${path.replace('{id}', path.startsWith('prompts') ? 'p1' : 'id-1')}`,
        traits,
      })),
);
const relayed: Row = { endpoint: 'relay', method: 'POST', path: '/v1/something/else', traits: endpoints.relay };
const routes = [...rows, relayed].map((row) => [`${row.method} ${row.path}`, row] as const);

function bodyOf({ method, traits, endpoint }: Row, model: string): { body?: string | FormData; headers: Record<string, string> } {
  if (method !== 'POST' || traits.body === 'none') return { headers: {} };
  if (traits.body !== 'form') {
    const body = endpoint.startsWith('prompts') ? { variables: {} } : { model, messages: [], input: 'x' };
    return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  }
  const body = new FormData();
  if (endpoint === 'files') body.set('purpose', 'batch');
  else {
    body.set('model', model);
    body.set('prompt', 'x');
    body.set('image', new Blob(['png']), 'image.png');
  }
  body.set('file', new Blob(['{}\n']), 'rows.jsonl');
  return { body, headers: {} };
}

async function send(key: Key, row: Row, headers: Record<string, string>, model = 'big') {
  const body = bodyOf(row, model);
  const response = await fetch(`${gateway.url}${row.path}`, {
    method: row.method,
    headers: { ...body.headers, authorization: `Bearer ${keyOf(key)}`, ...headers },
    ...(body.body === undefined ? {} : { body: body.body }),
  });
  const text = await response.text();
  const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as { error?: { type: string; message: string } };
  return { status: response.status, type: error?.type ?? null, message: error?.message ?? '' };
}

const toMain = { 'x-gateway-virtual-key': 'main' };
const forbidden = { status: 403, type: 'permission_error' };

describe('a key that is limited to another provider gets 403', () => {
  it.each(routes)('on %s', async (_route, row) => {
    expect(await send('elsewhere', row, toMain)).toMatchObject({ ...forbidden, message: 'Key "elsewhere" may not use provider "main".' });
    // Without the name of the provider behind it.
    const message = 'Key "elsewhere" may not use virtual key "vk".';
    expect(await send('elsewhere', row, { 'x-gateway-virtual-key': 'vk' })).toMatchObject({ ...forbidden, message });
    expect(upstream.requests).toEqual([]);
  });
});

describe('a key that is limited to other configs gets 403', () => {
  it.each(routes)('on %s', async (_route, row) => {
    expect(await send('drafts', row, { 'x-gateway-config': 'named' })).toMatchObject({
      ...forbidden,
      message: 'Key "drafts" may not use config "named".',
    });
    expect(await send('drafts', row, { 'x-gateway-config': '{"provider":"@main"}' })).toMatchObject(forbidden);
    expect(upstream.requests).toEqual([]);
  });
});

describe('a key that is bound to a config gets 403 for another target', () => {
  it.each(routes)('on %s', async (_route, row) => {
    expect(await send('bound', row, toMain)).toMatchObject({
      ...forbidden,
      message: expect.stringContaining('is bound to config "other"'),
    });
    expect(upstream.requests).toEqual([]);
  });
});

describe('a key that is limited to other models', () => {
  /** Requests that run or delete a model; a batch or a job names its models where the gateway does not check them here. */
  const running = routes.filter(
    ([, { method, path, traits }]) => traits.modelInPath === true || (method === 'POST' && !/\/(files|cancel)$|id-1/.test(path)),
  );
  const others = routes.filter((route) => !running.includes(route));

  it.each(running)('gets 403 on %s', async (_route, row) => {
    expect(await send('small', row, toMain)).toMatchObject(forbidden);
    expect(upstream.requests).toEqual([]);
  });

  it.each(others)('is allowed on %s, which runs no model', async (_route, row) => {
    expect(await send('small', row, toMain)).not.toMatchObject(forbidden);
  });

  it.each(
    running.filter(([, { traits, endpoint }]) => traits.body !== 'passing' && traits.account !== true && !endpoint.startsWith('prompts')),
  )('is allowed on %s with an allowed model', async (_route, row) => {
    expect(await send('small', row, toMain, 'small')).not.toMatchObject(forbidden);
  });
});

describe('a key without limits is allowed', () => {
  it.each(routes)('on %s', async (_route, row) => {
    expect(await send('all', row, toMain)).not.toMatchObject(forbidden);
  });
});

describe('a key that is limited to other prompts gets 403', () => {
  it.each(['completions', 'render'] as const)('on POST /v1/prompts/p1/%s', async (action) => {
    const row: Row = {
      endpoint: `prompts/{id}/${action}`,
      method: 'POST',
      path: `/v1/prompts/p1/${action}`,
      traits: endpoints['prompts/{id}/render'],
    };
    expect(await send('greetings', row, toMain)).toMatchObject(forbidden);
    expect(await send('greetings', { ...row, path: `/v1/prompts/welcome/${action}` }, toMain)).not.toMatchObject(forbidden);
  });
});
