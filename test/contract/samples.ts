import type { Endpoint } from '../../src/core/endpoint.ts';
import type { CommonSettings } from '../../src/core/provider.ts';
import { vendors } from '../../plugins/providers/vendors/index.ts';

/** Example settings of a provider, and the only address that its requests may go to. */
export interface Sample {
  readonly name: string;
  readonly settings: CommonSettings & Readonly<Record<string, unknown>>;
  readonly origin: string;
  /** Prefix of every path. */
  readonly base: string;
  /** Models for routes that not every model supports. */
  readonly models?: { readonly [E in Endpoint]?: string };
  /** The address of files, if it differs. */
  readonly storage?: { readonly origin: string; readonly base: string };
  /** Valid ids of the provider, by the first segment of the route. */
  readonly ids?: Readonly<Record<string, string>>;
}

/** Object storage of Vertex AI, with the names of files, batches and jobs. */
const bucket = {
  storage: { origin: 'https://storage.googleapis.com', base: '/' },
  ids: { files: 'gs://acme-files/gateway/files/a.jsonl', batches: '1234567890', fine_tuning: '1234567890' },
} as const;

/** Image edits need a model that generates images in a chat. */
const imageModel = { 'images/edits': 'gemini-2.5-flash-image' } as const;

/** Only models of Anthropic support the Messages API. */
const claude = { messages: 'anthropic.claude-1', 'messages/count_tokens': 'vendorA.claude-1@20250101', ...imageModel } as const;

/** Each row with its default host and with a custom host. */
const rows = Object.fromEntries(
  vendors.map(({ type, host }): [string, readonly Sample[]] => {
    const { origin, pathname } = new URL(host);
    const custom = {
      name: 'custom host',
      settings: { custom_host: 'http://127.0.0.1:9000/team/v1' },
      origin: 'http://127.0.0.1:9000',
      base: '/team/v1/',
    };
    return [type, [{ name: 'default host', settings: {}, origin, base: `${pathname}/` }, custom]];
  }),
);

/** By provider type. The contract suite fails for a provider without a sample. */
export const samples: Readonly<Record<string, readonly Sample[]>> = {
  mock: [{ name: 'as it is', settings: {}, origin: 'https://mock.invalid', base: '/v1/' }],
  openai: [
    { name: 'default host', settings: { organization: 'org-1' }, origin: 'https://api.openai.com', base: '/v1/' },
    {
      name: 'custom host',
      settings: { custom_host: 'http://127.0.0.1:11434/team/v1/' },
      origin: 'http://127.0.0.1:11434',
      base: '/team/v1/',
    },
  ],
  anthropic: [
    { name: 'default host', settings: { version: '2023-06-01', beta: ['a-1'] }, origin: 'https://api.anthropic.com', base: '/v1/' },
    { name: 'custom host', settings: { custom_host: 'http://127.0.0.1:9000/team/v1' }, origin: 'http://127.0.0.1:9000', base: '/team/v1/' },
  ],
  'vertex-ai': [
    {
      name: 'region',
      settings: { region: 'europe-west1', project: 'acme-ml', storage_bucket: 'acme-files' },
      origin: 'https://europe-west1-aiplatform.googleapis.com',
      base: '/v1/projects/acme-ml/locations/europe-west1/',
      models: claude,
      ...bucket,
    },
    {
      name: 'multi-region',
      settings: { region: 'eu', project: 'example.com:acme', api_version: 'v1beta1', storage_bucket: 'acme-files' },
      origin: 'https://aiplatform.eu.rep.googleapis.com',
      base: '/v1beta1/projects/example.com%3Aacme/locations/eu/',
      models: claude,
      ...bucket,
    },
    {
      name: 'custom host',
      settings: { region: 'global', project: '123456', custom_host: 'http://127.0.0.1:9000/team', endpoint_format: 'generateContent' },
      origin: 'http://127.0.0.1:9000',
      base: '/team/v1/projects/123456/locations/global/',
      models: claude,
    },
    { name: 'express', settings: { express: true }, origin: 'https://aiplatform.googleapis.com', base: '/v1/publishers/', models: claude },
  ],
  gemini: [
    {
      name: 'default host',
      settings: {},
      origin: 'https://generativelanguage.googleapis.com',
      base: '/v1beta/models/',
      models: imageModel,
    },
    {
      name: 'custom host',
      settings: { custom_host: 'http://127.0.0.1:9000/team/v1', schemas: 'original' },
      origin: 'http://127.0.0.1:9000',
      base: '/team/v1/models/',
      models: imageModel,
    },
  ],
  'azure-openai': [
    {
      name: 'dated',
      settings: { resource_name: 'r1', api_version: '2024-10-21' },
      origin: 'https://r1.openai.azure.com',
      base: '/openai/',
    },
    { name: 'v1', settings: { resource_name: 'r1', api_version: 'v1' }, origin: 'https://r1.openai.azure.com', base: '/openai/v1/' },
    {
      name: 'catalog with a government host',
      settings: {
        custom_host: 'https://r1.openai.azure.us/openai/deployments/other',
        deployments: { 'model-1': { deployment_id: 'd.1 ü', api_version: '2024-10-21', default: true, api_key: 'sk-own-secret' } },
      },
      origin: 'https://r1.openai.azure.us',
      base: '/openai/',
    },
  ],
  'azure-ai': [
    {
      name: 'a resource with every format',
      settings: {
        resource_name: 'r1',
        deployments: {
          'model-1': { deployment_id: 'd.1 ü', format: 'openai', default: true, api_key: 'sk-own-secret' },
          embed: { deployment_id: 'Cohere-embed', foundation_model: 'cohere-embed-v3' },
          claude: { deployment_id: 'claude-eu', foundation_model: 'claude-sonnet-4-5' },
        },
      },
      origin: 'https://r1.services.ai.azure.com',
      base: '/',
      models: { 'images/embeddings': 'embed', messages: 'claude', 'messages/count_tokens': 'claude' },
    },
    {
      name: 'a project behind a host of its own',
      settings: {
        custom_host: 'http://127.0.0.1:9000/team/api/projects/p1/openai/v1/',
        deployments: {
          'model-1': { deployment_id: 'd1', default: true },
          embed: { deployment_id: 'e1', format: 'inference' },
          claude: { deployment_id: 'c1', format: 'messages' },
        },
      },
      origin: 'http://127.0.0.1:9000',
      base: '/team/',
      models: { 'images/embeddings': 'embed', messages: 'claude', 'messages/count_tokens': 'claude' },
    },
  ],
  bedrock: [
    {
      name: 'a region, a guardrail and profiles',
      settings: {
        region: 'eu-west-1',
        guardrail: { id: 'gr1', version: '1' },
        deployments: {
          claude: { model_id: 'arn:aws:bedrock:eu-west-1:1:application-inference-profile/a', foundation_model: 'anthropic.claude-1' },
        },
      },
      origin: 'https://bedrock-runtime.eu-west-1.amazonaws.com',
      base: '/model/',
      models: { messages: 'claude', 'messages/count_tokens': 'eu.anthropic.claude-1-v1:0', embeddings: 'amazon.titan-embed-text-v2:0' },
      storage: { origin: 'https://bedrock.eu-west-1.amazonaws.com', base: '/foundation-models' },
    },
    {
      name: 'custom host',
      settings: { custom_host: 'http://127.0.0.1:9000/team' },
      origin: 'http://127.0.0.1:9000',
      base: '/team/',
      models: { messages: 'anthropic.claude-1', 'messages/count_tokens': 'anthropic.claude-1', embeddings: 'cohere.embed-v4:0' },
    },
  ],
  ...rows,
};
