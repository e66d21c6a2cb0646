import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** A stored response is not used for a request that a reload forbids. */

let upstream: ScriptedUpstream;
let gateway: TestGateway | undefined;
beforeEach(async () => {
  upstream = await startUpstream((response) => json(response, 200, completion('Hello.')));
});
afterEach(async () => {
  await gateway?.close();
  await upstream.close();
  gateway = undefined;
});

const key = 'app-key-0123456789abcdef';

interface Rules {
  readonly keyRules?: string;
  readonly egress?: string;
}

const yaml = ({ keyRules = '', egress = 'allow: ["127.0.0.1"]' }: Rules = {}): string => `version: 1
server: {egress: {${egress}}}
providers: {main: {type: openai, custom_host: "${upstream.url}/v1", api_key: sk-main}, other: {type: mock}}
configs: {main: {provider: main, cache: {mode: simple}}}
api_keys: {app: {hash: "sha256:${createHash('sha256').update(key).digest('hex')}"${keyRules}}}
`;

async function send(config: string): Promise<readonly [number, string | null]> {
  const response = await fetch(`${gateway?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-api-key': key, 'x-gateway-config': config },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  await response.text();
  return [response.status, response.headers.get('x-gateway-cache-status')];
}

it.each<[string, Rules, number]>([
  ['the key', { keyRules: ', revoked: 2026-01-01T00:00:00Z' }, 401],
  ['the provider', { keyRules: ', allow: {providers: [other]}' }, 403],
  ['the model', { keyRules: ', allow: {models: [other]}' }, 403],
  ['the host', { egress: '' }, 403],
])('by a rule about %s', async (what, rules, status) => {
  const host = `${upstream.url}/v1`;
  const direct = JSON.stringify({ provider: 'openai', api_key: 'sk-own', custom_host: host, cache: { mode: 'simple' } });
  const config = what === 'the host' ? direct : 'main';
  gateway = await startTestGateway(yaml());
  expect([await send(config), await send(config)]).toEqual([
    [200, 'MISS'],
    [200, 'HIT'],
  ]);
  await gateway.write(yaml(rules));
  await gateway.gateway.reload();
  const [refused] = await send(config);
  expect([refused, upstream.requests.length]).toEqual([status, 1]);
});
