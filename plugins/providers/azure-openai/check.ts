import type { SettingsProblem } from '#core/provider.ts';
import { entryBase } from './places.ts';
import type { AzureSettings, DeploymentSettings } from './settings.ts';
import { azureAuthProblems } from '../_azure/check.ts';
import { parseTargetUri } from '../_azure/target-uri.ts';
import { formOf, isApiVersion } from '../_azure/version.ts';

/** Problems of an entry that the schema can't express. */
export function check(settings: AzureSettings): readonly SettingsProblem[] {
  const rows = Object.entries(settings.deployments ?? {});
  return [
    ...hostProblems(settings, rows),
    ...versionProblems(settings.api_version, ['api_version']),
    ...openVersion(settings, rows),
    ...azureAuthProblems(settings),
    ...defaultProblems(rows),
    ...rows.flatMap(([alias, row]) => deploymentProblems(alias, row)),
  ];
}

type Rows = readonly (readonly [alias: string, row: DeploymentSettings])[];

function hostProblems(settings: AzureSettings, rows: Rows): readonly SettingsProblem[] {
  const found: SettingsProblem[] = [];
  const { custom_host: customHost, resource_name: name } = settings;
  if (customHost !== undefined) found.push(...customHostProblems(customHost));
  if (name !== undefined) {
    const base = entryBase({ resource_name: name });
    if (typeof base === 'string') {
      found.push({
        path: ['resource_name'],
        code: 'bad-url',
        message: `resource_name cannot be used: ${base}`,
        hint: 'Write the first label of the host only, for example contoso-eu.',
      });
    }
  }
  if (name === undefined && customHost === undefined && (rows.length === 0 || rows.some(([, row]) => row.target_uri === undefined))) {
    found.push({
      path: ['resource_name'],
      code: 'missing-key',
      message: 'resource_name is missing',
      hint: 'Write the first label of the host, for example resource_name: contoso-eu.',
    });
  }
  return found;
}

/** Everything behind the first `/openai` is cut off, which the operator should see. */
function customHostProblems(customHost: string): readonly SettingsProblem[] {
  const parsed = parseTargetUri(customHost);
  const at = { path: ['custom_host'], code: 'bad-custom-host' } as const;
  if (typeof parsed === 'string')
    return [{ ...at, message: `custom_host cannot be used: ${parsed}`, hint: 'Write it like https://contoso.openai.azure.us/openai.' }];
  if (!customHost.includes('://')) return [{ ...at, message: 'custom_host has no scheme', hint: `Write ${parsed.origin}${parsed.path}.` }];
  if (!parsed.more) return [];
  return [
    {
      ...at,
      message: 'custom_host ends at the first /openai; the rest is cut off',
      hint: `Write ${parsed.origin}${parsed.path}.`,
      severity: 'warning',
    },
  ];
}

function versionProblems(version: string | undefined, path: readonly string[]): readonly SettingsProblem[] {
  if (version === undefined || isApiVersion(version)) return [];
  return [
    {
      path,
      code: 'out-of-range',
      message: `"${version}" is not an API version`,
      hint: 'Write a date like 2024-10-21 or 2025-04-01-preview, or v1, latest, preview.',
    },
  ];
}

/** Where nothing names a version each client decides it, and the address changes with it. */
function openVersion(settings: AzureSettings, rows: Rows): readonly SettingsProblem[] {
  const base = entryBase(settings);
  const isEntryOpen = base !== undefined && typeof base !== 'string' && formOf(settings.api_version ?? base.version, base.v1) === undefined;
  const open = rows.filter(([, row]) => {
    const uri = row.target_uri === undefined ? undefined : parseTargetUri(row.target_uri);
    if (typeof uri === 'string' || row.api_version !== undefined || settings.api_version !== undefined) return false;
    return uri === undefined ? isEntryOpen : formOf(uri.apiVersion, uri.v1) === undefined;
  });
  if (rows.length === 0 ? !isEntryOpen : open.length === 0) return [];
  const of = open.length === 0 || open.length === rows.length ? '' : ` for the deployment "${open[0]?.[0] ?? ''}"`;
  return [
    {
      path: ['api_version'],
      code: 'missing-key',
      message: `api_version is missing${of}: the api-version of each client decides, and without one the v1 address is used`,
      hint: 'Write api_version: v1, or a date like 2024-10-21 for the dated address.',
      severity: 'warning',
    },
  ];
}

function defaultProblems(rows: Rows): readonly SettingsProblem[] {
  const [first, second] = rows.filter(([, row]) => row.default === true);
  if (first === undefined || second === undefined) return [];
  return [
    {
      path: ['deployments', second[0], 'default'],
      code: 'conflict',
      message: `two deployments are the default: "${first[0]}" and "${second[0]}"`,
      hint: 'Keep default: true on one of them.',
    },
  ];
}

function deploymentProblems(alias: string, row: DeploymentSettings): readonly SettingsProblem[] {
  const path = ['deployments', alias];
  const found = [...versionProblems(row.api_version, [...path, 'api_version'])];
  const uri = row.target_uri === undefined ? undefined : parseTargetUri(row.target_uri);
  if (typeof uri === 'string') {
    found.push({
      path: [...path, 'target_uri'],
      code: 'bad-url',
      message: `target_uri cannot be used: ${uri}`,
      hint: 'Paste the target URI of the deployment as the portal shows it.',
    });
  } else if (row.deployment_id === undefined && uri?.deployment === undefined) {
    const hint =
      uri === undefined
        ? 'Write deployment_id, or paste the target URI.'
        : 'The target URI names no deployment; write deployment_id beside it.';
    found.push({ path, code: 'missing-key', message: `deployment "${alias}" has no deployment_id`, hint });
  } else if (uri?.deployment !== undefined && row.deployment_id !== undefined && uri.deployment !== row.deployment_id) {
    const message = `target_uri names "${uri.deployment}", deployment_id "${row.deployment_id}"`;
    found.push({
      path: [...path, 'deployment_id'],
      code: 'conflict',
      message,
      hint: 'deployment_id is used; remove one of them.',
      severity: 'warning',
    });
  }
  if (row.foundation_model === undefined) {
    found.push({
      path,
      code: 'missing-key',
      message: `deployment "${alias}" has no foundation_model`,
      hint: 'Without it, cost and metrics have no model name.',
      severity: 'warning',
    });
  }
  return found;
}
