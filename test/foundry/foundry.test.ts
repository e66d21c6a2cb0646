import { createHash } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import type { ScriptedUpstream, SeenRequest } from '../support/upstream.ts';
import { key, ownKey, startFoundry, token } from './upstream.ts';

const callerKey = 'app-web-key-0123456789abcdef';

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFoundry();
  const deployments = {
    llama: { deployment_id: 'Llama-3.3-70B', foundation_model: 'Llama-3.3-70B-Instruct', default: true },
    embed: { deployment_id: 'cohere-embed', foundation_model: 'embed-v3' },
    gpt: { deployment_id: 'gpt-eu', format: 'openai', foundation_model: 'gpt-4o' },
    ears: { deployment_id: 'whisper-eu', format: 'openai', foundation_model: 'whisper' },
    claude: { deployment_id: 'claude-eu', foundation_model: 'claude-sonnet-4-5', api_key: ownKey },
    lost: { deployment_id: 'not-there', foundation_model: 'Phi-4' },
  };
  const baseEntry = { type: 'azure-ai', custom_host: upstream.url };
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { egress: { allow: ['127.0.0.1'] } },
      api_keys: { app: { hash: `sha256:${createHash('sha256').update(callerKey).digest('hex')}` } },
      providers: {
        team: {
          ...baseEntry,
          name: 'Foundry',
          resource_name: 'r1',
          api_key: key,
          deployments,
          models: ['llama', 'embed', 'gpt', 'ears', 'claude', 'lost', 'other'],
        },
        token: { ...baseEntry, ad_token: token, deployments },
        application: {
          ...baseEntry,
          auth_mode: 'entra',
          entra_tenant_id: 't',
          entra_client_id: 'c',
          entra_client_secret: 'secret-of-the-application',
          deployments,
        },
        callers: { ...baseEntry, auth: { mode: 'caller' }, deployments: { claude: { ...deployments.claude, api_key: undefined } } },
        project: { type: 'azure-ai', custom_host: `${upstream.url}/api/projects/p1/openai/v1`, api_key: key },
        spare: { type: 'mock' },
      },
      configs: { chain: { strategy: { mode: 'fallback' }, targets: [{ provider: 'team' }, { provider: 'spare' }] } },
    }),
  );
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

const openai = (headers: Record<string, string> = {}): OpenAI =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: callerKey, maxRetries: 0, defaultHeaders: headers });
const anthropic = (): Anthropic => new Anthropic({ baseURL: gateway.url, apiKey: callerKey, maxRetries: 0 });

const hello = [{ role: 'user' as const, content: 'Hi' }];
const last = (): SeenRequest => upstream.requests.at(-1) as SeenRequest;

describe('npm openai with azure-ai', () => {
  it.each([
    ['llama', 'from models', '/models/chat/completions?api-version=2024-05-01-preview', 'Llama-3.3-70B'],
    ['gpt', 'from openai', '/openai/v1/chat/completions', 'gpt-eu'],
    ['claude', 'Kalt: −4 °C 🥶', '/anthropic/v1/messages', 'claude-eu'],
    ['other', 'from models', '/models/chat/completions?api-version=2024-05-01-preview', 'Llama-3.3-70B'],
  ])('gets a chat completion of %s without streaming', async (alias, text, url, deployment) => {
    const completion = await openai().chat.completions.create({ model: `@team/${alias}`, messages: hello });
    expect(completion.choices[0]?.message.content).toBe(text);
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect([last().url, (JSON.parse(last().body.toString()) as { model: string }).model]).toEqual([url, deployment]);
  });

  it.each([
    ['llama', 'Hi there'],
    ['gpt', 'Hi there'],
    ['claude', 'Kalt: −4 °C 🥶'],
  ])('gets a chat completion of %s with streaming', async (alias, text) => {
    let received = '';
    for await (const chunk of await openai().chat.completions.create({ model: `@team/${alias}`, messages: hello, stream: true }))
      received += chunk.choices[0]?.delta.content ?? '';
    expect(received).toBe(text);
  });

  it('gets embeddings of texts and images', async () => {
    const vectors = await openai().embeddings.create({ model: '@team/embed', input: 'Hi', encoding_format: 'float' });
    expect(vectors.data[0]?.embedding).toEqual([0.5]);
    const pictures = await openai().post('/images/embeddings', {
      body: { model: '@team/embed', input: [{ image: 'data:image/png;base64,AA==' }] },
    });
    expect(pictures).toMatchObject({ data: [{ embedding: [0.5] }] });
    expect(last().url).toBe('/models/images/embeddings?api-version=2024-05-01-preview');
  });

  it('creates responses only with deployments that support them', async () => {
    expect(await openai().responses.create({ model: '@team/gpt', input: 'Hi' })).toMatchObject({ id: 'resp_1' });
    await expect(openai().responses.create({ model: '@team/llama', input: 'Hi' })).rejects.toMatchObject({
      status: 400,
      code: 'unsupported_endpoint',
    });
  });

  it('finds the deployment alias in a multipart form', async () => {
    const file = new File([new Uint8Array(2000)], 'a.wav');
    expect(await openai().audio.transcriptions.create({ model: '@team/ears', file })).toMatchObject({ text: 'Hi' });
    expect(last().url).toBe('/openai/v1/audio/transcriptions');
    const image = new File([new Uint8Array(2000)], 'a.png', { type: 'image/png' });
    expect(await openai().images.edit({ model: '@team/gpt', image, prompt: 'x' })).toMatchObject({ data: [{ b64_json: 'AA==' }] });
    const other = openai().audio.transcriptions.create({ model: '@team/llama', file });
    await expect(other).rejects.toMatchObject({ status: 400, code: 'unsupported_endpoint' });
  });

  it('reaches a project by its path and a deployment by its name', async () => {
    await openai().chat.completions.create({ model: '@project/gpt-eu', messages: hello });
    expect(last().url).toBe('/api/projects/p1/openai/v1/chat/completions');
  });

  it('lists the deployment aliases', async () => {
    const ids: string[] = [];
    for await (const { id } of openai({ 'x-gateway-provider': '@team' }).models.list()) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining(['@team/llama', '@team/gpt', '@team/claude']));
  });

  it('gets the error message of the provider', async () => {
    const bad = openai().chat.completions.create({ model: '@team/llama', messages: hello, hologram: 1 } as never);
    await expect(bad).rejects.toMatchObject({ status: 422, message: expect.stringContaining('Extra inputs are not permitted') as unknown });
    const flat = openai().chat.completions.create({ model: '@team/llama', messages: hello, hologram: 'flat' } as never);
    await expect(flat).rejects.toMatchObject({ status: 422, code: 'Unprocessable Entity', type: 'invalid_request_error' });
    const lost = openai().chat.completions.create({ model: '@team/lost', messages: hello });
    await expect(lost).rejects.toMatchObject({ status: 404, code: 'DeploymentNotFound' });
  });

  it('gets unsupported_endpoint for a missing route, and a fallback uses the next target', async () => {
    await expect(openai({ 'x-gateway-provider': '@team' }).files.list()).rejects.toMatchObject({
      status: 400,
      code: 'unsupported_endpoint',
    });
    const completion = await openai({ 'x-gateway-config': 'chain' }).responses.create({ model: 'claude', input: 'Hi' });
    expect(completion.output_text).toBe('Hi');
  });

  it('gets 403 for a model that is not on the list', async () => {
    await expect(openai().chat.completions.create({ model: '@team/secret', messages: hello })).rejects.toMatchObject({
      status: 403,
      code: 'not_allowed',
    });
  });
});

describe('npm anthropic with azure-ai', () => {
  it('gets a message with and without streaming, and a token count', async () => {
    const minimalBody = { model: '@team/claude', max_tokens: 64, messages: hello };
    const message = await anthropic().messages.create(minimalBody);
    expect(message.content).toEqual([{ type: 'text', text: 'Kalt: −4 °C 🥶' }]);
    expect(last().headers).toMatchObject({
      'x-api-key': ownKey,
      'api-key': ownKey,
      'anthropic-version': expect.stringMatching(/^\d{4}-/) as unknown,
    });
    const streamed = await anthropic().messages.stream(minimalBody).finalMessage();
    expect(streamed.content).toEqual(message.content);
    expect(await anthropic().messages.countTokens({ model: minimalBody.model, messages: hello })).toEqual({ input_tokens: 17 });
    expect(last().url).toBe('/anthropic/v1/messages/count_tokens');
  });

  it('reaches other deployments through chat completions', async () => {
    const other = await anthropic().messages.create({ model: '@team/llama', max_tokens: 64, messages: hello });
    expect(other.content).toEqual([{ type: 'text', text: 'from models' }]);
    expect(last().url).toBe('/models/chat/completions?api-version=2024-05-01-preview');
  });
});

describe('credentials for azure-ai', () => {
  it.each(['llama', 'gpt'])('include only the token for %s', async (alias) => {
    await openai().chat.completions.create({ model: `@token/${alias}`, messages: hello });
    expect(last().headers.authorization).toBe(`Bearer ${token}`);
  });

  it.each(['token', 'application'])('prefer the key of the deployment over the %s of the provider', async (slug) => {
    await openai().chat.completions.create({ model: `@${slug}/claude`, messages: hello });
    expect(last().headers).toMatchObject({ 'x-api-key': ownKey, 'api-key': ownKey });
    expect(last().headers.authorization).toBeUndefined();
  });

  it('of the client are sent in the headers of the format', async () => {
    const client = new Anthropic({
      baseURL: gateway.url,
      apiKey: key,
      maxRetries: 0,
      defaultHeaders: { 'x-gateway-api-key': callerKey },
    });
    await client.messages.create({ model: '@callers/claude', max_tokens: 64, messages: hello });
    expect(last().headers).toMatchObject({ 'x-api-key': key, 'api-key': key });
    expect(JSON.stringify(last().rawHeaders)).not.toContain(callerKey);
  });

  it.each([
    ['x-gateway-azure-foundry-url', 'models', {}],
    ['x-portkey-azure-foundry-url', 'openai', { 'x-portkey-azure-model-format': 'openai' }],
  ])('of a request without a configured provider are accepted with %s', async (header, kind, more: Record<string, string>) => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
    const headers = { 'x-gateway-api-key': callerKey, 'x-gateway-provider': 'azure-ai', [header]: upstream.url, ...more };
    const model = kind === 'openai' ? 'gpt-eu' : 'Llama-3.3-70B';
    const completion = await client.chat.completions.create({ model, messages: hello }, { headers });
    expect(completion.choices[0]?.message.content).toBe(`from ${kind}`);
    expect(JSON.stringify(last().rawHeaders)).not.toContain(callerKey);
  });

  it.each([
    ['azure-model-format', 'toString', 'Send one of inference, openai, messages.'],
    ['cloud-model-format', 'openal', 'Send one of inference, openai, messages.'],
    ['azure-extra-params', 'ignore', 'Send one of error, drop, pass-through.'],
    ['azure-auth-mode', 'entar', 'Send one of api_key, default, entra.'],
  ])('with %s set to %s are rejected with an error that lists the valid values', async (tail, value, hint) => {
    const before = upstream.requests.length;
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
    const headers = {
      'x-gateway-api-key': callerKey,
      'x-gateway-provider': 'azure-ai',
      'x-gateway-azure-foundry-url': upstream.url,
      [`x-gateway-${tail}`]: value,
    };
    await expect(client.chat.completions.create({ model: 'm', messages: hello }, { headers })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_header',
      param: tail,
      error: { gateway: { hint } },
    });
    expect(upstream.requests.length).toBe(before);
  });

  it('of the operator are never sent to a host that a request chose', async () => {
    const before = upstream.requests.length;
    const bad = openai({ 'x-gateway-azure-foundry-url': 'https://evil.example' }).chat.completions.create({
      model: '@team/gpt',
      messages: hello,
    });
    await expect(bad).rejects.toMatchObject({ status: expect.toSatisfy((status: number) => status >= 400 && status < 500) as unknown });
    expect(upstream.requests.length).toBe(before);
  });
});
