import type { SettingsProblem } from '#core/provider.ts';
import { parseBase } from '../_shared/address.ts';
import { azureAuthProblems } from '../_azure/check.ts';
import { isApiVersion } from '../_azure/version.ts';
import { type FoundryUri, parseFoundryUri } from './foundry-uri.ts';
import { entryUri, formatOf, isSingle } from './places.ts';
import type { DeploymentSettings, FoundrySettings } from './settings.ts';

type Rows = readonly (readonly [alias: string, row: DeploymentSettings])[];

/** Problems of an entry that the schema can't express. */
export function check(settings: FoundrySettings): readonly SettingsProblem[] {
  const rows = Object.entries(settings.deployments ?? {});
  return [
    ...hostProblems(settings, rows),
    ...versionProblems(settings.api_version, ['api_version']),
    ...azureAuthProblems(settings),
    ...defaultProblems(rows),
    ...rows.flatMap(([alias, row]) => rowProblems(settings, alias, row)),
  ];
}

function hostProblems(settings: FoundrySettings, rows: Rows): readonly SettingsProblem[] {
  const { custom_host: customHost, foundry_url: url, resource_name: name } = settings;
  if (name === undefined && customHost === undefined && url === undefined) {
    if (rows.length > 0 && rows.every(([, row]) => row.target_uri !== undefined)) return [];
    const hint = 'Write the first label of the host, for example resource_name: contoso-ai, or the whole address as foundry_url.';
    return [{ path: ['resource_name'], code: 'missing-key', message: 'resource_name is missing', hint }];
  }
  return [
    ...addressProblems('custom_host', customHost),
    ...addressProblems('foundry_url', url),
    ...(name === undefined ? [] : nameProblems(name)),
  ];
}

function addressProblems(key: 'custom_host' | 'foundry_url', written: string | undefined): readonly SettingsProblem[] {
  if (written === undefined) return [];
  const code = key === 'custom_host' ? 'bad-custom-host' : 'bad-url';
  const parsed = parseFoundryUri(written);
  if (typeof parsed === 'string') {
    const hint = 'Write it like https://contoso-ai.services.ai.azure.com.';
    return [{ path: [key], code, message: `${key} cannot be used: ${parsed}`, hint }];
  }
  const hasScheme = typeof parseBase(written) !== 'string';
  return hasScheme ? [] : [{ path: [key], code, message: `${key} has no scheme`, hint: `Write ${parsed.origin}${parsed.prefix}.` }];
}

function nameProblems(name: string): readonly SettingsProblem[] {
  const parsed = entryUri({ resource_name: name });
  if (typeof parsed !== 'string') return [];
  const hint = 'Write the first label of the host only, for example contoso-ai.';
  return [{ path: ['resource_name'], code: 'bad-url', message: `resource_name cannot be used: ${parsed}`, hint }];
}

function versionProblems(version: string | undefined, path: readonly string[]): readonly SettingsProblem[] {
  if (version === undefined || isApiVersion(version)) return [];
  const hint = 'Write a date like 2024-05-01-preview, or leave it out.';
  return [{ path, code: 'out-of-range', message: `"${version}" is not an API version`, hint }];
}

function defaultProblems(rows: Rows): readonly SettingsProblem[] {
  const [first, second] = rows.filter(([, row]) => row.default === true);
  if (first === undefined || second === undefined) return [];
  const message = `two deployments are the default: "${first[0]}" and "${second[0]}"`;
  return [{ path: ['deployments', second[0], 'default'], code: 'conflict', message, hint: 'Keep default: true on one of them.' }];
}

function rowProblems(settings: FoundrySettings, alias: string, row: DeploymentSettings): readonly SettingsProblem[] {
  const path = ['deployments', alias];
  const own = row.target_uri === undefined ? undefined : parseFoundryUri(row.target_uri);
  const found = [...versionProblems(row.api_version, [...path, 'api_version'])];
  if (typeof own === 'string') {
    const hint = 'Paste the target URI of the deployment as the portal shows it.';
    return [...found, { path: [...path, 'target_uri'], code: 'bad-url', message: `target_uri cannot be used: ${own}`, hint }];
  }
  const uri = own ?? entryUri(settings);
  if (uri !== undefined && typeof uri !== 'string') found.push(...formatProblems(settings, row, uri, path));
  if (row.deployment_id === undefined && (uri === undefined || typeof uri === 'string' || !isSingle(uri))) {
    const hint = 'Write deployment_id: addresses of Azure AI Foundry do not contain it.';
    found.push({ path, code: 'missing-key', message: `deployment "${alias}" has no deployment_id`, hint });
  }
  if (row.foundation_model === undefined) {
    const hint = 'Without it, cost and metrics have no model name.';
    found.push({ path, code: 'missing-key', message: `deployment "${alias}" has no foundation_model`, hint, severity: 'warning' });
  }
  return found;
}

function formatProblems(
  settings: FoundrySettings,
  row: DeploymentSettings,
  uri: FoundryUri,
  path: readonly string[],
): readonly SettingsProblem[] {
  const format = formatOf(settings, row, uri);
  const at = [...path, row.format === undefined ? 'foundation_model' : 'format'];
  if (isSingle(uri) && format !== 'inference') {
    const message = `a host with a single model speaks inference, not ${format}`;
    return [{ path: at, code: 'conflict', message, hint: 'Use the address of the resource, or another format.' }];
  }
  const version = row.api_version;
  if (version === undefined || format === 'inference' || /^(?:v1|latest|preview)$/i.test(version.trim())) return [];
  const hint = format === 'messages' ? 'Remove it.' : 'Remove it; for dated versions use type azure-openai.';
  return [
    { path: [...path, 'api_version'], code: 'conflict', message: `the format ${format} has no dated versions`, hint, severity: 'warning' },
  ];
}
