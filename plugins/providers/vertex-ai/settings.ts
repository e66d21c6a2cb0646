import type { JsonSchema } from '#core/json/schema.ts';
import type { CommonSettings, RequestSetting } from '#core/provider.ts';
import { conversionProperties, type GeminiConversion } from '../_google/operations.ts';
import { text } from '../_shared/settings-schema.ts';

export interface VertexSettings extends CommonSettings, GeminiConversion {
  readonly region?: string;
  readonly project?: string;
  /** JSON text of a service account's key; its `token_uri` is used as written. */
  readonly service_account?: string;
  /** The same, sent with a request; its `token_uri` is ignored. */
  readonly service_account_json?: string;
  readonly ambient?: boolean;
  readonly credentials_file?: string;
  readonly express?: boolean;
  readonly api_version?: string;
  readonly quota_project?: string;
  readonly storage_bucket?: string;
  /** Base URL of object storage; only the operator may set it. */
  readonly storage_host?: string;
  /** Buckets, in addition to `storage_bucket`, that the operator's credential may access. */
  readonly media?: { readonly buckets?: readonly string[] };
  readonly endpoint_format?: 'chat' | 'generateContent';
  readonly anthropic_version?: string;
}

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    region: text('Location of the models: global, us, eu, or a region like europe-west1.'),
    project: text('Project id. Default: the project of the service account.'),
    service_account: { ...text('Key of a service account: the JSON file as text, for example ${file:…}.'), writeOnly: true },
    service_account_json: { ...text('The same, sent by callers; only for requests.'), writeOnly: true },
    ambient: {
      type: 'boolean',
      writeOnly: true,
      description: "Authenticates with the machine's own identity: metadata server, workload identity, credential files.",
    },
    credentials_file: text('Credential file for ambient. Default: the one that the environment names.'),
    express: { type: 'boolean', description: 'api_key is an API key of express mode: no project, no region.', default: false },
    api_version: text('Version in the path: v1 (the default) or v1beta1.'),
    quota_project: text('Project that pays, sent as x-goog-user-project.'),
    storage_bucket: text('Bucket for files, batches and tuning.'),
    storage_host: text('Base URL of object storage. Default: https://storage.googleapis.com.'),
    media: {
      type: 'object',
      additionalProperties: false,
      description: "What callers may use with the provider's credential.",
      properties: {
        buckets: {
          type: 'array',
          items: { type: 'string', minLength: 1 },
          description:
            'Additional buckets whose files callers may use. If this or storage_bucket is set, the gateway rejects all other buckets.',
        },
      },
    },
    endpoint_format: {
      enum: ['chat', 'generateContent'],
      description: 'API format of models named endpoints.<id>: chat completions, or the format of tuned Gemini models.',
      default: 'chat',
    },
    anthropic_version: text("Version in the bodies for Anthropic's models. Default: vertex-2023-10-16."),
    ...conversionProperties,
  },
};

/** Settings that a request can set without a provider in the configuration. The machine's own identity is not included. */
export const requestSettings: readonly RequestSetting[] = [
  { setting: 'region', headers: ['vertex-region'], keys: ['vertex_region', 'region'], shapesHost: true },
  {
    setting: 'project',
    headers: ['vertex-project-id', 'vertex-project'],
    keys: ['vertex_project_id', 'vertex_project', 'project'],
    shapesHost: true,
  },
  {
    setting: 'service_account_json',
    headers: ['vertex-service-account-json'],
    keys: ['vertex_service_account_json', 'service_account_json'],
    shapesHost: false,
  },
  {
    setting: 'storage_bucket',
    headers: ['vertex-storage-bucket-name'],
    keys: ['vertex_storage_bucket_name', 'storage_bucket'],
    shapesHost: true,
  },
  {
    setting: 'api_version',
    headers: ['vertex-api-version'],
    keys: ['vertex_api_version', 'api_version'],
    shapesHost: false,
    choosesPart: true,
  },
];
