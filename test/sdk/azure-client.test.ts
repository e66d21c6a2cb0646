import { createHash } from 'node:crypto';
import { AzureOpenAI, toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import type { ScriptedUpstream, SeenRequest } from '../support/upstream.ts';
import { python, runScript } from './python.ts';
import { callerKey, rawOf } from './rig.ts';
import { routeOf, startSurface } from './surface-upstream.ts';

/** The AzureOpenAI clients of both libraries, with only the endpoint changed: a deployment is a model of the gateway. */

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startSurface();
  const entry = `type: openai, api_key: sk-openai-0123456789, custom_host: "${upstream.url}/v1"`;
  gateway = await startTestGateway(`
version: 1
providers:
  main: {${entry}}
  other: {${entry}}
configs:
  standard: {provider: main}
api_keys:
  app: {hash: "sha256:${createHash('sha256').update(callerKey).digest('hex')}", default_config: standard}
`);
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
});

/** The upstream request of each call: its route, and its model if it has one. */
const routes: Readonly<Record<string, string>> = {
  chat: 'POST chat/completions m',
  completions: 'POST completions m',
  embeddings: 'POST embeddings m',
  'images.generate': 'POST images/generations m',
  'images.edit': 'POST images/edits m',
  'audio.speech': 'POST audio/speech m',
  'audio.transcriptions': 'POST audio/transcriptions m',
  'audio.translations': 'POST audio/translations m',
  responses: 'POST responses m',
  'files.create': 'POST files -',
  'files.list': 'GET files -',
};

const messages = [{ role: 'user' as const, content: 'hi' }];
const calls: Readonly<Record<string, (client: AzureOpenAI, model: string) => Promise<unknown>>> = {
  chat: (client, model) => client.chat.completions.create({ model, messages }),
  completions: (client, model) => client.completions.create({ model, prompt: 'hi' }),
  embeddings: (client, model) => client.embeddings.create({ model, input: 'hi' }),
  'images.generate': (client, model) => client.images.generate({ model, prompt: 'a frog' }),
  'images.edit': async (client, model) => client.images.edit({ model, prompt: 'a frog', image: await upload('a.png') }),
  'audio.speech': (client, model) => client.audio.speech.create({ model, input: 'hi', voice: 'alloy' }),
  'audio.transcriptions': async (client, model) => client.audio.transcriptions.create({ model, file: await upload('a.wav') }),
  'audio.translations': async (client, model) => client.audio.translations.create({ model, file: await upload('a.wav') }),
  responses: (client, model) => client.responses.create({ model, input: 'hi' }),
  'files.create': async (client) => client.files.create({ file: await upload('a.jsonl'), purpose: 'assistants' }),
  'files.list': (client) => client.files.list(),
};

const upload = (name: string): Promise<File> => toFile(Buffer.from('RIFF'), name);

/** Name, model of the calls, and deployment of the client. */
const ways: readonly (readonly [name: string, model: string, deployment: string | undefined])[] = [
  ['the model as deployment', 'm', undefined],
  ['a provider in the model', '@other/m', undefined],
  ['a deployment', 'm', 'm'],
  ['a deployment and another model', 'not-this-one', 'm'],
];

/** Route and model of each request. */
async function sent(requests: readonly SeenRequest[]): Promise<readonly string[]> {
  return Promise.all(requests.map(async (request) => `${routeOf(request)} ${(await modelOf(request)) ?? '-'}`));
}

async function modelOf({ body, headers }: SeenRequest): Promise<string | undefined> {
  const type = String(headers['content-type'] ?? '');
  if (type.startsWith('application/json')) return (JSON.parse(body.toString('utf8')) as { model?: string }).model;
  if (!type.startsWith('multipart/')) return undefined;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  return form.getAll('model').join('+') || undefined;
}

function expectClean(): void {
  for (const request of upstream.requests) {
    expect(rawOf(request)).not.toContain(callerKey);
    expect(request.url).not.toContain('api-version');
  }
}

/** The path of /responses has no deployment, so the model of the body is used. */
const expected = (model: string, deployment: string | undefined): readonly string[] =>
  Object.values(routes).map((route) =>
    route.startsWith('POST responses') && deployment !== undefined && model !== 'm' ? `POST responses ${model}` : route,
  );

describe.each(ways)('npm AzureOpenAI with %s', (_name, model, deployment) => {
  it.each(['2024-10-21', 'preview'])('reaches every route (api-version %s)', async (apiVersion) => {
    const client = new AzureOpenAI({ endpoint: gateway.url, apiKey: callerKey, apiVersion, deployment, maxRetries: 0 });
    for (const call of Object.values(calls)) await call(client, model);
    expect(await sent(upstream.requests)).toEqual(expected(model, deployment));
    expectClean();
  });
});

it('npm AzureOpenAI reaches the model with the deployment in its base URL', async () => {
  const client = new AzureOpenAI({ baseURL: `${gateway.url}/openai/deployments/m`, apiKey: callerKey, apiVersion: '2024-10-21' });
  const reply = await client.chat.completions.create({ model: '', messages });
  expect(reply.choices[0]?.message.content).toBe('hi');
  expect(await sent(upstream.requests)).toEqual(['POST chat/completions m']);
});

it('PyPI AzureOpenAI reaches every route', async (ctx) => {
  if ('missing' in python) return ctx.skip(python.missing);
  const options = (deployment: string | undefined): object => ({
    azure_endpoint: gateway.url,
    api_version: '2024-10-21',
    ...(deployment === undefined ? {} : { azure_deployment: deployment }),
  });
  const cases = ways.map(([, model, deployment]) => ({ model, options: options(deployment) }));
  const results = JSON.parse(await runScript(python.python, ['azure-client.py', callerKey, JSON.stringify(cases)])) as string[][];
  expect(results.flat().filter((text) => text !== '')).toEqual([]);
  expect(await sent(upstream.requests)).toEqual(ways.flatMap(([, model, deployment]) => expected(model, deployment)));
  expectClean();
});
