import type { JsonObject } from '../../../core/json/merge.ts';
import type { CommonSettings, Provider, SettingsProblem } from '../../../core/provider.ts';
import { isCredentialSetting } from '../../../core/model/request-settings.ts';
import { shortList } from '../../../core/text/wording.ts';
import { withoutAuth } from '../../compile/providers/entry-settings.ts';
import { providerOf, slugOfVirtualKey } from '../../read/registry.ts';
import { child, type Entry, type MapNode, textOf, toValue } from '../../read/node.ts';
import { keyVariable } from '../../edit/new-entry.ts';
import { checkCustomHost } from './hosts.ts';
import { authModeOf } from '../../schema/provider-auth.ts';
import { targetSettings } from '../../schema/target.ts';
import { checkAuthKeys } from '../keys/auth-keys.ts';
import { hasOwnCredential } from '../../compile/settings.ts';
import { hasCredential } from '../keys/credential.ts';
import { membersOf } from '../prompts/sites.ts';
import { type CheckContext, sectionEntry, entryOf, sectionEntries, type Site, sitesOf, slugIn, valueOf } from '../context.ts';
import { isIncomplete } from './incomplete.ts';
import { problemLocation, problemsOf, settingsIn, reportProblem } from './type-problems.ts';

/** Runs each provider type's own check on its entries, and on the settings that targets add to them. */
export function checkProviders(context: CheckContext): void {
  for (const [slug, entry] of sectionEntries(context.root, 'providers')) {
    const provider = providerOf(context.registry, textOf(child(entry.value, 'type')) ?? '');
    if (provider === undefined) continue;
    warnNameIsType(entry, provider, context);
    if (!context.isValid(['providers', slug]) || valueOf(child(entry.value, 'enabled')) === false || isIncomplete(entry, context)) continue;
    warnUnnamed(entry, provider, context);
    const problems = runTypeCheck(provider, entry, context);
    if (checkAuthKeys(entry, provider, `providers.${slug}`, context)) checkCredential(entry, provider, problems, context);
  }
  for (const site of sitesOf(context.root)) checkTarget(site, context);
}

/** Warns about a provider with deployments that has no `name`: there are usually several, and people tell them apart by name. */
function warnUnnamed({ key, keyAt, value }: Entry, provider: Provider, { report }: CheckContext): void {
  if (provider.entry.deployment === undefined || entryOf(value, 'name') !== undefined) return;
  const hint = 'add name: the display name in lists; without it lists show the slug';
  report({ code: 'missing-key', severity: 'warning', at: keyAt, message: `"name" is missing in providers.${key}`, hint });
}

/** Warns about a slug that is also a provider type: in a request with a credential, the name means the type. */
function warnNameIsType({ key, keyAt }: Entry, provider: Provider, { registry, report }: CheckContext): void {
  const other = providerOf(registry, key);
  if (other === undefined || other.type === provider.type) return;
  const hint = `"${key}" in a request could mean the type ${other.type}: choose another name, or write type: ${other.type}`;
  report({ code: 'conflict', severity: 'warning', at: keyAt, message: `the name "${key}" is also a provider type`, hint });
}

function checkCredential(entry: Entry, provider: Provider, problems: readonly SettingsProblem[], { report }: CheckContext): void {
  const mode = valueOf(child(child(entry.value, 'auth'), 'mode'));
  const key = entryOf(entry.value, 'api_key');
  if (provider.entry.apiKey === 'none' && key !== undefined) {
    report({
      code: 'never-used',
      at: key.keyAt,
      message: `"api_key" has no effect: ${provider.type} sends none`,
      hint: 'remove it',
      show: 'none',
    });
  }
  // A custom host may need no key: its server decides.
  if (provider.entry.apiKey !== 'required' || mode === 'caller' || authModeOf(provider, mode) !== undefined) return;
  if (entryOf(entry.value, 'custom_host') !== undefined) return;
  if (hasCredential(entry.value, provider)) return;
  // The type itself reports half of a credential.
  if (problems.some(({ code, path }) => code === 'missing-key' && isCredentialSetting(provider, String(path[0])))) return;
  const setting = provider.entry.keySetting ?? 'api_key';
  const hint = `add ${setting}: "\${env:${keyVariable(entry.key, setting)}}", or auth: {mode: caller} where callers send their own`;
  report({ code: 'missing-key', at: entry.keyAt, message: `"${setting}" is missing in providers.${entry.key}`, hint });
}

/** Runs the type's own check on an entry and reports each problem at its location in the file. Returns the problems. */
function runTypeCheck(provider: Provider, { key, keyAt, value }: Entry, { root, report }: CheckContext): readonly SettingsProblem[] {
  const problems = problemsOf(provider, settingsIn(value, provider), keyAt, report);
  for (const problem of problems) {
    reportProblem(problem, problemLocation(root, ['providers', key, ...problem.path], problem.code), report);
  }
  if (!problems.some(({ path }) => path[0] === 'custom_host')) checkCustomHost(child(value, 'custom_host'), report);
  return problems;
}

/** Checks settings of the provider, host and key in a target: they must fit the provider that the target names. */
function checkTarget(site: Site, context: CheckContext): void {
  const { node, path } = site;
  if (node.kind !== 'map' || !context.isValid(path)) return;
  const written = textOf(child(node, 'provider')) ?? textOf(child(node, 'virtual_key'));
  const found = written === undefined ? undefined : providerNamed(written, context);
  const extra = [...node.entries.values()].filter((entry) => !isTargetKey(entry.key) && !entry.key.startsWith('x-'));
  if (found === undefined) checkCustomHost(child(node, 'custom_host'), context.report);
  if (written !== undefined && found === undefined) return;
  for (const entry of extra) checkSettingAccepted(entry, found?.provider, context);
  if (found === undefined) return;
  warnAmbiguousName(site, written ?? '', found.isSlug, context);
  checkTargetSettings(node, extra, found, context);
}

/** Checks the provider entry or bare type together with the target's settings. Problems of the entry itself are reported there. */
function checkTargetSettings(
  node: MapNode,
  extra: readonly Entry[],
  { provider, settings, isSlug }: NamedProvider,
  { report }: CheckContext,
): void {
  const settingEntries = new Map(
    extra.flatMap((entry) => {
      const setting = provider.entry.requestSettings.find((one) => one.setting === entry.key || one.keys.includes(entry.key));
      return setting === undefined ? [] : [[setting.setting, entry] as const];
    }),
  );
  const host = entryOf(node, 'custom_host');
  if (host !== undefined) settingEntries.set('custom_host', host);
  if (settingEntries.size === 0 && isSlug) return;
  // The target's own credential replaces the auth settings of the entry.
  const baseSettings = hasOwnCredential(membersOf(node), provider) ? withoutAuth(settings) : settings;
  const all = { ...baseSettings, ...Object.fromEntries([...settingEntries].map(([setting, entry]) => [setting, toValue(entry.value)])) };
  const problems = problemsOf(provider, all, node.at, report);
  for (const problem of problems) {
    const entry = settingEntries.get(String(problem.path[0]));
    if (entry !== undefined) reportProblem(problem, entry.value.at, report);
    else if (!isSlug && problem.severity !== 'warning') reportProblem(problem, child(node, 'provider')?.at ?? node.at, report);
  }
  if (!problems.some(({ path }) => path[0] === 'custom_host')) checkCustomHost(host?.value, report);
}

interface NamedProvider {
  readonly provider: Provider;
  readonly settings: CommonSettings & JsonObject;
  readonly isSlug: boolean;
}

function providerNamed(written: string, { root, registry }: CheckContext): NamedProvider | undefined {
  const name = slugIn(written);
  const virtual = slugOfVirtualKey(sectionEntry(root, 'virtual_keys', name)?.value);
  const entry = sectionEntry(root, 'providers', virtual ?? name);
  if (entry !== undefined) {
    const provider = providerOf(registry, textOf(child(entry.value, 'type')) ?? '');
    return provider === undefined ? undefined : { provider, settings: settingsIn(entry.value, provider), isSlug: true };
  }
  const provider = written.startsWith('@') ? undefined : providerOf(registry, name);
  return provider === undefined ? undefined : { provider, settings: {}, isSlug: false };
}

function checkSettingAccepted(entry: Entry, provider: Provider | undefined, { report }: CheckContext): void {
  const accepted = provider?.entry.requestSettings.flatMap(({ setting, keys }) => [setting, ...keys]) ?? [];
  if (accepted.includes(entry.key)) return;
  const message =
    provider === undefined ? `"${entry.written}" needs "provider" next to it` : `"${entry.written}" is not a setting of ${provider.type}`;
  const hint =
    provider === undefined
      ? 'add provider: the provider that the setting is for'
      : accepted.length === 0
        ? 'remove it'
        : `allowed: ${shortList([...new Set(accepted)], 12)}`;
  report({ code: 'unknown-key', at: entry.keyAt, message, hint });
}

/** Warns about a name that is both a slug and a type, with a key next to it: the slug wins, which pasted configs do not expect. */
function warnAmbiguousName({ node }: Site, written: string, isSlug: boolean, { registry, report }: CheckContext): void {
  const provider = child(node, 'provider');
  if (
    !isSlug ||
    provider === undefined ||
    written.startsWith('@') ||
    providerOf(registry, written) === undefined ||
    entryOf(node, 'api_key') === undefined
  )
    return;
  const hint = `write "@${written}" for the configured provider, or rename that provider`;
  report({
    code: 'conflict',
    severity: 'warning',
    at: provider.at,
    message: `"${written}" is both a configured provider and a provider type`,
    hint,
  });
}

const isTargetKey = (key: string): boolean => key === 'targets' || Object.hasOwn(targetSettings.properties, key);
