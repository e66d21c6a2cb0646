import type { JsonObject } from '../../../core/json/merge.ts';
import type { Provider, SettingsProblem } from '../../../core/provider.ts';
import { withoutSecrets } from '../../compile/settings.ts';
import { authOf } from '../../compile/providers/entry-settings.ts';
import { providerOfVirtualKey, slugOfVirtualKey } from '../../read/registry.ts';
import { child, type Entry, toValue } from '../../read/node.ts';
import { checkLimits } from './limits.ts';
import { checkAuthKeys } from './auth-keys.ts';
import { type CheckContext, sectionEntry, entryOf, sectionEntries, valueOf } from '../context.ts';
import { isIncomplete } from '../providers/incomplete.ts';
import { problemLocation, problemsOf, settingsIn, reportProblem } from '../providers/type-problems.ts';

/** Checks virtual keys with their own way to sign: it must fit the type of their provider. */
export function checkVirtualKeys(context: CheckContext): void {
  const { root, registry, isValid } = context;
  for (const [name, entry] of sectionEntries(root, 'virtual_keys')) {
    checkLimits(entry.value, ['virtual_keys', name], context);
    const provider = providerOfVirtualKey(entry.value, root, registry);
    const slug = slugOfVirtualKey(entry.value) ?? '';
    const providerEntry = sectionEntry(root, 'providers', slug);
    if (providerEntry === undefined) checkNamesNoVirtualKey(entry, slug, context);
    if (provider === undefined || providerEntry === undefined || !hasOwnAuth(entry)) continue;
    if (!isValid(['virtual_keys', name]) || isIncomplete(entry, context)) continue;
    if (checkAuthKeys(entry, provider, `virtual_keys.${name}`, context)) checkApiKeyMode(entry, context);
    if (isValid(['providers', providerEntry.key]) && !isIncomplete(providerEntry, context))
      runTypeCheck(provider, entry, providerEntry, context);
  }
}

/** Targets may name a virtual key as their provider, so the check of references accepts it here too. */
function checkNamesNoVirtualKey({ value }: Entry, slug: string, { root, report }: CheckContext): void {
  const named = sectionEntry(root, 'virtual_keys', slug);
  const written = child(value, 'provider');
  if (named === undefined || written === undefined) return;
  const message = `"${slug}" is a virtual key, and a virtual key needs a provider`;
  const hint = `write provider: ${slugOfVirtualKey(named.value) ?? 'its slug'}`;
  report({ code: 'unknown-reference', at: written.at, message, hint });
}

const hasOwnAuth = ({ value }: Entry): boolean => entryOf(value, 'api_key') !== undefined || entryOf(value, 'auth') !== undefined;

/** `mode: api_key` without a key has no effect: the provider's key would sign, as it does without the mode. */
function checkApiKeyMode({ key: name, value }: Entry, { report }: CheckContext): void {
  const auth = entryOf(value, 'auth');
  const isKeyed = entryOf(value, 'api_key') !== undefined || entryOf(auth?.value, 'api_key') !== undefined;
  if (auth === undefined || valueOf(child(auth.value, 'mode')) !== 'api_key' || isKeyed) return;
  const hint = "add api_key: its own key, or remove auth to use the provider's";
  report({ code: 'missing-key', at: auth.keyAt, message: `"api_key" is missing in virtual_keys.${name}`, hint });
}

/** Runs the type's own check on the resulting settings, and skips problems that the provider's entry has on its own. */
function runTypeCheck(provider: Provider, { key: name, value }: Entry, providerEntry: Entry, { root, report }: CheckContext): void {
  const providerSettings = settingsIn(providerEntry.value, provider);
  const auth = authOf(toValue(child(value, 'auth') ?? value), provider);
  const settings: JsonObject = { ...withoutSecrets(provider, providerSettings), ...(auth === undefined ? {} : { auth }) };
  const known = new Set(problemsOf(provider, providerSettings, providerEntry.keyAt, report).map(idOf));
  const found = problemsOf(provider, settings, providerEntry.keyAt, report);
  for (const problem of found) {
    if (problem.path[0] === 'auth')
      reportProblem(problem, problemLocation(root, ['virtual_keys', name, ...problem.path], problem.code), report);
    // A virtual key with its own auth mode ignores all auth settings of the provider.
    else if (auth === undefined && !known.has(idOf(problem)))
      reportProblem(problem, problemLocation(root, ['virtual_keys', name], problem.code), report);
  }
}

const idOf = ({ path, message }: SettingsProblem): string => `${path.join('.')} ${message}`;
