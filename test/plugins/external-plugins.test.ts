import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { StartError } from '../../src/gateway/types.ts';
import type { LogRecord } from '../../src/core/records/record.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Marks responses, records setup and dispose in a global of this process, and throws in setup for the tag "broken". */
const tagPlugin = `
globalThis.tagPluginLife ??= [];
export default {
  name: 'tag',
  options: { type: 'object', additionalProperties: false, required: ['tag'], properties: { tag: { type: 'string' } } },
  setup({ tag }, host) {
    if (tag === 'broken') throw new Error('the tag is broken');
    globalThis.tagPluginLife.push('setup ' + tag);
    const uses = host.shared('uses', () => ({ count: 0 }));
    return {
      admit(ctx) {
        if (ctx.headers.get('x-forbidden')) throw host.error('not_allowed', { message: 'The plugin says no.' });
        return { ext: { tag } };
      },
      reply(ctx, _attempt, reply) {
        uses.count += 1;
        if (ctx.headers.get('x-unwanted')) return { refuse: host.error('not_allowed', { message: 'The plugin does not want the response.' }) };
        reply.headers.push('x-tag', ctx.facts.ext.tag, 'x-uses', String(uses.count));
      },
      dispose() { globalThis.tagPluginLife.push('dispose ' + tag); },
    };
  },
};
`;

/** A service with its own header for the key; its format is that of the client. */
const parrotProvider = `
const tap = () => ({
  event: () => 'content', whole: () => undefined, complete: true, usage: undefined, finish: [], model: undefined,
  id: undefined, fault: undefined, contentEvents: 0,
});
export default {
  type: 'parrot',
  aliases: ['bird'],
  entry: {
    settings: { type: 'object', required: ['perch'], properties: { perch: { type: 'string' } } },
    requestSettings: [],
    apiKey: 'required',
    models: () => [{ id: 'polly' }],
    credential: (_settings, key) => ({ scheme: 'header', name: 'x-seed', secret: key }),
  },
  operations: {
    'chat/completions': {
      begin: (body, call) => ({
        request: {
          origin: call.settings.perch, path: '/talk/' + call.model, method: 'POST', headers: ['content-type', 'application/json'], body,
          dropped: [],
        },
        tap: tap(),
      }),
    },
  },
  fault: (_status, body) => ({ message: body }),
};
`;

const withTag = (tag: string): string => `
version: 1
providers: {mock: {type: mock}}
plugins: [auth, {use: ./tag.ts, options: {tag: ${tag}}}, routing, transform]
`;

let gateway: TestGateway | undefined;
let upstream: ScriptedUpstream | undefined;

afterEach(async () => {
  await gateway?.close();
  await upstream?.close();
  gateway = upstream = undefined;
  lifecycle();
});

/** Calls of setup and dispose since the last call. */
function lifecycle(): readonly string[] {
  return (globalThis as { tagPluginLife?: string[] }).tagPluginLife?.splice(0) ?? [];
}

function chat(at: TestGateway, model: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${at.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  });
}

describe('a plugin loaded from a file', () => {
  it('runs for every request with its configured options', async () => {
    gateway = await startTestGateway(withTag('one'), { files: { 'tag.ts': tagPlugin } });
    const response = await chat(gateway, '@mock/echo');
    expect(response.headers.get('x-tag')).toBe('one');
    const record = await gateway.record(response.headers.get('x-request-id'));
    expect(record.plugins.filter(({ name }) => name === 'tag').map(({ moment }) => moment)).toEqual(['admit', 'reply']);
    const rejected = await chat(gateway, '@mock/echo', { 'x-forbidden': 'yes' });
    expect(rejected.status).toBe(403);
    expect(await rejected.json()).toMatchObject({ error: { code: 'not_allowed', message: 'The plugin says no.' } });
    await gateway.close();
    expect(lifecycle()).toEqual(['setup one', 'dispose one']);
  });

  it('records usage and cost of a response that it rejects', async () => {
    gateway = await startTestGateway(`${withTag('one')}pricing: {mock/*: {input: 1, output: 2}}\n`, { files: { 'tag.ts': tagPlugin } });
    const recordOf = async (headers: Record<string, string>): Promise<LogRecord> => {
      const response = await chat(gateway as TestGateway, '@mock/echo', headers);
      expect(response.status).toBe('x-unwanted' in headers ? 403 : 200);
      return (gateway as TestGateway).record(response.headers.get('x-request-id'));
    };
    const [passed, rejected] = [await recordOf({}), await recordOf({ 'x-unwanted': 'yes' })];
    expect(passed.usage.completion).toBeGreaterThan(0);
    expect(rejected.attempts).toMatchObject([{ outcome: 'refused', status: null }]);
    expect([rejected.usage, rejected.cost]).toEqual([passed.usage, passed.cost]);
  });

  it('is set up again by a reload, keeps its shared state, and the previous instance is disposed', async () => {
    gateway = await startTestGateway(withTag('one'), { files: { 'tag.ts': tagPlugin } });
    expect((await chat(gateway, '@mock/echo')).headers.get('x-uses')).toBe('1');
    await gateway.write(withTag('two'));
    expect(await gateway.gateway.reload()).toMatchObject({ type: 'reloaded', changes: ['~plugins'] });
    const response = await chat(gateway, '@mock/echo');
    expect([response.headers.get('x-tag'), response.headers.get('x-uses')]).toEqual(['two', '2']);
    expect(lifecycle()).toEqual(['setup one', 'setup two', 'dispose one']);
    await gateway.close();
    expect(lifecycle()).toEqual(['dispose two']);
  });

  it('causes a rejected reload if setup throws, and the previous plugins stay active', async () => {
    gateway = await startTestGateway(withTag('one'), { files: { 'tag.ts': tagPlugin } });
    const { revision } = gateway.gateway.snapshot();
    await writeFile(join(gateway.dir, 'second.ts'), tagPlugin.replace("name: 'tag'", "name: 'second'"));
    await gateway.write(withTag('two').replace('routing', '{use: ./second.ts, options: {tag: broken}}, routing'));
    expect(await gateway.gateway.reload()).toMatchObject({
      type: 'rejected',
      revision,
      diagnostics: [],
      reason: 'plugin "second" could not be set up: the tag is broken',
    });
    expect(lifecycle()).toEqual(['setup one', 'setup two', 'dispose two']);
    expect((await chat(gateway, '@mock/echo')).headers.get('x-tag')).toBe('one');
    await gateway.write(withTag('three'));
    expect(await gateway.gateway.reload()).toMatchObject({ type: 'reloaded' });
    await until(() => lifecycle().includes('dispose one'), 'the first plugin to be disposed');
  });

  it('makes the start fail if setup throws', async () => {
    const start = startTestGateway(withTag('broken'), { files: { 'tag.ts': tagPlugin } });
    await expect(start).rejects.toThrow(StartError);
    await expect(start).rejects.toMatchObject({ exitCode: 3, message: 'plugin "tag" could not be set up: the tag is broken' });
  });
});

describe('a provider loaded from a file', () => {
  it('works with its own settings, credential and models', async () => {
    upstream = await startUpstream((response) => json(response, 200, completion('squawk')));
    gateway = await startTestGateway(
      `version: 1\nprovider_plugins: [./parrot.ts]\nproviders: {grey: {type: bird, perch: "${upstream.url}", api_key: "\${env:SEED}"}}\n`,
      { files: { 'parrot.ts': parrotProvider }, env: { SEED: 'sunflower-seed' } },
    );
    const response = await chat(gateway, '@grey/polly', { authorization: 'Bearer of-the-caller' });
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'squawk' } }] });
    expect(response.headers.get('x-gateway-provider-type')).toBe('parrot');
    expect(upstream.requests).toMatchObject([{ method: 'POST', url: '/talk/polly', headers: { 'x-seed': 'sunflower-seed' } }]);
    expect(upstream.requests[0]?.headers.authorization).toBeUndefined();
    const list = await fetch(`${gateway.url}/v1/models`);
    expect(await list.json()).toMatchObject({ data: [{ id: '@grey/polly' }] });
  });

  it('has its settings validated by its own schema', async () => {
    gateway = await startTestGateway('version: 1\nproviders: {mock: {type: mock}}\n', { files: { 'parrot.ts': parrotProvider } });
    await gateway.write('version: 1\nprovider_plugins: [./parrot.ts]\nproviders: {grey: {type: parrot, api_key: a-long-enough-key}}\n');
    expect(await gateway.gateway.reload()).toMatchObject({
      type: 'rejected',
      diagnostics: expect.arrayContaining([expect.objectContaining({ code: 'missing-key', severity: 'error' })]) as unknown,
    });
  });
});
