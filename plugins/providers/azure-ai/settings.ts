import type { JsonSchema } from '#core/json/schema.ts';
import type { RequestSetting } from '#core/provider.ts';
import { azureAuthRequestSettings } from '../_azure/request-auth.ts';
import { type AzureDeploymentSettings, type AzureEntrySettings, azureSchema, requestSetting } from '../_azure/settings.ts';
import { text } from '../_shared/settings-schema.ts';
import { type FoundryFormat, foundryFormats } from './foundry-uri.ts';

interface FoundryDeploymentSettings extends AzureDeploymentSettings {
  readonly format?: FoundryFormat;
}

export interface FoundrySettings extends AzureEntrySettings {
  readonly foundry_url?: string;
  readonly endpoint_name?: string;
  readonly deployments?: Readonly<Record<string, FoundryDeploymentSettings>>;
  readonly format?: FoundryFormat;
  readonly extra_parameters?: 'error' | 'drop' | 'pass-through';
  readonly key_as?: 'headers' | 'bearer';
  readonly anthropic_version?: string;
  readonly anthropic_beta?: string | readonly string[];
  readonly max_tokens?: number;
}

const format = {
  enum: foundryFormats,
  description: 'API format: inference (the /models route), openai (/openai/v1) or messages (/anthropic).',
} as const;

const betaFeature = { type: 'string', pattern: '^[ -~]+$' } as const;

/** Default of what the service does with body fields that it does not know. */
export const defaultExtraParameters = 'drop';

export const schema: JsonSchema = azureSchema({
  apiVersion: text('Version of the inference route, a date like 2024-05-01-preview; preview for the OpenAI format.'),
  foundationModel: 'Model of the deployment: for cost and metrics, and to recognize Anthropic models. Never sent.',
  address: {
    foundry_url: text('Address of the resource, its project, a serverless model or a managed endpoint, as the portal shows it.'),
    endpoint_name: text('Deployment on a managed endpoint, sent as azureml-model-deployment.'),
  },
  deployment: {
    format: { ...format, description: `${format.description} Default: derived from the address or the foundation model.` },
  },
  more: {
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
      description: 'Version of the messages API. A header of the client takes precedence.',
    },
    anthropic_beta: {
      anyOf: [betaFeature, { type: 'array', items: betaFeature }],
      description: "Beta features for every messages request, together with the client's own.",
    },
    max_tokens: {
      type: 'integer',
      minimum: 1,
      default: 4096,
      description: 'Default of max_tokens for chat completions to Anthropic models without it, because their API requires a limit.',
    },
  },
});

/** Settings that a request can set without a provider in the configuration. */
export const requestSettings: readonly RequestSetting[] = [
  requestSetting('foundry_url', { shapesHost: true }),
  requestSetting('resource_name', { shapesHost: true }),
  requestSetting('endpoint_name', {
    // Azure's own name for this setting is as old as the route.
    headers: ['cloud-endpoint-name', 'azure-endpoint-name', 'azure-deployment-name', 'cloud-deployment-name'],
    choosesPart: true,
    namesModel: true,
  }),
  requestSetting('deployment_id', { choosesPart: true, namesModel: true }),
  requestSetting('api_version', { choosesPart: true }),
  requestSetting('model_name'),
  requestSetting('format', { choosesPart: true }, 'model-format'),
  requestSetting('extra_parameters', {}, 'extra-params'),
  { setting: 'anthropic_version', headers: ['anthropic-version'], keys: ['anthropic_version'], shapesHost: false },
  { setting: 'anthropic_beta', headers: ['vendor-beta', 'anthropic-beta'], keys: ['vendor_beta', 'anthropic_beta'], shapesHost: false },
  ...azureAuthRequestSettings,
];
