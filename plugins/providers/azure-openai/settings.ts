import type { RequestSetting } from '#core/provider.ts';
import { azureAuthRequestSettings } from '../_azure/request-auth.ts';
import { type AzureEntrySettings, azureSchema, requestSetting } from '../_azure/settings.ts';
import { text } from '../_shared/settings-schema.ts';

export type AzureSettings = AzureEntrySettings;

export const schema = azureSchema({
  apiVersion: text('A date like 2024-10-21 or 2025-04-01-preview, or v1, latest, preview.'),
  foundationModel: 'Model of the deployment: for cost and metrics, never sent.',
});

/** Settings that a request can set without a provider in the configuration. */
export const requestSettings: readonly RequestSetting[] = [
  requestSetting('resource_name', { shapesHost: true }),
  requestSetting('deployment_id', { choosesPart: true, namesModel: true }),
  requestSetting('api_version', { choosesPart: true }),
  requestSetting('model_name'),
  ...azureAuthRequestSettings,
];
