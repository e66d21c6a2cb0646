import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const hash = (key: string): string => `"sha256:${createHash('sha256').update(key).digest('hex')}"`;
const plain = 'a-key-without-metadata';
const tagged = 'a-key-with-metadata';

const yaml = `
version: 1
providers: {mock: {type: mock}}
virtual_keys: {team: {provider: mock, metadata: {from: virtual-key, team: search}}}
configs:
  open: {metadata: {from: config, config: open}, targets: [{override_params: {model: echo}}]}
  fixed: {targets: [{virtual_key: team}]}
api_keys:
  plain: {hash: ${hash(plain)}}
  tagged: {hash: ${hash(tagged)}, metadata: {from: key}}
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(yaml);
});
afterAll(() => gateway.close());

const cases: readonly [what: string, key: string, headers: Record<string, string>, metadata: object][] = [
  ['is empty by default', plain, { 'x-gateway-provider': '@mock' }, {}],
  ['includes that of a virtual key', plain, { 'x-gateway-virtual-key': 'team' }, { from: 'virtual-key', team: 'search' }],
  ['includes that of the virtual key of a target', plain, { 'x-gateway-config': 'fixed' }, { from: 'virtual-key', team: 'search' }],
  [
    'prefers a virtual key over the config',
    plain,
    { 'x-gateway-config': 'open', 'x-gateway-virtual-key': 'team' },
    { from: 'virtual-key', team: 'search', config: 'open' },
  ],
  [
    'prefers the API key over both',
    tagged,
    { 'x-gateway-config': 'open', 'x-gateway-virtual-key': 'team' },
    { from: 'key', team: 'search', config: 'open' },
  ],
  [
    'prefers the request over all others',
    tagged,
    { 'x-gateway-virtual-key': 'team', 'x-gateway-metadata': '{"from": "request"}' },
    { from: 'request', team: 'search' },
  ],
  [
    'masks values that are secrets by their name or form',
    plain,
    {
      'x-gateway-provider': '@mock',
      'x-gateway-metadata': '{"api_key":"hunter2","password":"p@ss","note":"sk-proj-abcdefghijklmnop1234","token":"12","team":"web"}',
    },
    { api_key: '[secret]', password: '[secret]', note: '[secret]', token: '12', team: 'web' },
  ],
];

describe('metadata in the record', () => {
  it.each(cases)('%s', async (_name, key, headers, metadata) => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
      body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'x' }] }),
    });
    expect(response.status).toBe(200);
    expect((await gateway.record(response.headers.get('x-request-id'))).metadata).toEqual(metadata);
  });
});
