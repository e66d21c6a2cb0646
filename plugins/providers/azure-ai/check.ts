import type { SettingsProblem } from '#core/provider.ts';
import { azureCheck, noDeploymentId } from '../_azure/check.ts';
import type { DeploymentRow } from '../_azure/settings.ts';
import { azureAi } from './entries.ts';
import { type FoundryUri, isSingleModelHost } from './foundry-uri.ts';
import type { FoundrySettings } from './settings.ts';

export const check = azureCheck(azureAi, {
  resource: {
    missing: 'Write the first label of the host, for example resource_name: contoso-ai, or the whole address as foundry_url.',
    exampleLabel: 'contoso-ai',
  },
  addresses: { custom_host: 'bad-custom-host', foundry_url: 'bad-url' },
  addressExample: 'https://contoso-ai.services.ai.azure.com',
  versionHint: 'Write a date like 2024-05-01-preview, or leave it out.',
  row(row, uri, path, settings) {
    const found = uri === undefined ? [] : [...formatProblems(settings, row, uri, path)];
    if (row.deployment_id === undefined && (uri === undefined || !isSingleModelHost(uri)))
      found.push(noDeploymentId(path, 'Write deployment_id: addresses of Azure AI Foundry do not contain it.'));
    return found;
  },
});

function formatProblems(
  settings: FoundrySettings,
  row: DeploymentRow<FoundrySettings>,
  uri: FoundryUri,
  path: readonly string[],
): readonly SettingsProblem[] {
  const format = azureAi.apiOf(settings, row, uri, row.target_uri !== undefined, row.api_version);
  const at = [...path, row.format === undefined ? 'foundation_model' : 'format'];
  if (isSingleModelHost(uri) && format !== 'inference') {
    const message = `a host with a single model has only the format inference, not ${format}`;
    return [{ path: at, code: 'conflict', message, hint: 'Use the address of the resource, or another format.' }];
  }
  const version = row.api_version;
  if (version === undefined || format === 'inference' || /^(?:v1|latest|preview)$/i.test(version.trim())) return [];
  const message = `the format ${format} has no dated versions`;
  const hint = format === 'messages' ? 'Remove it.' : 'Remove it; for dated versions use type azure-openai.';
  return [{ path: [...path, 'api_version'], code: 'conflict', message, hint, severity: 'warning' }];
}
