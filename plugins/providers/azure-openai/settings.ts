import type { JsonSchema } from '#core/json/schema.ts';
import type { RequestSetting } from '#core/provider.ts';
import { azureAuthProperties, azureAuthRequestSettings, type AzureAuthSettings } from '../_azure/request-auth.ts';

/** One row of `deployments`, by alias. */
export interface DeploymentSettings {
  readonly deployment_id?: string;
  readonly api_version?: string;
  /** For prices and parameter rules; never sent. */
  readonly foundation_model?: string;
  /** A pasted address that fills in what the other keys leave open. */
  readonly target_uri?: string;
  readonly api_key?: string;
  /** Serves every model name that is not an alias. */
  readonly default?: boolean;
}

export interface AzureSettings extends AzureAuthSettings {
  readonly resource_name?: string;
  readonly deployments?: Readonly<Record<string, DeploymentSettings>>;
  readonly deployment_id?: string;
  readonly api_version?: string;
  readonly model_name?: string;
}

const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const;

const apiVersion = text('A date like 2024-10-21 or 2025-04-01-preview, or v1, latest, preview.');

const deployment = {
  type: 'object',
  additionalProperties: false,
  properties: {
    deployment_id: text('Name of the deployment.'),
    api_version: apiVersion,
    foundation_model: text('Model of the deployment: for cost and metrics, never sent.'),
    target_uri: text('Target URI from the portal; fills in settings that are not set otherwise.'),
    api_key: { ...text('Key of this deployment, if it has its own.'), writeOnly: true },
    default: { type: 'boolean', description: 'Serves every model name that is not an alias.' },
  },
} as const;

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    resource_name: text('Name of the resource: the first label of its host, not a URL.'),
    deployments: { type: 'object', additionalProperties: deployment, description: 'Deployments by alias: the name clients use as model.' },
    deployment_id: text('Deployment for every model name that is not an alias.'),
    api_version: apiVersion,
    model_name: text('Model of `deployment_id`: for cost and metrics, never sent.'),
    ...azureAuthProperties,
  },
};

/** Direct use without the catalog: neutral names first, the real ones as aliases. */
export const requestSettings: readonly RequestSetting[] = [
  row('resource_name', 'resource-name', true),
  { ...row('deployment_id', 'deployment-id', false), choosesPart: true, namesModel: true },
  { ...row('api_version', 'api-version', false), choosesPart: true },
  row('model_name', 'model-name', false),
  ...azureAuthRequestSettings,
];

function row(setting: string, tail: string, shapesHost: boolean): RequestSetting {
  return { setting, headers: [`cloud-${tail}`, `azure-${tail}`], keys: [setting, `cloud_${setting}`, `azure_${setting}`], shapesHost };
}
