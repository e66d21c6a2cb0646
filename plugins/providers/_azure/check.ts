import type { SettingsProblem } from '#core/provider.ts';
import { parseBase } from '../_shared/address.ts';
import { type AzureType, type AzureUri, entryUri } from './entries.ts';
import { applicationIn, type AzureAuthSettings } from './request-auth.ts';
import type { AzureDeploymentSettings, AzureEntrySettings, DeploymentRow } from './settings.ts';

/** Texts that differ between the Azure provider types, and checks that only one of the types has. */
interface CheckTexts<Settings extends AzureEntrySettings, Uri> {
  /** `missing`: hint for a missing resource. `exampleLabel`: hint for an unusable one. */
  readonly resource: { readonly missing: string; readonly exampleLabel: string };
  /** Settings that contain a complete address, each with the code of its problems. */
  readonly addresses: Readonly<Record<string, 'bad-custom-host' | 'bad-url'>>;
  readonly addressExample: string;
  readonly versionHint: string;
  /** Additional problems of a valid address. */
  address?(key: string, uri: Uri): readonly SettingsProblem[];
  entry?(settings: Settings, rows: Rows): readonly SettingsProblem[];
  /** `uri`: the row's own address, or else the provider's. */
  row(row: DeploymentRow<Settings>, uri: Uri | undefined, path: readonly string[], settings: Settings): readonly SettingsProblem[];
}

export type Rows = readonly (readonly [alias: string, row: AzureDeploymentSettings])[];

/** Returns the problems of a provider's settings that the schema cannot express. */
export function azureCheck<Settings extends AzureEntrySettings, Uri extends AzureUri, Api>(
  type: AzureType<Settings, Uri, Api>,
  texts: CheckTexts<Settings, Uri>,
): (settings: Settings) => readonly SettingsProblem[] {
  return (settings) => {
    const rows = Object.entries(settings.deployments ?? {});
    return [
      ...Object.keys(texts.addresses).flatMap((key) =>
        addressProblems(type, texts, key, (settings as Readonly<Record<string, unknown>>)[key]),
      ),
      ...resourceProblems(type, texts, settings, rows),
      ...versionProblems(settings.api_version, ['api_version'], texts.versionHint),
      ...(texts.entry?.(settings, rows) ?? []),
      ...azureAuthProblems(settings),
      ...defaultProblems(rows),
      ...rows.flatMap(([alias, row]) => rowProblems(type, texts, settings, alias, row as DeploymentRow<Settings>)),
    ];
  };
}

function addressProblems<Settings extends AzureEntrySettings, Uri extends AzureUri, Api>(
  { parse }: AzureType<Settings, Uri, Api>,
  { addresses, addressExample, address }: CheckTexts<Settings, Uri>,
  key: string,
  configured: unknown,
): readonly SettingsProblem[] {
  if (typeof configured !== 'string') return [];
  const at = { path: [key], code: addresses[key] ?? 'bad-url' } as const;
  const uri = parse(configured);
  if (typeof uri === 'string') return [{ ...at, message: `${key} cannot be used: ${uri}`, hint: `Write it like ${addressExample}.` }];
  if (!configured.includes('://')) return [{ ...at, message: `${key} has no scheme`, hint: `Write ${uri.origin}${uri.path}.` }];
  return address?.(key, uri) ?? [];
}

function resourceProblems<Settings extends AzureEntrySettings, Uri extends AzureUri, Api>(
  type: AzureType<Settings, Uri, Api>,
  { resource }: CheckTexts<Settings, Uri>,
  settings: Settings,
  rows: Rows,
): readonly SettingsProblem[] {
  const { resource_name: name } = settings;
  const path = ['resource_name'];
  if (name === undefined) {
    const hasOtherAddress =
      type.configuredAddress(settings) !== undefined || (rows.length > 0 && rows.every(([, row]) => row.target_uri !== undefined));
    return hasOtherAddress ? [] : [{ path, code: 'missing-key', message: 'resource_name is missing', hint: resource.missing }];
  }
  const uri = entryUri({ ...type, configuredAddress: () => undefined }, settings);
  if (typeof uri !== 'string') return [];
  const hint = `Write the first label of the host only, for example ${resource.exampleLabel}.`;
  return [{ path, code: 'bad-url', message: `resource_name cannot be used: ${uri}`, hint }];
}

function versionProblems(version: string | undefined, path: readonly string[], hint: string): readonly SettingsProblem[] {
  if (version === undefined || /^(?:\d{4}-\d{2}-\d{2}(?:-preview)?|v1|latest|preview)$/i.test(version.trim())) return [];
  return [{ path, code: 'out-of-range', message: `"${version}" is not an API version`, hint }];
}

function defaultProblems(rows: Rows): readonly SettingsProblem[] {
  const [first, second] = rows.filter(([, row]) => row.default === true);
  if (first === undefined || second === undefined) return [];
  const message = `two deployments are the default: "${first[0]}" and "${second[0]}"`;
  return [{ path: ['deployments', second[0], 'default'], code: 'conflict', message, hint: 'Keep default: true on one of them.' }];
}

function rowProblems<Settings extends AzureEntrySettings, Uri extends AzureUri, Api>(
  type: AzureType<Settings, Uri, Api>,
  texts: CheckTexts<Settings, Uri>,
  settings: Settings,
  alias: string,
  row: DeploymentRow<Settings>,
): readonly SettingsProblem[] {
  const path = ['deployments', alias];
  const found = [...versionProblems(row.api_version, [...path, 'api_version'], texts.versionHint)];
  const rowUri = row.target_uri === undefined ? undefined : type.parse(row.target_uri);
  if (typeof rowUri === 'string') {
    const hint = 'Paste the target URI of the deployment as the portal shows it.';
    found.push({ path: [...path, 'target_uri'], code: 'bad-url', message: `target_uri cannot be used: ${rowUri}`, hint });
  } else {
    const entry = entryUri(type, settings);
    found.push(...texts.row(row, rowUri ?? (typeof entry === 'string' ? undefined : entry), path, settings));
  }
  if (row.foundation_model === undefined) {
    const hint = 'Without it, cost and metrics have no model name.';
    found.push({ path, code: 'missing-key', message: `deployment "${alias}" has no foundation_model`, hint, severity: 'warning' });
  }
  return found;
}

/** Problem of a deployment without an id. */
export const noDeploymentId = (path: readonly string[], hint: string): SettingsProblem => ({
  path,
  code: 'missing-key',
  message: `deployment "${path.at(-1) ?? ''}" has no deployment_id`,
  hint,
});

/** Returns the problems of `auth:` and related settings that the schema cannot express. */
function azureAuthProblems(settings: AzureAuthSettings): readonly SettingsProblem[] {
  return [...tokenProblems(settings), ...applicationProblems(settings), ...authorityProblems(settings), ...scopeProblems(settings)];
}

function tokenProblems({ ad_token: token, auth }: AzureAuthSettings): readonly SettingsProblem[] {
  if (token === undefined || auth === undefined) return [];
  const message = `ad_token cannot be combined with auth mode ${auth.mode}, and only the token would be used`;
  return [{ path: ['ad_token'], code: 'conflict', message, hint: 'Remove one of them.' }];
}

function applicationProblems(settings: AzureAuthSettings): readonly SettingsProblem[] {
  const found = applicationIn(settings);
  if (found === undefined || !('code' in found)) return [];
  const code = found.code === 'missing_credential' ? 'missing-key' : 'out-of-range';
  const hint =
    found.code === 'missing_credential'
      ? `Write ${found.setting}; in providers of gateway.yaml, write auth: {mode: entra, …}.`
      : found.hint;
  return [{ path: [found.setting], code, message: found.message, hint }];
}

function authorityProblems({ auth }: AzureAuthSettings): readonly SettingsProblem[] {
  const configured = auth?.['authority'];
  if (typeof configured !== 'string') return [];
  const parsed = parseBase(configured);
  const reason = typeof parsed === 'string' ? parsed : parsed.url.search === '' ? undefined : 'it contains a query';
  if (reason === undefined) return [];
  const hint = 'Write it like https://login.microsoftonline.us.';
  return [{ path: ['auth', 'authority'], code: 'bad-url', message: `authority cannot be used: ${reason}`, hint }];
}

/** Warns about other scopes than `/.default`: a token for an application is never requested with single permissions. */
function scopeProblems({ auth }: AzureAuthSettings): readonly SettingsProblem[] {
  const configured = auth?.['scope'];
  if (typeof configured !== 'string' || auth?.mode === 'managed_identity' || configured.endsWith('/.default')) return [];
  const hint = `Write ${configured.replace(/\/$/, '')}/.default.`;
  return [{ path: ['auth', 'scope'], code: 'out-of-range', message: 'scope does not end in /.default', hint, severity: 'warning' }];
}
