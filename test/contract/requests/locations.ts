import { developer, fields, hi, modelsUrl, type RequestRow, userContents } from './row.ts';

const at = (name: string, settings: object, url: string | undefined, more: Partial<RequestRow> = {}): RequestRow =>
  fields(`place: ${name}`, {}, {}, { settings: settings as Record<string, string>, ...(url === undefined ? {} : { url }), ...more });
const tail = 'publishers/google/models/gemini-2.5-flash:generateContent';
const bad = (name: string, settings: object, param: string): RequestRow =>
  at(name, settings, undefined, { refused: ['invalid_config', param] });
const account = JSON.stringify({ type: 'service_account', project_id: 'from-file', client_email: 'a@b', private_key: 'k' });
const modelRow = (model: string, url: string): RequestRow => fields(`model ${model}`, {}, {}, { model, url: `${modelsUrl}/${url}` });
const badModel = (model: string): RequestRow =>
  fields(`model ${JSON.stringify(model)} is rejected`, {}, {}, { model, refused: ['model_not_found', 'model'] });

/** Hosts, paths and model names. */
export const locationRows: readonly RequestRow[] = [
  at(
    'a region',
    { region: 'europe-west4', project: 'p' },
    `https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/${tail}`,
  ),
  at('global', { region: 'global', project: 'p' }, `https://aiplatform.googleapis.com/v1/projects/p/locations/global/${tail}`),
  at('us', { region: 'us', project: 'p' }, `https://aiplatform.us.rep.googleapis.com/v1/projects/p/locations/us/${tail}`),
  at(
    'eu with v1beta1',
    { region: 'eu', project: 'p', api_version: 'v1beta1' },
    `https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/p/locations/eu/${tail}`,
  ),
  at(
    'a custom host',
    { region: 'eu', project: 'p', custom_host: 'http://127.0.0.1:9/x/' },
    `http://127.0.0.1:9/x/v1/projects/p/locations/eu/${tail}`,
  ),
  at(
    'the project of the service account',
    { region: 'eu', service_account: account },
    `https://aiplatform.eu.rep.googleapis.com/v1/projects/from-file/locations/eu/${tail}`,
  ),
  at(
    'an explicit project takes precedence',
    { region: 'eu', project: 'mine', service_account_json: account },
    `https://aiplatform.eu.rep.googleapis.com/v1/projects/mine/locations/eu/${tail}`,
  ),
  at('express mode', { express: true }, `https://aiplatform.googleapis.com/v1/${tail}`),
  at(
    'a quota project',
    { region: 'eu', project: 'p', quota_project: 'q' },
    `https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu/${tail}`,
    { sent: { 'x-goog-user-project': 'q' } },
  ),
  ...[
    'evil.example/',
    'evil.example#',
    'us-central1#',
    'us-central1.evil',
    'US-CENTRAL1',
    'europe',
    '',
    '-a',
    'a-',
    'us-central1\r\nx: y',
    'us-central1@evil.example',
  ].map((region) => bad(`region ${JSON.stringify(region)}`, { region, project: 'p' }, 'region')),
  bad('no region', { project: 'p' }, 'region'),
  bad('no project', { region: 'eu' }, 'project'),
  ...['a/b', '..', 'a?b', 'a#b', 'Ä'].map((project) => bad(`project ${project}`, { region: 'eu', project }, 'project')),
  bad('an invalid API version', { region: 'eu', project: 'p', api_version: 'v1/../x' }, 'api_version'),
  modelRow('google.gemini-2.5-pro', 'publishers/google/models/gemini-2.5-pro:generateContent'),
  modelRow('gemini-2.0-flash-001@default', 'publishers/google/models/gemini-2.0-flash-001@default:generateContent'),
  ...[
    '',
    '..',
    'a/b',
    'a%2Fb',
    'a?b',
    'a#b',
    'a&b',
    'a..b',
    'anthropic.',
    'anthropic.a/b',
    'endpoints.a/b',
    'endpoints.a:b',
    'google.',
    'meta.a/../b',
  ].map(badModel),
  fields(
    'a tuned model',
    {},
    {},
    {
      model: 'endpoints.123',
      settings: { region: 'us-central1', project: 'p1', endpoint_format: 'generateContent' },
      url: `${modelsUrl}/endpoints/123:generateContent`,
    },
  ),
  {
    name: 'a model of another publisher',
    model: 'vendorB.llama-3.3-70b-instruct-maas',
    url: `${modelsUrl}/endpoints/openapi/chat/completions`,
    body: {
      model: '@s/vendorB.llama',
      messages: [{ role: 'developer', content: 'd' }, ...hi],
      top_k: 3,
      labels: { a: 'b' },
      store: true,
      metadata: {},
    },
    upstream: { model: 'meta/llama-3.3-70b-instruct-maas', messages: [{ role: 'system', content: 'd' }, ...hi], top_k: 3 },
    dropped: ['store', 'metadata', 'labels'],
  },
  {
    name: 'a model of another publisher by its own name, streamed',
    model: 'meta.llama-4',
    stream: true,
    url: `${modelsUrl}/endpoints/openapi/chat/completions`,
    body: { messages: hi, stream: true },
    upstream: { model: 'meta/llama-4', messages: hi, stream: true },
  },
  {
    name: 'a model of mistralai',
    model: 'mistralai.codestral-2',
    stream: true,
    url: `${modelsUrl}/publishers/mistralai/models/codestral-2:streamRawPredict`,
    body: { messages: hi, stream: true },
    upstream: { model: 'codestral-2', messages: hi, stream: true },
  },
  {
    name: 'a self-deployed model',
    model: 'endpoints.my-llm-1',
    url: `${modelsUrl}/endpoints/my-llm-1/chat/completions`,
    body: { model: 'x', messages: hi },
    upstream: { model: '', messages: hi },
  },
  {
    name: 'a chat with an Anthropic model',
    model: 'anthropic.claude-sonnet-4-5@20250929',
    url: `${modelsUrl}/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`,
    headers: { 'vendor-beta': 'context-1m-2025-08-07' },
    body: { messages: hi, max_tokens: 5, labels: { a: 'b' } },
    upstream: { anthropic_version: 'vertex-2023-10-16', max_tokens: 5, messages: hi },
    sent: { 'anthropic-beta': 'context-1m-2025-08-07', 'x-vertex-ai-labels': 'eyJhIjoiYiJ9' },
  },
  {
    name: 'a Messages request to an Anthropic model',
    endpoint: 'messages',
    model: 'claude-opus-4-6',
    stream: true,
    url: `${modelsUrl}/publishers/anthropic/models/claude-opus-4-6:streamRawPredict`,
    body: { model: 'claude-opus-4-6', messages: hi, max_tokens: 5, stream: true, odd: 1 },
    upstream: { messages: hi, max_tokens: 5, stream: true, odd: 1, anthropic_version: 'vertex-2023-10-16' },
  },
  {
    name: 'a token count request to an Anthropic model',
    endpoint: 'messages/count_tokens',
    model: 'vendorA.claude-opus-4-6',
    url: `${modelsUrl}/publishers/anthropic/models/count-tokens:rawPredict`,
    body: { model: '@s/vendorA.claude-opus-4-6', messages: hi },
    upstream: { model: 'claude-opus-4-6', messages: hi },
  },
  {
    name: 'with an API key',
    provider: 'gemini',
    settings: {},
    model: 'models/gemini-2.5-flash',
    stream: true,
    url: `${developer}/models/gemini-2.5-flash:streamGenerateContent?alt=sse`,
    body: { messages: hi },
    upstream: { contents: userContents },
  },
];
