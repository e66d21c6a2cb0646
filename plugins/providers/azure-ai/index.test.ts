import { emptyBody, JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { Call, CommonSettings } from '#core/provider.ts';
import { describe, expect, it } from 'vitest';
import { begin, callOf } from '../../../test/contract/call.ts';
import azureAi from './index.ts';

type Settings = CommonSettings & Readonly<Record<string, unknown>>;
type CallOverrides = Partial<Call<CommonSettings>> & { readonly text?: string };

const resource: Settings = {
  resource_name: 'r1',
  deployments: {
    llama: { deployment_id: 'Llama.3/70B', foundation_model: 'Llama-3.3-70B-Instruct' },
    large: { deployment_id: 'ml-1', foundation_model: 'Mistral-Large-3' },
    gpt: { deployment_id: 'gpt-eu', format: 'openai', foundation_model: 'gpt-4o' },
    preview: { deployment_id: 'gpt-p', format: 'openai', api_version: 'preview' },
    claude: { deployment_id: 'claude-eu', foundation_model: 'claude-sonnet-4-5', api_key: 'own' },
    pasted: { deployment_id: 'p1', target_uri: 'https://r2.services.ai.azure.com/anthropic/v1/messages' },
    dated: { deployment_id: 'd1', target_uri: 'https://r3.services.ai.azure.com/models/chat/completions?api-version=2024-08-01-preview' },
    serverless: { target_uri: 'https://m1.eastus2.models.ai.azure.com/v1/chat/completions' },
    compute: { deployment_id: 'blue', target_uri: 'https://m1.westeurope.inference.ml.azure.com/score' },
  },
};

function beginCall(endpoint: Endpoint, model: string, settings: Settings = resource, { text, ...overrides }: CallOverrides = {}) {
  const chosen = azureAi.entry.deployment?.(settings, model);
  if (chosen === undefined || chosen instanceof Error) throw chosen ?? new Error('no deployment');
  const call = callOf({
    endpoint,
    settings,
    model: chosen.model,
    deployment: chosen.settings,
    foundationModel: chosen.foundationModel,
    ...overrides,
  });
  const body =
    text === '' ? emptyBody : JsonBody.from(Buffer.from(text ?? `{"model":"@team/${model}","messages":[{"role":"user","content":"Hi"}]}`));
  const { request } = begin(azureAi, call, body);
  const signed = azureAi.entry.credential(settings, chosen.apiKey ?? 'K', chosen.signing);
  return {
    url: request.origin + request.path,
    headers: Object.fromEntries(pairs(request.headers)),
    body: request.body.kind === 'json' ? request.body.bytes().toString() : '',
    dropped: request.dropped.map(({ param }) => param),
    signed,
    call,
  };
}

const pairs = (nameValueList: readonly string[]): [string, string][] =>
  nameValueList.flatMap((name, i) => (i % 2 === 0 ? [[name, nameValueList[i + 1] ?? ''] as [string, string]] : []));

describe('the upstream URL of azure-ai', () => {
  it.each<[Endpoint, string, string]>([
    ['chat/completions', 'llama', 'https://r1.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview'],
    ['embeddings', 'llama', 'https://r1.services.ai.azure.com/models/embeddings?api-version=2024-05-01-preview'],
    ['images/embeddings', 'llama', 'https://r1.services.ai.azure.com/models/images/embeddings?api-version=2024-05-01-preview'],
    ['chat/completions', 'dated', 'https://r3.services.ai.azure.com/models/chat/completions?api-version=2024-08-01-preview'],
    ['chat/completions', 'gpt', 'https://r1.services.ai.azure.com/openai/v1/chat/completions'],
    ['chat/completions', 'preview', 'https://r1.services.ai.azure.com/openai/v1/chat/completions?api-version=preview'],
    ['responses', 'gpt', 'https://r1.services.ai.azure.com/openai/v1/responses'],
    ['chat/completions', 'claude', 'https://r1.services.ai.azure.com/anthropic/v1/messages'],
    ['messages', 'claude', 'https://r1.services.ai.azure.com/anthropic/v1/messages'],
    ['messages/count_tokens', 'claude', 'https://r1.services.ai.azure.com/anthropic/v1/messages/count_tokens'],
    ['messages', 'pasted', 'https://r2.services.ai.azure.com/anthropic/v1/messages'],
    ['chat/completions', 'serverless', 'https://m1.eastus2.models.ai.azure.com/v1/chat/completions'],
    ['chat/completions', 'compute', 'https://m1.westeurope.inference.ml.azure.com/chat/completions'],
    ['models', 'serverless', 'https://m1.eastus2.models.ai.azure.com/v1/info'],
    ['models', 'claude', 'https://r1.services.ai.azure.com/openai/v1/models'],
  ])('of %s for %s is %s', (endpoint, model, url) => {
    expect(beginCall(endpoint, model).url).toBe(url);
  });

  it.each<[Settings, string]>([
    [{ foundry_url: 'https://r1.services.ai.azure.com/api/projects/p1', format: 'openai' }, '/api/projects/p1/openai/v1/chat/completions'],
    [{ foundry_url: 'https://r1.services.ai.azure.com/api/projects/p1' }, '/models/chat/completions?api-version=2024-05-01-preview'],
    [{ foundry_url: 'https://r1.services.ai.azure.com/anthropic' }, '/anthropic/v1/messages'],
    [{ resource_name: 'R1', model_name: 'claude-opus-4-5' }, '/anthropic/v1/messages'],
    [{ resource_name: 'https://r1.services.ai.azure.com/openai/v1' }, '/openai/v1/chat/completions'],
    [{ resource_name: 'r1', api_version: '2024-05-01' }, '/models/chat/completions?api-version=2024-05-01'],
  ])('of an unlisted model with %j is %s', (settings, path) => {
    expect(beginCall('chat/completions', 'd1', settings).url).toBe(`https://r1.services.ai.azure.com${path}`);
  });

  it('uses the API version of the client only if the configuration sets none', () => {
    const query = 'a=1&Api-Version=2025-01-01';
    expect(beginCall('chat/completions', 'llama', resource, { query }).url).toMatch(/\?a=1&api-version=2025-01-01$/);
    expect(beginCall('chat/completions', 'dated', resource, { query }).url).toMatch(/\?a=1&api-version=2024-08-01-preview$/);
    expect(beginCall('chat/completions', 'gpt', resource, { query }).url).toMatch(/\?a=1$/);
    expect(beginCall('messages', 'claude', resource, { query }).url).toMatch(/\?a=1$/);
  });

  it.each<[Endpoint, string]>([
    ['messages', 'llama'],
    ['messages/count_tokens', 'gpt'],
    ['embeddings', 'claude'],
    ['responses', 'llama'],
    ['images/embeddings', 'gpt'],
  ])('causes unsupported_endpoint for %s with %s', (endpoint, model) => {
    expect(() => beginCall(endpoint, model)).toThrow(expect.objectContaining({ code: 'unsupported_endpoint' }));
  });

  it("of a relayed path starts with the path of the deployment's format", () => {
    const relayedUrl = (model: string, path: string): string => {
      const { call } = beginCall('chat/completions', model);
      const address = azureAi.relay?.({ ...call, endpoint: 'relay' }, path);
      return `${address?.origin}${address?.path}`;
    };
    expect(relayedUrl('llama', '/v1/info')).toBe('https://r1.services.ai.azure.com/models/info?api-version=2024-05-01-preview');
    expect(relayedUrl('gpt', '/v1/vector_stores')).toBe('https://r1.services.ai.azure.com/openai/v1/vector_stores');
  });
});

describe('the upstream request of azure-ai', () => {
  it('renames the token limit for models of Mistral, which do not know the newer name', () => {
    const { body, dropped } = beginCall('chat/completions', 'large', resource, {
      text: '{"model":"@team/large","messages":[],"max_completion_tokens":5}',
    });
    expect([body, dropped]).toEqual(['{"model":"ml-1","messages":[],"max_tokens":5}', []]);
  });

  it('has messages in the order that models of Mistral require', () => {
    const [result, user] = ['{"role":"tool","tool_call_id":"abcde0123","content":"noon"}', '{"role":"user","content":"Hi"}'];
    const call = '{"role":"assistant","tool_calls":[{"id":"abcde0123","type":"function","function":{"name":"f","arguments":"{}"}}]}';
    const sent = (model: string) =>
      beginCall('chat/completions', model, resource, { text: `{"model":"@team/${model}","messages":[${call},${result},${user}]}` }).body;
    const answer = '{"role":"assistant","content":"Understood."}';
    expect(sent('large')).toBe(`{"model":"ml-1","messages":[${call},${result},${answer},${user}]}`);
    expect(sent('llama')).toContain(`[${call},${result},${user}]`);
  });

  it('to the inference route contains the deployment name and the extra-parameters header', () => {
    const { headers, body, signed } = beginCall('chat/completions', 'llama', resource, {
      text: '{"model":"@team/llama","messages":[],"max_completion_tokens":5,"seed":12345678901234567890,"labels":{"a":"b"}}',
    });
    expect(body).toBe('{"model":"Llama.3/70B","messages":[],"max_completion_tokens":5,"seed":12345678901234567890}');
    expect(headers).toEqual({ accept: 'application/json', 'extra-parameters': 'drop', 'content-type': 'application/json' });
    expect(signed).toEqual({ scheme: 'headers', names: ['api-key', 'authorization'], secret: 'K' });
  });

  it('contains extra_parameters and endpoint_name of the settings as headers', () => {
    const settings = { ...resource, extra_parameters: 'pass-through', endpoint_name: 'blue' };
    expect(beginCall('chat/completions', 'llama', settings).headers).toMatchObject({
      'extra-parameters': 'pass-through',
      'azureml-model-deployment': 'blue',
    });
  });

  it('to a managed endpoint contains the deployment name in a header', () => {
    expect(beginCall('chat/completions', 'compute').headers).toMatchObject({ 'azureml-model-deployment': 'blue' });
    expect(beginCall('chat/completions', 'serverless').headers).not.toHaveProperty('azureml-model-deployment');
  });

  it.each(['blue\r\nx-evil: 1', 'größe', 'a b'])('to a managed endpoint is rejected with deployment name %j', (name) => {
    const settings = { foundry_url: 'https://m1.westeurope.inference.ml.azure.com' };
    expect(() => beginCall('chat/completions', name, settings)).toThrow(expect.objectContaining({ code: 'model_not_found' }) as Error);
  });

  it('to the OpenAI route is in the format of the client', () => {
    const { headers, body, signed } = beginCall('chat/completions', 'gpt', resource, { stream: true });
    expect(body).toBe('{"model":"gpt-eu","messages":[{"role":"user","content":"Hi"}]}');
    expect(headers).toEqual({ accept: 'text/event-stream', 'content-type': 'application/json' });
    expect(signed).toEqual({ scheme: 'headers', names: ['api-key'], secret: 'K' });
  });

  it('to the Anthropic route is converted from chat completions', () => {
    const text = '{"model":"@team/claude","messages":[{"role":"user","content":"Hi"}],"max_tokens":7,"seed":1}';
    const { headers, body, dropped, signed } = beginCall('chat/completions', 'claude', resource, { text });
    expect(JSON.parse(body)).toEqual({ model: 'claude-eu', max_tokens: 7, messages: [{ role: 'user', content: 'Hi' }] });
    expect(dropped).toEqual(['seed']);
    expect(headers).toEqual({ accept: 'application/json', 'content-type': 'application/json', 'anthropic-version': '2023-06-01' });
    expect(signed).toEqual({ scheme: 'headers', names: ['x-api-key', 'api-key'], secret: 'own' });
  });

  it('to the Anthropic route keeps a messages body, except for the model and fields that become headers', () => {
    const header = (name: string): string | undefined => (name === 'anthropic-beta' ? 'x-1' : undefined);
    const text = '{"model":"@team/claude","max_tokens":7,"anthropic_beta":["y-2"],"labels":{"a":"b"},"odd":1.0}';
    const { headers, body, dropped } = beginCall('messages', 'claude', { ...resource, anthropic_beta: 'z-3' }, { text, header });
    expect(body).toBe('{"model":"claude-eu","max_tokens":7,"odd":1.0}');
    expect(headers).toMatchObject({ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'z-3,x-1,y-2' });
    expect(dropped).toEqual(['labels']);
  });

  it('is signed with ad_token if set, and with a bearer token if key_as is bearer', () => {
    expect(azureAi.entry.credential({ ...resource, ad_token: 'eyJ' } as Settings, 'K', 'messages')).toEqual({
      scheme: 'bearer',
      secret: 'eyJ',
    });
    expect(beginCall('messages', 'claude', { ...resource, key_as: 'bearer' }).signed).toMatchObject({ names: ['authorization'] });
  });

  it('uses the token scope of the cloud that the host belongs to', () => {
    const auth = { mode: 'entra', tenant_id: 't', client_id: 'c', client_secret: 's' };
    const scope = (settings: Settings): unknown => azureAi.entry.credential({ ...settings, auth }, undefined);
    expect(scope({ resource_name: 'r1' })).toMatchObject({ grant: { scope: 'https://cognitiveservices.azure.com/.default' } });
    expect(scope({ foundry_url: 'https://r1.services.ai.azure.com/api/projects/p1' })).toMatchObject({
      grant: { scope: 'https://ai.azure.com/.default' },
    });
    expect(scope({ deployments: { m: { target_uri: 'https://m1.eastus2.models.ai.azure.com' } } })).toMatchObject({
      grant: { scope: 'https://ml.azure.com/.default' },
    });
  });
});

describe('responses of azure-ai', () => {
  it('are converted for Anthropic models only', () => {
    const isConverted = (model: string): boolean => {
      const { call } = beginCall('chat/completions', model);
      return begin(azureAi, call).result !== undefined;
    };
    expect(['llama', 'gpt', 'serverless', 'claude', 'pasted'].map(isConverted)).toEqual([false, false, false, true, true]);
  });

  it('of a single model endpoint become a model list', () => {
    const { call } = beginCall('models', 'serverless', resource, { text: '' });
    const text = '{"model_name":"mistral-large","model_type":"chat-completion","model_provider_name":"mistralai"}';
    expect(begin(azureAi, call).result?.(text)).toEqual({
      object: 'list',
      data: [{ id: 'mistral-large', object: 'model', created: 0, owned_by: 'mistralai' }],
    });
  });

  it.each([
    [
      422,
      '{"status":422,"code":"Unprocessable Entity","error":{"code":"Invalid input","status":422,"message":"extra field","details":{"loc":["body","x"],"input":1}}}',
      { message: 'extra field', code: 'Invalid input', type: 'invalid_request_error', param: 'x' },
    ],
    [
      422,
      '{"status":422,"code":"Unprocessable Entity","message":"bad"}',
      { message: 'bad', code: 'Unprocessable Entity', type: 'invalid_request_error' },
    ],
    [401, '{"statusCode":401,"message":"Unauthorized. Access token is missing"}', { type: 'authentication_error', code: null }],
    [424, '{"error":{"code":"424","message":"failed dependency"}}', { message: 'failed dependency', code: '424' }],
    [
      400,
      '{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens"}}',
      { message: 'max_tokens', type: 'invalid_request_error' },
    ],
  ])('with status %i are parsed as errors: %s', (status, body, expected) => {
    expect(azureAi.fault(status, body)).toMatchObject(expected);
  });
});

describe('the deployment of azure-ai', () => {
  it('is the default one for an unknown model', () => {
    const settings = { ...resource, deployments: { a: { deployment_id: 'd1' }, b: { deployment_id: 'd2', default: true } } };
    expect(JSON.parse(beginCall('chat/completions', 'unknown', settings).body)).toMatchObject({ model: 'd2' });
    expect(beginCall('models', '', settings, { text: '' }).url).toMatch(/\/openai\/v1\/models$/);
  });

  it('is not found for an unknown alias, with the nearest alias as hint', () => {
    expect(azureAi.entry.deployment?.(resource, 'cloude')).toMatchObject({ code: 'model_not_found', hint: /Did you mean "claude"/ });
  });
});
