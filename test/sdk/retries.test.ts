import Anthropic from '@anthropic-ai/sdk';
import { createHash } from 'node:crypto';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, sse, startUpstream } from '../support/upstream.ts';
import { python, runScript } from './python.ts';
import { lacking } from '../support/skipping.ts';

/** The number of requests that client libraries send for one call with their default settings. */

const key = 'app-web-key-0123456789abcdef';
const soon = { 'retry-after-ms': '1' };
const openai = (error: object): object => ({ error: { message: 'no', ...error } });
const anthropic = (type: string): object => ({ type: 'error', error: { type, message: 'no' } });
const event = (value: object): readonly string[] => [`data: ${JSON.stringify(value)}\n\n`];

/** By model: status, body and headers, or the first event of a stream. */
const scripts: Readonly<Record<string, readonly [number, object, Record<string, string>] | readonly string[]>> = {
  's-400': [400, openai({ type: 'invalid_request_error', code: 'content_policy_violation' }), {}],
  's-401': [401, openai({ type: 'invalid_request_error', code: 'invalid_api_key' }), {}],
  's-403': [403, openai({ type: 'permission_error' }), {}],
  's-404': [404, openai({ code: 'model_not_found' }), {}],
  's-409': [409, openai({}), soon],
  's-422': [422, openai({}), {}],
  's-429': [429, openai({ type: 'tokens', code: 'rate_limit_exceeded' }), soon],
  's-quota': [429, openai({ type: 'insufficient_quota', code: 'insufficient_quota' }), {}],
  's-told': [500, openai({}), { 'x-should-retry': 'false' }],
  's-open': [400, openai({}), { 'x-should-retry': 'true', ...soon }],
  's-501': [501, openai({}), {}],
  's-503': [503, openai({}), soon],
  's-moved': [308, {}, { location: 'https://example.com/' }],
  'first-400': event(openai({ type: 'invalid_request_error' })),
  'first-quota': event(openai({ code: 'insufficient_quota' })),
  'first-401': event(openai({ code: 'invalid_api_key' })),
  'm-400': [400, anthropic('invalid_request_error'), {}],
  'm-401': [401, anthropic('authentication_error'), {}],
  'm-529': [529, anthropic('overloaded_error'), soon],
};

interface Task {
  readonly route: 'chat' | 'stream' | 'moderation' | 'messages' | 'count';
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of requests that a library sends. */
  readonly calls: 1 | 3;
}

const on = (provider: string): Readonly<Record<string, string>> => ({ 'x-gateway-provider': `@${provider}` });
const chat = (model: string, calls: 1 | 3, headers = on('open')): Task => ({ route: 'chat', model, headers, calls });
const message = (model: string, calls: 1 | 3, headers = on('claude')): Task => ({ route: 'messages', model, headers, calls });

const tasks: readonly Task[] = [
  ...['s-400', 's-401', 's-403', 's-404', 's-422', 's-quota', 's-told', 's-501', 's-moved'].map((model) => chat(model, 1)),
  ...['s-409', 's-429', 's-503', 's-open'].map((model) => chat(model, 3)),
  ...['s-401', 's-quota', 'first-400', 'first-quota', 'first-401'].map((model): Task => ({ ...chat(model, 1), route: 'stream' })),
  { route: 'stream', model: 's-503', headers: on('open'), calls: 3 },
  { route: 'moderation', model: 'x', headers: on('claude'), calls: 1 },
  chat('x', 1, on('nobody')),
  chat('x', 1, { 'x-gateway-config': 'nothing' }),
  chat('x', 1, { 'x-gateway-config': '{"provider":"open","retry":{"attempts":"many"}}' }),
  chat('forbidden', 1),
  chat('s-503', 1, { 'x-gateway-config': 'chain' }),
  message('m-400', 1),
  message('m-401', 1),
  message('m-529', 3),
  message('s-400', 1, on('open-only')),
  message('s-429', 3, on('open-only')),
  { route: 'count', model: 'm-401', headers: on('claude'), calls: 1 },
  { route: 'count', model: 'm-529', headers: on('claude'), calls: 3 },
];

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((response, { body }) => {
    const { model } = JSON.parse(body.toString('utf8')) as { model: string };
    const script = scripts[model] ?? [500, openai({}), {}];
    if (typeof script[0] === 'string') sse(response, script as readonly string[]);
    else json(response, ...(script as readonly [number, object, Record<string, string>]));
  });
  const provider = (type: string, more: object = {}): object => ({ type, api_key: `sk-${type}-0123456789`, ...more });
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { egress: { allow: ['127.0.0.1'] } },
      api_keys: {
        app: { hash: `sha256:${createHash('sha256').update(key).digest('hex')}`, allow: { models: ['s-*', 'm-*', 'first-*', 'x'] } },
      },
      providers: {
        open: provider('openai', { custom_host: `${upstream.url}/v1` }),
        'open-only': provider('openai', { custom_host: `${upstream.url}/v1` }),
        claude: provider('anthropic', { custom_host: upstream.url }),
      },
      configs: { chain: { strategy: { mode: 'fallback' }, targets: [{ provider: 'open' }, { provider: 'claude' }] } },
    }),
  );
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

const nameOf = ({ route, model, headers }: Task): string => `${route} ${model} ${Object.values(headers).join(' ')}`;

/** Makes one call for each task, and counts the recorded requests. */
async function countedBy(library: string, run: (tasks: readonly (Task & { readonly id: string })[]) => Promise<void>): Promise<object> {
  const tasksWithIds = tasks.map((task, i) => ({ ...task, id: `${library}-${i}` }));
  await run(tasksWithIds);
  return Object.fromEntries(
    tasksWithIds.map((task) => [nameOf(task), gateway.records.filter(({ trace }) => trace.trace_id === task.id).length]),
  );
}

const expected = Object.fromEntries(tasks.map((task) => [nameOf(task), task.calls]));

describe('client libraries retry temporary errors and no permanent ones', () => {
  it('npm', async () => {
    const openaiClient = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key });
    const anthropicClient = new Anthropic({ baseURL: gateway.url, apiKey: key });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const counts = await countedBy('npm', async (all) => {
      for (const { route, model, headers: requestHeaders, id } of all) {
        const options = { headers: { ...requestHeaders, 'x-gateway-trace-id': id } };
        const call: Readonly<Record<Task['route'], () => PromiseLike<unknown>>> = {
          chat: () => openaiClient.chat.completions.create({ model, messages }, options),
          stream: () => openaiClient.chat.completions.create({ model, messages, stream: true }, options),
          moderation: () => openaiClient.moderations.create({ model, input: 'hi' }, options),
          messages: () => anthropicClient.messages.create({ model, messages, max_tokens: 9 }, options),
          count: () => anthropicClient.messages.countTokens({ model, messages }, options),
        };
        await expect(call[route](), nameOf({ route, model, headers: requestHeaders, calls: 1 })).rejects.toBeInstanceOf(Error);
      }
    });
    expect(counts).toEqual(expected);
  });

  it.skipIf(lacking(python))(`PyPI (${'missing' in python ? python.missing : 'run'})`, async () => {
    const counts = await countedBy('pypi', async (all) => {
      if ('missing' in python) throw new Error(python.missing);
      await runScript(python.python, ['./retries-client.py', `${gateway.url}/v1`, key], JSON.stringify(all));
    });
    expect(counts).toEqual(expected);
  });
});

describe('error message', () => {
  const send = async (model: string, provider: string): Promise<{ status: number; message: string }> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...on(provider) },
      body: JSON.stringify({ model, messages: [] }),
    });
    const { error } = (await response.json()) as { error: { message: string } };
    return { status: response.status, message: error.message };
  };

  it.each(['s-401', 's-403', 'first-401'])('names the setting whose credential the provider rejected: %s', async (model) => {
    const response = await send(model, 'open');
    expect(response.status).toBe(502);
    expect(response.message).toMatch(/^Provider "open" rejected the credential of providers\.open\.api_key with status 40[13]: no$/);
  });
});
