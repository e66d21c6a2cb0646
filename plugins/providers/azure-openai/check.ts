import type { SettingsProblem } from '#core/provider.ts';
import { azureCheck, noDeploymentId, type Rows } from '../_azure/check.ts';
import { entryUri } from '../_azure/entries.ts';
import { apiVersionOf, azureOpenai } from './entries.ts';
import type { AzureSettings } from './settings.ts';
import { parseTargetUri } from './target-uri.ts';

export const check = azureCheck(azureOpenai, {
  resource: { missing: 'Write the first label of the host, for example resource_name: contoso-eu.', exampleLabel: 'contoso-eu' },
  addresses: { custom_host: 'bad-custom-host' },
  addressExample: 'https://contoso.openai.azure.us/openai',
  versionHint: 'Write a date like 2024-10-21 or 2025-04-01-preview, or v1, latest, preview.',
  /** The path after the first `/openai` is removed, which the operator should know. */
  address(key, { hasMore: more, origin, path }) {
    if (!more) return [];
    const message = `the path of ${key} after the first /openai is not used`;
    return [{ path: [key], code: 'bad-custom-host', message, hint: `Write ${origin}${path}.`, severity: 'warning' }];
  },
  entry: missingVersion,
  row({ target_uri: pasted, deployment_id: id }, uri, path) {
    const uriDeployment = pasted === undefined ? undefined : uri?.deployment;
    if (id === undefined && uriDeployment === undefined) {
      const hint =
        pasted === undefined
          ? 'Write deployment_id, or paste the target URI.'
          : 'The target URI names no deployment; write deployment_id next to it.';
      return [noDeploymentId(path, hint)];
    }
    if (uriDeployment === undefined || id === undefined || uriDeployment === id) return [];
    const message = `target_uri names "${uriDeployment}", deployment_id "${id}"`;
    const hint = 'deployment_id is used; remove one of them.';
    return [{ path: [...path, 'deployment_id'], code: 'conflict', message, hint, severity: 'warning' }];
  },
});

/** Without a configured version each client chooses one, and the address depends on it. */
function missingVersion(settings: AzureSettings, rows: Rows): readonly SettingsProblem[] {
  const base = entryUri(azureOpenai, settings);
  const lacksVersion = typeof base === 'object' && apiVersionOf(settings.api_version ?? base.apiVersion, base.isV1) === undefined;
  const rowsWithoutVersion = rows.filter(([, row]) => {
    const uri = row.target_uri === undefined ? undefined : parseTargetUri(row.target_uri);
    if (typeof uri === 'string' || row.api_version !== undefined || settings.api_version !== undefined) return false;
    return uri === undefined ? lacksVersion : apiVersionOf(uri.apiVersion, uri.isV1) === undefined;
  });
  if (rows.length === 0 ? !lacksVersion : rowsWithoutVersion.length === 0) return [];
  const which =
    rowsWithoutVersion.length === 0 || rowsWithoutVersion.length === rows.length
      ? ''
      : ` for the deployment "${rowsWithoutVersion[0]?.[0] ?? ''}"`;
  const message = `api_version is not set${which}: each client chooses the version with its api-version, and without one the gateway uses the v1 address`;
  const hint = 'Write api_version: v1, or a date like 2024-10-21 for the dated address.';
  return [{ path: ['api_version'], code: 'missing-key', message, hint, severity: 'warning' }];
}
