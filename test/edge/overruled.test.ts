import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** Overruled choices of a request are reported in x-gateway-overruled and in the record. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(`
version: 1
server: {state_dir: memory}
providers: {a: {type: mock}, b: {type: mock}, down: {type: openai, api_key: "${'k'.repeat(20)}", custom_host: "http://127.0.0.1:1/v1"}}
virtual_keys: {va: {provider: a}}
configs:
  fixed: {provider: a, request_timeout: 5000, strict_compliance: false}
  open: {override_params: {temperature: 0}, targets: [{}]}
  chain: {strategy: {mode: fallback}, targets: [{provider: down}, {provider: a}]}
prompts:
  p: {config: fixed, model: "@b/echo", messages: [{role: user, content: hi}]}
`);
});
afterAll(() => gateway.close());

interface Sent {
  readonly model?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send({ model = 'echo', path = '/v1/chat/completions', headers = {} }: Sent) {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      ...(model === '' ? {} : { model }),
      ...(path.includes('/prompts/') ? {} : { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }),
    }),
  });
  await response.text();
  const record = await gateway.record(response.headers.get('x-request-id'));
  return {
    status: response.status,
    provider: response.headers.get('x-gateway-provider'),
    overruled: response.headers.get('x-gateway-overruled'),
    record,
  };
}

const config = (name: string): Record<string, string> => ({ 'x-gateway-config': name });
const provider = (name: string): Record<string, string> => ({ 'x-gateway-provider': name });
const key = (name: string): Record<string, string> => ({ 'x-gateway-virtual-key': name });

const cases: readonly (readonly [string, Sent, string, string | null])[] = [
  ['a model with a provider', { model: '@a/echo' }, 'a', null],
  ['a config', { headers: config('fixed') }, 'a', null],
  ['a model with the provider of the config', { model: '@a/echo', headers: config('fixed') }, 'a', null],
  ['a model with another provider than the config', { model: '@b/echo', headers: config('fixed') }, 'a', 'model=@b;by=config'],
  ['a provider header with a config', { headers: { ...config('fixed'), ...provider('b') } }, 'a', 'x-gateway-provider=b;by=config'],
  ['a virtual key with a config', { headers: { ...config('fixed'), ...key('va') } }, 'a', 'x-gateway-virtual-key=va;by=config'],
  [
    'a model, a provider header and a virtual key with a config',
    { model: '@b/echo', headers: { ...config('fixed'), ...provider('@b'), ...key('va') } },
    'a',
    'model=@b;by=config, x-gateway-provider=@b;by=config, x-gateway-virtual-key=va;by=config',
  ],
  ['a config without a provider', { model: '@b/echo', headers: config('open') }, 'b', null],
  [
    'a provider header with another provider in the model',
    { model: '@b/echo', headers: provider('a') },
    'b',
    'x-gateway-provider=a;by=model',
  ],
  ['a provider header with the same provider in the model', { model: '@b/echo', headers: provider('@b') }, 'b', null],
  [
    'a virtual key with a provider header',
    { headers: { ...provider('b'), ...key('va') } },
    'b',
    'x-gateway-virtual-key=va;by=x-gateway-provider',
  ],
  ['a virtual key', { headers: key('va') }, 'a', null],
  ['a provider type', { headers: provider('mock') }, 'mock', null],
  [
    'a header with the prefix x-portkey-',
    { model: '@b/echo', headers: { 'x-portkey-provider': 'a' } },
    'b',
    'x-portkey-provider=a;by=model',
  ],
  [
    'different values under two prefixes',
    { headers: { ...provider('b'), 'x-portkey-provider': 'a' } },
    'b',
    'x-portkey-provider=a;by=x-gateway-provider',
  ],
  [
    'a second config with a key, which is not shown',
    { headers: { ...config('fixed'), 'x-portkey-config': '{"provider":"openai","api_key":"sk-very-secret-1234"}' } },
    'a',
    'x-portkey-config=inline;by=x-gateway-config',
  ],
  ['a model with the provider of a fallback target', { model: '@a/echo', headers: config('chain') }, 'a', null],
  [
    'a longer timeout than the config has',
    { headers: { ...config('fixed'), 'x-gateway-request-timeout': '9000' } },
    'a',
    'x-gateway-request-timeout=9000;by=config',
  ],
  ['a shorter timeout than the config has', { headers: { ...config('fixed'), 'x-gateway-request-timeout': '900' } }, 'a', null],
  [
    'strict compliance that the config disables',
    { headers: { ...config('fixed'), 'x-gateway-strict-compliance': 'True' } },
    'a',
    'x-gateway-strict-compliance=True;by=config',
  ],
  [
    'a model header with a model in the body',
    { model: '@a/echo', headers: { 'x-gateway-provider-model': 'other' } },
    'a',
    'x-gateway-provider-model=other;by=model',
  ],
  [
    'a model in the body with a model in the path',
    { model: 'gpt-4o', path: '/openai/deployments/chat-mini/chat/completions', headers: provider('b') },
    'b',
    'model=gpt-4o;by=path',
  ],
  ['a model with a stored prompt', { model: '@b/echo', path: '/v1/prompts/p/completions' }, 'b', null],
  ['a stored prompt with a model and a config', { model: '', path: '/v1/prompts/p/completions' }, 'a', null],
];

describe('x-gateway-overruled', () => {
  it.each(cases)('is correct for %s', async (_name, sent, served, overruled) => {
    const response = await send(sent);
    expect([response.status, response.provider, response.overruled]).toEqual([200, served, overruled]);
    expect(response.record.overruled.map(({ choice, value, by }) => `${choice}=${value};by=${by}`).join(', ')).toBe(overruled ?? '');
    expect(JSON.stringify(response.record)).not.toContain('very-secret');
    const isServed = overruled === null && sent.headers?.['x-gateway-virtual-key'] !== undefined;
    expect(response.record.virtual_key).toBe(isServed ? 'va' : null);
  });

  it('shortens long values in the header and in the record', async () => {
    const long = 'x'.repeat(3000);
    const response = await send({ model: '@b/echo', headers: provider(long) });
    expect(response.overruled?.length).toBeLessThan(200);
    expect(response.record.overruled[0]?.value.length).toBeLessThan(200);
  });
});
