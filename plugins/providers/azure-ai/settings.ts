import type { JsonSchema } from '#core/json/schema.ts';
import type { RequestSetting } from '#core/provider.ts';
import { azureAuthProperties, azureAuthRequestSettings, type AzureAuthSettings } from '../_azure/request-auth.ts';
import { type Format, formats } from './foundry-uri.ts';

/** One row of `deployments`, by alias. */
export interface DeploymentSettings {
  readonly deployment_id?: string;
  readonly api_version?: string;
  /** For prices, and to know Anthropic's models; never sent. */
  readonly foundation_model?: string;
  /** A pasted address that fills in what the other keys leave open. */
  readonly target_uri?: string;
  readonly format?: Format;
  readonly api_key?: string;
  /** Serves every model name that is not an alias. */
  readonly default?: boolean;
}

export interface FoundrySettings extends AzureAuthSettings {
  readonly resource_name?: string;
  readonly foundry_url?: string;
  readonly endpoint_name?: string;
  readonly deployments?: Readonly<Record<string, DeploymentSettings>>;
  readonly deployment_id?: string;
  readonly api_version?: string;
  readonly model_name?: string;
  readonly format?: Format;
  readonly extra_parameters?: 'error' | 'drop' | 'pass-through';
  readonly key_as?: 'headers' | 'bearer';
  readonly anthropic_version?: string;
  readonly anthropic_beta?: string | readonly string[];
  readonly max_tokens?: number;
}

const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const;

const apiVersion = text('Version of the inference route, a date like 2024-05-01-preview; preview for the OpenAI format.');

const format = {
  enum: formats,
  description: 'API format: inference (the /models route), openai (/openai/v1) or messages (/anthropic).',
} as const;

const feature = { type: 'string', pattern: '^[ -~]+$' } as const;

const deployment = {
  type: 'object',
  additionalProperties: false,
  properties: {
    deployment_id: text('Name of the deployment.'),
    api_version: apiVersion,
    foundation_model: text('Model of the deployment: for cost and metrics, and to recognize Anthropic models. Never sent.'),
    target_uri: text('Target URI from the portal; fills in settings that are not set otherwise.'),
    format: { ...format, description: `${format.description} Default: derived from the address or the foundation model.` },
    api_key: { ...text('Key of this deployment, if it has its own.'), writeOnly: true },
    default: { type: 'boolean', description: 'Serves every model name that is not an alias.' },
  },
} as const;

/** What the service does about body fields that it doesn't know when nobody says. */
export const defaultExtraParameters = 'drop';

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    resource_name: text('Name of the resource: the first label of its host, not a URL.'),
    foundry_url: text('Address of the resource, its project, a serverless model or a managed endpoint, as the portal shows it.'),
    endpoint_name: text('Deployment on a managed endpoint, sent as azureml-model-deployment.'),
    deployments: { type: 'object', additionalProperties: deployment, description: 'Deployments by alias: the name clients use as model.' },
    deployment_id: text('Deployment for every model name that is not an alias.'),
    api_version: apiVersion,
    model_name: text('Model of `deployment_id`: for cost and metrics, never sent.'),
    format,
    extra_parameters: {
      enum: ['error', 'drop', 'pass-through'],
      default: defaultExtraParameters,
      description: 'What the inference route does with body fields that the model does not support, sent as extra-parameters.',
    },
    key_as: {
      enum: ['headers', 'bearer'],
      default: 'headers',
      description: 'How the key is sent: in the key header of each format, or only as bearer token.',
    },
    anthropic_version: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      default: '2023-06-01',
      description: "Version of the messages API. A client's own header wins.",
    },
    anthropic_beta: {
      anyOf: [feature, { type: 'array', items: feature }],
      description: "Beta features for every messages request, together with the client's own.",
    },
    max_tokens: {
      type: 'integer',
      minimum: 1,
      default: 4096,
      description: 'max_tokens for chat completions to Anthropic models that do not set it: their API requires one.',
    },
    ...azureAuthProperties,
  },
};

/** Direct use without the catalog: the names of the cloud, and the neutral ones. */
export const requestSettings: readonly RequestSetting[] = [
  row('foundry_url', 'foundry-url', true),
  row('resource_name', 'resource-name', true),
  { ...row('endpoint_name', 'endpoint-name', false), choosesPart: true, namesModel: true },
  { ...row('deployment_id', 'deployment-id', false), choosesPart: true, namesModel: true },
  { ...row('api_version', 'api-version', false), choosesPart: true },
  row('model_name', 'model-name', false),
  { ...row('format', 'model-format', false), choosesPart: true },
  row('extra_parameters', 'extra-params', false),
  {
    setting: 'anthropic_version',
    headers: ['anthropic-version'],
    keys: ['anthropic_version'],
    shapesHost: false,
  },
  {
    setting: 'anthropic_beta',
    headers: ['vendor-beta', 'anthropic-beta'],
    keys: ['vendor_beta', 'anthropic_beta'],
    shapesHost: false,
  },
  ...azureAuthRequestSettings,
];

function row(setting: string, tail: string, shapesHost: boolean): RequestSetting {
  const key = tail.replaceAll('-', '_');
  const keys = [...new Set([setting, `azure_${key}`, `cloud_${key}`])];
  // The cloud's own spelling of the deployment's name is as old as the route.
  const more = setting === 'endpoint_name' ? ['azure-deployment-name', 'cloud-deployment-name'] : [];
  return { setting, headers: [`cloud-${tail}`, `azure-${tail}`, ...more], keys, shapesHost };
}
