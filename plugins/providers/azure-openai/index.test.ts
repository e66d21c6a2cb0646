import { emptyBody, JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import type { Call } from '#core/provider.ts';
import { describe, expect, it } from 'vitest';
import { begin, callOf as anyCall } from '../../../test/contract/call.ts';
import azure from './index.ts';
import type { AzureSettings } from './settings.ts';

const catalog: AzureSettings = {
  resource_name: 'r1',
  deployments: {
    'chat-fast': { deployment_id: 'd-4o', api_version: '2024-10-21', foundation_model: 'gpt-4o' },
    next: { deployment_id: 'd/5', api_version: 'v1', foundation_model: 'gpt-5' },
    preview: { deployment_id: 'dp', api_version: 'Preview', foundation_model: 'gpt-5' },
    image: {
      target_uri: 'https://r2.openai.azure.com/openai/deployments/img1/images/generations?api-version=2024-02-01',
      api_key: 'sk-image',
      foundation_model: 'dall-e-3',
    },
  },
};

function callOf(
  endpoint: Endpoint,
  settings: AzureSettings,
  requestedModel: string,
  overrides: Partial<Call<AzureSettings>> = {},
): Call<AzureSettings> {
  const deployment = azure.entry.deployment?.(settings, requestedModel);
  if (deployment === undefined || deployment instanceof GatewayError) throw deployment;
  const { model, settings: knownSettings, foundationModel } = deployment;
  return anyCall({ endpoint, settings, model, deployment: knownSettings, foundationModel, params: { id: 'x1' }, ...overrides });
}

const send = (
  endpoint: Endpoint,
  settings: AzureSettings,
  requestedModel: string,
  text = '',
  overrides: Partial<Call<AzureSettings>> = {},
) => {
  const body = text === '' ? emptyBody : JsonBody.from(Buffer.from(text));
  const { request } = begin(azure, callOf(endpoint, settings, requestedModel, overrides), body);
  return { url: request.origin + request.path, text: request.body.kind === 'json' ? request.body.bytes().toString() : '' };
};

const relay = (settings: AzureSettings, requestedModel: string, path: string, query = '') => {
  const address = azure.relay?.(callOf('relay', settings, requestedModel, { query }), path);
  return `${address?.origin}${address?.path}`;
};

const directSettings = (api_version: string | undefined, extra: AzureSettings = {}): AzureSettings => ({
  resource_name: 'r1',
  deployment_id: 'd1',
  ...(api_version === undefined ? {} : { api_version }),
  ...extra,
});
const host = 'https://r1.openai.azure.com/openai';

describe('the upstream URL', () => {
  const base = 'https://r1.openai.azure.us/openai';
  it.each<readonly [string, AzureSettings, string, string]>([
    ['a dated version', directSettings('2024-10-21'), '', `${host}/deployments/d1/chat/completions?api-version=2024-10-21`],
    ['v1', directSettings('v1'), '', `${host}/v1/chat/completions`],
    ['latest', directSettings(' Latest '), '', `${host}/v1/chat/completions`],
    ['preview', directSettings('preview'), '', `${host}/v1/chat/completions?api-version=preview`],
    ['no version', directSettings(undefined), '', `${host}/v1/chat/completions`],
    [
      'no version and one in the query of the client',
      directSettings(undefined),
      'a=1&api-version=2024-06-01',
      `${host}/deployments/d1/chat/completions?a=1&api-version=2024-06-01`,
    ],
    [
      'a version that differs from that of the client',
      directSettings('2024-10-21'),
      'api-version=2023-05-15',
      `${host}/deployments/d1/chat/completions?api-version=2024-10-21`,
    ],
    ['v1 and a version in the query of the client', directSettings('v1'), 'api-version=2023-05-15', `${host}/v1/chat/completions`],
    [
      'a government host',
      { deployment_id: 'd1', api_version: '2024-10-21', custom_host: `${base}/deployments/x/chat/completions?api-version=1` },
      '',
      `${base}/deployments/d1/chat/completions?api-version=2024-10-21`,
    ],
    [
      'a host with its own prefix',
      { deployment_id: 'd1', api_version: '2024-10-21', custom_host: 'https://apim.example/team/openai/' },
      '',
      'https://apim.example/team/openai/deployments/d1/chat/completions?api-version=2024-10-21',
    ],
    [
      'a host without /openai in its path',
      { deployment_id: 'd1', api_version: '2024-10-21', custom_host: 'https://apim.example/team' },
      '',
      'https://apim.example/team/deployments/d1/chat/completions?api-version=2024-10-21',
    ],
    [
      'a v1 host with a dated version',
      { deployment_id: 'd1', api_version: '2024-10-21', custom_host: `${base}/v1` },
      '',
      `${base}/v1/chat/completions`,
    ],
    [
      'a version in custom_host',
      { deployment_id: 'd1', custom_host: `${base}?api-version=2024-02-01` },
      '',
      `${base}/deployments/d1/chat/completions?api-version=2024-02-01`,
    ],
    [
      'a URL as resource_name',
      { deployment_id: 'd1', api_version: 'v1', resource_name: 'https://r9.cognitiveservices.azure.com/' },
      '',
      'https://r9.cognitiveservices.azure.com/openai/v1/chat/completions',
    ],
    [
      'a deployment with special characters',
      directSettings('2024-10-21', { deployment_id: 'a/..b.c ü' }),
      '',
      `${host}/deployments/a%2F..b.c%20%C3%BC/chat/completions?api-version=2024-10-21`,
    ],
  ])('is correct with %s', (_name, settings, query, url) => {
    expect(send('chat/completions', settings, 'gpt-4o', '{}', { query }).url).toBe(url);
  });

  it.each<readonly [Endpoint, string, string]>([
    ['completions', '/deployments/d1/completions', '/v1/completions'],
    ['embeddings', '/deployments/d1/embeddings', '/v1/embeddings'],
    ['images/generations', '/deployments/d1/images/generations', '/v1/images/generations'],
    ['responses', '/responses', '/v1/responses'],
    ['responses/{id}', '/responses/x1', '/v1/responses/x1'],
    ['responses/{id}/cancel', '/responses/x1/cancel', '/v1/responses/x1/cancel'],
    ['responses/{id}/input_items', '/responses/x1/input_items', '/v1/responses/x1/input_items'],
    ['models', '/models', '/v1/models'],
    ['images/edits', '/deployments/d1/images/edits', '/v1/images/edits'],
    ['audio/speech', '/deployments/d1/audio/speech', '/v1/audio/speech'],
    ['audio/transcriptions', '/deployments/d1/audio/transcriptions', '/v1/audio/transcriptions'],
    ['audio/translations', '/deployments/d1/audio/translations', '/v1/audio/translations'],
    ['files', '/files', '/v1/files'],
    ['files/list', '/files', '/v1/files'],
    ['files/{id}', '/files/x1', '/v1/files/x1'],
    ['files/{id}/content', '/files/x1/content', '/v1/files/x1/content'],
    ['files/{id}/delete', '/files/x1', '/v1/files/x1'],
    ['batches', '/batches', '/v1/batches'],
    ['batches/list', '/batches', '/v1/batches'],
    ['batches/{id}', '/batches/x1', '/v1/batches/x1'],
    ['batches/{id}/cancel', '/batches/x1/cancel', '/v1/batches/x1/cancel'],
    ['batches/{id}/output', '/batches/x1', '/v1/batches/x1'],
    ['fine_tuning/jobs', '/fine_tuning/jobs', '/v1/fine_tuning/jobs'],
    ['fine_tuning/jobs/list', '/fine_tuning/jobs', '/v1/fine_tuning/jobs'],
    ['fine_tuning/jobs/{id}', '/fine_tuning/jobs/x1', '/v1/fine_tuning/jobs/x1'],
    ['fine_tuning/jobs/{id}/cancel', '/fine_tuning/jobs/x1/cancel', '/v1/fine_tuning/jobs/x1/cancel'],
    ['fine_tuning/jobs/{id}/events', '/fine_tuning/jobs/x1/events', '/v1/fine_tuning/jobs/x1/events'],
    ['fine_tuning/jobs/{id}/checkpoints', '/fine_tuning/jobs/x1/checkpoints', '/v1/fine_tuning/jobs/x1/checkpoints'],
  ])('of %s contains the deployment only where the service requires it', (endpoint, dated, v1) => {
    expect(send(endpoint, directSettings('2025-04-01-preview'), '').url).toBe(`${host}${dated}?api-version=2025-04-01-preview`);
    expect(send(endpoint, directSettings('v1'), '').url).toBe(`${host}${v1}`);
  });

  it.each([
    ['/v1/files/f1/content', '/files/f1/content', '/v1/files/f1/content'],
    ['/v1/batches', '/batches', '/v1/batches'],
    ['/v1/batches/b1/cancel', '/batches/b1/cancel', '/v1/batches/b1/cancel'],
    ['/v1/fine_tuning/jobs/j1/checkpoints', '/fine_tuning/jobs/j1/checkpoints', '/v1/fine_tuning/jobs/j1/checkpoints'],
    ['/v1/images/edits', '/deployments/d1/images/edits', '/v1/images/edits'],
    ['/v1/audio/speech', '/deployments/d1/audio/speech', '/v1/audio/speech'],
    ['/v1/audio/transcriptions', '/deployments/d1/audio/transcriptions', '/v1/audio/transcriptions'],
    ['/v1/vector_stores', '/vector_stores', '/v1/vector_stores'],
  ])('of the relayed path %s follows the same table', (path, dated, v1) => {
    expect(relay(directSettings('2024-10-21'), '', path, 'limit=2')).toBe(`${host}${dated}?limit=2&api-version=2024-10-21`);
    expect(relay(directSettings('v1'), '', path, 'limit=2')).toBe(`${host}${v1}?limit=2`);
  });

  it('of a realtime socket names the deployment and contains no API key', () => {
    expect(relay(directSettings('v1'), '', '/v1/realtime', 'model=%40s%2Fx&api-key=k')).toBe(`${host}/v1/realtime?model=d1`);
    expect(relay(directSettings('2025-04-01-preview'), '', '/v1/realtime', 'model=x')).toBe(
      `${host}/realtime?api-version=2025-04-01-preview&deployment=d1`,
    );
  });

  it('throws without a deployment if the path requires one', () => {
    expect(() => relay({ resource_name: 'r1', api_version: '2024-10-21' }, '', '/v1/audio/speech')).toThrow(/names none/);
  });
});

describe('the deployment catalog', () => {
  it.each([
    ['chat-fast', `${host}/deployments/d-4o/chat/completions?api-version=2024-10-21`, 'd-4o', 'gpt-4o', undefined],
    ['next', `${host}/v1/chat/completions`, 'd/5', 'gpt-5', undefined],
    ['preview', `${host}/v1/chat/completions?api-version=preview`, 'dp', 'gpt-5', undefined],
    [
      'image',
      'https://r2.openai.azure.com/openai/deployments/img1/chat/completions?api-version=2024-02-01',
      'img1',
      'dall-e-3',
      'sk-image',
    ],
  ])('resolves alias %s', (alias, url, model, foundationModel, apiKey) => {
    expect(send('chat/completions', catalog, alias, '{"model":"x"}').url).toBe(url);
    expect(azure.entry.deployment?.(catalog, alias)).toMatchObject({ model, foundationModel, ...(apiKey === undefined ? {} : { apiKey }) });
  });

  it('lists the known aliases in the error for an unknown one', () => {
    const deployment = azure.entry.deployment?.(catalog, 'chat-fats');
    expect(deployment).toBeInstanceOf(GatewayError);
    expect(deployment).toMatchObject({
      code: 'model_not_found',
      status: 404,
      param: 'model',
      hint: 'Did you mean "chat-fast"? Deployments: chat-fast, next, preview, image.',
    });
  });

  it('resolves unknown names to the default deployment, then to the deployment_id of the provider', () => {
    const withDefault: AzureSettings = { ...catalog, deployments: { ...catalog.deployments, any: { deployment_id: 'd0', default: true } } };
    expect(azure.entry.deployment?.(withDefault, 'whatever')).toMatchObject({ model: 'd0' });
    expect(azure.entry.deployment?.({ ...catalog, deployment_id: 'd9', model_name: 'gpt-9' } as AzureSettings, 'whatever')).toMatchObject({
      model: 'd9',
      foundationModel: 'gpt-9',
    });
  });

  it('uses the model as the deployment id if no deployments are listed', () => {
    expect(azure.entry.deployment?.({ resource_name: 'r1' } as AzureSettings, 'd-any')).toMatchObject({ model: 'd-any' });
  });

  it('uses the custom host of a request, except for deployments with their own host', () => {
    const settings: AzureSettings = { ...catalog, custom_host: 'https://apim.example/team/openai' };
    const callForAlias = (alias: string) => ({ ...callOf('chat/completions', catalog, alias), settings });
    const url = (alias: string) => {
      const { request } = begin(azure, callForAlias(alias), JsonBody.of({ model: alias }));
      return request.origin + request.path;
    };
    expect(url('chat-fast')).toBe('https://apim.example/team/openai/deployments/d-4o/chat/completions?api-version=2024-10-21');
    expect(url('image')).toMatch(/^https:\/\/r2\.openai\.azure\.com\/openai\/deployments\/img1\//);
  });

  it('lists its aliases as models', () => {
    expect(azure.entry.models?.(catalog)).toContainEqual({ id: 'chat-fast', foundationModel: 'gpt-4o' });
    expect(azure.entry.models?.(directSettings('v1'))).toEqual([]);
  });

  it('uses the API version that all deployments share for routes without a model', () => {
    const dated: AzureSettings = {
      resource_name: 'r1',
      deployments: { a: { deployment_id: 'a', api_version: '2024-10-21' }, b: { deployment_id: 'b', api_version: '2024-10-21' } },
    };
    expect(relay(dated, '', '/v1/files')).toBe(`${host}/files?api-version=2024-10-21`);
    expect(relay(catalog, '', '/v1/files')).toBe(`${host}/v1/files`);
  });
});

describe('the body sent upstream', () => {
  it.each<readonly [string, AzureSettings, string, Endpoint, string, string]>([
    [
      'the deployment id for an alias',
      catalog,
      'chat-fast',
      'chat/completions',
      '{"model":"@team/chat-fast","n":1}',
      '{"model":"d-4o","n":1}',
    ],
    [
      'the deployment id for an alias without slug',
      catalog,
      'chat-fast',
      'chat/completions',
      '{"model":"chat-fast","n":1.0}',
      '{"model":"d-4o","n":1.0}',
    ],
    [
      'an unchanged model if the path names the deployment',
      directSettings('2024-10-21'),
      'gpt-4o',
      'chat/completions',
      '{ "model": "gpt-4o" }',
      '{ "model": "gpt-4o" }',
    ],
    [
      'no slug even if the path names the deployment',
      directSettings('2024-10-21'),
      'gpt-4o',
      'chat/completions',
      '{"model":"@s/gpt-4o"}',
      '{"model":"d1"}',
    ],
    ['no added model if the path names the deployment', catalog, 'chat-fast', 'chat/completions', '{ "n":1 }', '{ "n":1 }'],
    ['the deployment id on v1', directSettings('v1'), 'gpt-4o', 'chat/completions', '{"model":"gpt-4o"}', '{"model":"d1"}'],
    ['an unchanged deployment id on v1', directSettings('v1'), 'd1', 'chat/completions', '{ "model":"d1" }', '{ "model":"d1" }'],
    [
      'the deployment id on a route without deployment in its path',
      directSettings('2025-04-01-preview'),
      'gpt-4o',
      'responses',
      '{"model":"gpt-4o"}',
      '{"model":"d1"}',
    ],
    [
      'the endpoint without /v1 for a batch of a dated version',
      directSettings('2024-10-21'),
      '',
      'batches',
      '{"endpoint":"/v1/responses"}',
      '{"endpoint":"/responses"}',
    ],
    [
      'an unchanged endpoint for a batch on v1',
      directSettings('v1'),
      '',
      'batches',
      '{ "endpoint":"/v1/responses" }',
      '{ "endpoint":"/v1/responses" }',
    ],
  ])('contains %s', (_name, settings, requestedModel, ...[endpoint, text, sent]) => {
    expect(send(endpoint, settings, requestedModel, text).text).toBe(sent);
  });
});

describe('the model of a fine-tuning job', () => {
  it.each(['gpt-4o-mini', '@team/gpt-4o-mini'])('is sent as a base model, not as a deployment id: %s', (baseModel) => {
    const { text } = send('fine_tuning/jobs', catalog, '', JSON.stringify({ model: baseModel }), { model: 'gpt-4o-mini' });
    expect(text).toBe('{"model":"gpt-4o-mini"}');
  });
});

describe('entry.credential', () => {
  it('returns the key in the api-key header, or the AD token as bearer token', () => {
    expect(azure.entry.credential({}, 'k-1')).toEqual({ scheme: 'header', name: 'api-key', secret: 'k-1' });
    expect(azure.entry.credential({ ad_token: 'Bearer t-1' } as AzureSettings, 'k-1')).toEqual({ scheme: 'bearer', secret: 't-1' });
  });

  it.each([
    ['the custom host', { custom_host: 'https://r1.openai.azure.us/openai' }, 'cognitiveservices.azure.us'],
    ['the project in the custom host', { custom_host: 'https://r1.services.ai.azure.com/api/projects/p/openai/v1' }, 'ai.azure.com'],
    [
      'the first deployment',
      { deployments: { a: { target_uri: 'https://r1.openai.azure.cn/openai/deployments/d/chat/completions' } } },
      'cognitiveservices.azure.cn',
    ],
  ])('takes the token audience from %s', (_, settings, audience) => {
    const spec = azure.entry.credential({ ...settings, auth: { mode: 'managed_identity' } }, undefined);
    expect(spec).toMatchObject({ scheme: 'oauth2', grant: { kind: 'instance-identity', resource: `https://${audience}` } });
  });
});

describe('fault', () => {
  it.each([
    [
      400,
      '{"error":{"message":"filtered","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}',
      {
        message: 'filtered',
        type: 'invalid_request_error',
        param: 'prompt',
        code: 'content_filter',
        extra: { status: 400, innererror: { code: 'ResponsibleAIPolicyViolation' } },
      },
    ],
    [
      401,
      '{"statusCode":401,"message":"Unauthorized."}',
      { message: 'Unauthorized.', type: 'authentication_error', param: null, code: null },
    ],
    [
      401,
      '{"error":{"code":401,"message":"Access denied"}}',
      { message: 'Access denied', type: 'authentication_error', param: null, code: '401' },
    ],
    [
      404,
      '{"error":{"code":"DeploymentNotFound","message":"none"}}',
      { message: 'none', type: 'not_found_error', param: null, code: 'DeploymentNotFound' },
    ],
    [
      409,
      '{"error":{"code":"conflict","message":"x","target":"file"}}',
      { message: 'x', type: null, param: 'file', code: 'conflict', extra: { target: 'file' } },
    ],
    [429, '{"error":{"code":"429","message":"slow"}}', { message: 'slow', type: 'rate_limit_error', param: null, code: '429' }],
    [503, '<html>Service Unavailable</html>', { message: 'Service Unavailable', type: 'api_error', param: null, code: null }],
  ])('normalizes an error body with status %d: %s', (status, body, fault) => {
    expect(azure.fault(status, body)).toEqual(fault);
  });
});
