import { createHash } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** `GET /v1/models` lists the model names that a client can use, in the format of the API that it calls. */

let upstream: ScriptedUpstream;
let gateway: TestGateway;

const rules: Readonly<Record<string, string>> = {
  mapped: 'default_config: mapped',
  bound: 'default_config: mapped, enforce_config: true',
  limited: 'default_config: mapped, allow: {models: ["gpt-*"], providers: [openai]}',
  chain: 'default_config: chain',
  weighted: 'default_config: weighted',
  undrawn: 'default_config: undrawn',
  pinned: 'default_config: pinned, enforce_config: true',
  open: 'default_config: open',
  nobody: 'default_config: nobody',
  unknown: 'default_config: unknown',
};

const hashOf = (key: string): string => `sha256:${createHash('sha256').update(keyOf(key)).digest('hex')}`;
const keyOf = (name: string): string => `key-of-the-caller-${name}`;

beforeAll(async () => {
  const row = { id: 'up-1', object: 'model', created: 1_700_000_000, owned_by: 'x' };
  upstream = await startUpstream((response, { method, url, body }) =>
    method === 'GET'
      ? json(response, 200, url.endsWith('/models') ? { object: 'list', data: [row] } : row)
      : json(response, 200, {
          id: 'c1',
          object: 'chat.completion',
          created: 1,
          model: (JSON.parse(body.toString()) as { model: string }).model,
          choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
  );
  const entry = `type: openai, custom_host: "${upstream.url}/v1", api_key: sk-0123456789`;
  gateway = await startTestGateway(`
version: 1
providers:
  openai: {${entry}, models: [gpt-4o, gpt-4o-mini]}
  claude: {${entry}, models: [claude-sonnet-4-5]}
  local: {${entry}}
  off: {type: openai, enabled: false, models: [gone]}
  vertex: {type: vertex-ai, api_key: k-0123456789, region: global}
configs:
  mapped:
    strategy:
      mode: conditional
      conditions:
        - {query: {params.model: {$in: [claude-sonnet-4-5]}}, then: claude}
        - {query: {$or: [{params.model: llama3.3}, {params.model: {$regex: "^qwen"}}]}, then: local}
        - {query: {params.model: fast}, then: fast}
        - {query: {metadata.plan: paid, params.model: secret}, then: local}
      default: openai
    targets:
      - {name: claude, provider: claude}
      - {name: local, provider: local}
      - {name: fast, provider: openai, override_params: {model: gpt-4o-mini}}
      - {name: openai, provider: openai}
  chain: {strategy: {mode: fallback}, targets: [{provider: openai}, {provider: "off"}, {provider: claude}]}
  weighted: {strategy: {mode: loadbalance}, targets: [{provider: openai, weight: 0}, {provider: claude}]}
  undrawn:
    strategy: {mode: conditional, conditions: [{query: {params.model: gone}, then: none}], default: claude}
    targets:
      - {name: none, strategy: {mode: loadbalance}, targets: [{provider: local, weight: 0}, {provider: claude, override_params: {model: claude-sonnet-4-5}}]}
      - {name: claude, provider: claude}
  pinned: {targets: ["@openai/gpt-4o"]}
  open: {override_params: {temperature: 0}, targets: [{}]}
  nobody: {targets: [{provider: vertex}]}
  unknown: {targets: [{provider: local}]}
api_keys:
${Object.entries(rules)
  .map(([name, rule]) => `  ${name}: {hash: "${hashOf(name)}", ${rule}}`)
  .join('\n')}
`);
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

const openai = (key: string): OpenAI => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: keyOf(key), maxRetries: 0 });
const anthropic = (key: string): Anthropic => new Anthropic({ baseURL: gateway.url, apiKey: keyOf(key), maxRetries: 0 });

async function idsOf(list: AsyncIterable<{ id: string }>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

const mapped = ['claude-sonnet-4-5', 'llama3.3', 'fast', 'gpt-4o-mini', 'gpt-4o'];
const lists: readonly (readonly [key: string, ids: readonly string[]])[] = [
  ['mapped', mapped],
  ['bound', mapped],
  ['limited', ['fast', 'gpt-4o-mini', 'gpt-4o']],
  ['chain', ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5']],
  ['weighted', ['claude-sonnet-4-5']],
  ['pinned', ['gpt-4o']],
  ['open', ['@openai/gpt-4o', '@openai/gpt-4o-mini', '@claude/claude-sonnet-4-5']],
  ['nobody', []],
  ['unknown', ['up-1']],
];

describe.each(lists)('the model list of a key with default config %s', (key, ids) => {
  it('is equal in both API formats', async () => {
    expect(await idsOf(openai(key).models.list())).toEqual(ids);
    expect(await idsOf(anthropic(key).models.list())).toEqual(ids);
  });

  it('contains only names that work unchanged', async () => {
    for (const model of ids) {
      const reply = await openai(key).chat.completions.create({ model, messages: [{ role: 'user', content: 'hi' }] });
      expect(reply.choices[0]?.message.content).toBe('hi');
      expect((await openai(key).models.retrieve(model)).id).toBe(model);
    }
  });
});

it('the model list depends on request metadata that a config uses', async () => {
  const client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: keyOf('mapped'),
    defaultHeaders: { 'x-gateway-metadata': '{"plan":"paid"}' },
  });
  expect(await idsOf(client.models.list())).toContain('secret');
});

it('a model is owned by the provider that serves it, never by a target with weight 0', async () => {
  expect(await openai('undrawn').models.retrieve('gone')).toMatchObject({ id: 'gone', owned_by: 'claude' });
});

it('returns a model of the config in both formats, and suggests the nearest name for an unknown one', async () => {
  expect(await openai('mapped').models.retrieve('gpt-4o')).toEqual({ id: 'gpt-4o', object: 'model', created: 0, owned_by: 'openai' });
  expect(await anthropic('mapped').models.retrieve('gpt-4o')).toMatchObject({
    type: 'model',
    id: 'gpt-4o',
    display_name: 'gpt-4o',
    created_at: '1970-01-01T00:00:00.000Z',
  });
  const missed = anthropic('mapped').models.retrieve('gpt-4q');
  await expect(missed).rejects.toThrow(/Did you mean \\"gpt-4o\\"\?/);
  await expect(missed).rejects.toMatchObject({ status: 404, error: { type: 'error', error: { type: 'not_found_error' } } });
});

it.each<[string, Record<string, string>, string]>([
  ['x-api-key alone', { 'x-api-key': keyOf('pinned') }, 'first_id'],
  ['x-api-key next to authorization', { 'x-api-key': keyOf('pinned'), authorization: 'Bearer none' }, 'object'],
  ['anthropic-version', { authorization: `Bearer ${keyOf('pinned')}`, 'anthropic-version': '2023-06-01' }, 'first_id'],
])('a request with %s gets the format of its API', async (_name, headers, member) => {
  const response = await fetch(`${gateway.url}/v1/models`, { headers });
  expect(await response.json()).toHaveProperty(member);
});

it('converts the model list of a provider to the format of the client', async () => {
  const [model] = (await anthropic('unknown').models.list()).data;
  expect(model).toMatchObject({ type: 'model', id: 'up-1', display_name: 'up-1', created_at: '2023-11-14T22:13:20.000Z' });
});
