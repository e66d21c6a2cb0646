import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** No caller gets the response of another one, whatever distinguishes them. */

const converse = { output: { message: { role: 'assistant', content: [{ text: 'Hello.' }] } }, stopReason: 'end_turn' };

let upstream: ScriptedUpstream;
let gateway: TestGateway | undefined;
beforeEach(async () => {
  upstream = await startUpstream((response, { url }) => json(response, 200, url.startsWith('/model/') ? converse : completion('Hello.')));
});
afterEach(async () => {
  await gateway?.close();
  await upstream.close();
  gateway = undefined;
});

const yaml = (plugins = ''): string => `version: 1
providers:
  main: {type: openai, custom_host: "${upstream.url}/v1", api_key: sk-main}
  own: {type: openai, custom_host: "${upstream.url}/v1", auth: {mode: caller}}
  aws: {type: bedrock, custom_host: "${upstream.url}", region: us-east-1, auth: {mode: caller}}
configs:
  main: {provider: main, cache: {mode: simple}}
  own: {provider: own, cache: {mode: simple}}
  aws: {provider: aws, cache: {mode: simple}, override_params: {model: amazon.nova-pro-v1:0}}
  team-a: {provider: main, api_key: sk-team-a, cache: {mode: simple}}
  team-b: {provider: main, api_key: sk-team-b, cache: {mode: simple}}
  forwards: {provider: main, cache: {mode: simple}, forward_headers: [authorization]}
${plugins}`;

/** Authenticates callers by a header, without keys. */
const plugin = `export default {
  name: 'own-auth',
  provides: ['authentication'],
  options: { type: 'object' },
  setup: () => ({
    admit: ({ headers }) => ({
      caller: { name: headers.get('x-user') ?? 'nobody', key: undefined, credential: undefined, consumed: [] },
    }),
  }),
};`;

type Headers = Readonly<Record<string, string>>;

async function send(headers: Headers): Promise<string | null> {
  const response = await fetch(`${gateway?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  await response.text();
  return response.headers.get('x-gateway-cache-status');
}

const withKey = (key: string): Headers => ({
  'x-gateway-config': JSON.stringify({ provider: '@main', api_key: key, cache: { mode: 'simple' } }),
});
const ofAws = (secret: string): Headers => ({
  'x-gateway-config': 'aws',
  'x-gateway-aws-access-key-id': 'AKIAEXAMPLE',
  'x-gateway-aws-secret-access-key': secret,
});
const named = (config: string, more: Headers): Headers => ({ 'x-gateway-config': config, ...more });

it.each<[string, Headers, Headers]>([
  ['credentials in configs of their own', withKey('sk-a'), withKey('sk-b')],
  ['credentials in configs of the file', named('team-a', {}), named('team-b', {})],
  ['a bearer token', named('own', { authorization: 'Bearer sk-a' }), named('own', { authorization: 'Bearer sk-b' })],
  ['x-api-key', named('own', { 'x-api-key': 'sk-a' }), named('own', { 'x-api-key': 'sk-b' })],
  ['api-key', named('own', { 'api-key': 'sk-a' }), named('own', { 'api-key': 'sk-b' })],
  ['the secret of an AWS key', ofAws('a'), ofAws('b')],
  ['a forwarded token', named('forwards', { authorization: 'Bearer sk-a' }), named('forwards', { authorization: 'Bearer sk-b' })],
  [
    'headers that the request has forwarded',
    named('main', { 'x-gateway-forward-headers': 'cookie', cookie: 'session=a' }),
    named('main', { 'x-gateway-forward-headers': 'cookie', cookie: 'session=b' }),
  ],
  [
    'a namespace under another prefix',
    named('main', { 'x-gateway-cache-namespace': 'a' }),
    named('main', { 'x-portkey-cache-namespace': 'b' }),
  ],
])('keeps callers apart by %s', async (_what, one, other) => {
  gateway = await startTestGateway(yaml());
  expect([await send(one), await send(other), await send(one), await send(other)]).toEqual(['MISS', 'MISS', 'HIT', 'HIT']);
});

it('keeps callers apart whom a plugin knows by their names alone', async () => {
  gateway = await startTestGateway(yaml('plugins: [{use: ./auth.ts}, routing, transform, fallback-retry, logging]\n'), {
    files: { 'auth.ts': plugin },
  });
  const [one, other] = [named('main', { 'x-user': 'ann' }), named('main', { 'x-user': 'bob' })];
  expect([await send(one), await send(other), await send(one)]).toEqual(['MISS', 'MISS', 'HIT']);
});
