import type { JsonSchema } from '#core/json/schema.ts';
import type { RequestSetting } from '#core/provider.ts';
import { text } from '../_shared/settings-schema.ts';
import { azureAuthProperties, type AzureAuthSettings } from './request-auth.ts';

/** One row of `deployments`, by alias. */
export interface AzureDeploymentSettings {
  readonly deployment_id?: string;
  readonly api_version?: string;
  /** For prices and parameter rules; never sent upstream. */
  readonly foundation_model?: string;
  /** A pasted address. Supplies the values of keys that are not set. */
  readonly target_uri?: string;
  readonly api_key?: string;
  /** Serves every model name that is not an alias. */
  readonly default?: boolean;
}

export interface AzureEntrySettings extends AzureAuthSettings {
  readonly resource_name?: string;
  readonly deployments?: Readonly<Record<string, AzureDeploymentSettings>>;
  readonly deployment_id?: string;
  readonly api_version?: string;
  readonly model_name?: string;
}

/** A row in the type that the provider's settings declare. */
export type DeploymentRow<Settings extends AzureEntrySettings> = NonNullable<Settings['deployments']>[string];

/** The parts of the schema that differ between the types. */
interface SchemaParts {
  readonly apiVersion: JsonSchema;
  readonly foundationModel: string;
  /** Inserted after `resource_name`. */
  readonly address?: Readonly<Record<string, JsonSchema>>;
  /** Inserted after `target_uri` of a deployment. */
  readonly deployment?: Readonly<Record<string, JsonSchema>>;
  /** Inserted before the authentication settings. */
  readonly more?: Readonly<Record<string, JsonSchema>>;
}

export const azureSchema = ({ apiVersion, foundationModel, address, deployment, more }: SchemaParts): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties: {
    resource_name: text('Name of the resource: the first label of its host, not a URL.'),
    ...address,
    deployments: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          deployment_id: text('Name of the deployment.'),
          api_version: apiVersion,
          foundation_model: text(foundationModel),
          target_uri: text('Target URI from the portal; fills in settings that are not set otherwise.'),
          ...deployment,
          api_key: { ...text('Key of this deployment, if it has its own.'), writeOnly: true },
          default: { type: 'boolean', description: 'Serves every model name that is not an alias.' },
        },
      },
      description: 'Deployments by alias: the name clients use as model.',
    },
    deployment_id: text('Deployment for every model name that is not an alias.'),
    api_version: apiVersion,
    model_name: text('Model of `deployment_id`: for cost and metrics, never sent.'),
    ...more,
    ...azureAuthProperties,
  },
});

/** Returns a setting that requests can send. Neutral header names come first, the Azure names are aliases. */
export function requestSetting(
  setting: string,
  overrides: Partial<RequestSetting> = {},
  nameSuffix = setting.replaceAll('_', '-'),
): RequestSetting {
  const key = nameSuffix.replaceAll('-', '_');
  return {
    setting,
    headers: [`cloud-${nameSuffix}`, `azure-${nameSuffix}`],
    keys: [...new Set([setting, `cloud_${key}`, `azure_${key}`])],
    shapesHost: false,
    ...overrides,
  };
}
