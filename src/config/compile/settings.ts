import { didYouMean } from '../../core/text/nearest.ts';
import type { Plain } from '../../core/json/merge.ts';
import type { Provider } from '../../core/provider.ts';
import { isSecretSetting } from '../../core/model/request-settings.ts';
import type { ConfigEntry } from '../schema/index.ts';
import { targetSettings } from '../schema/target.ts';
import { invalid } from './invalid.ts';

/** Settings of a provider that are in a target, by their name in `providers.<slug>`. */
export interface SentSettings {
  readonly settings: Plain;
  /** The key of the first one that shapes the host or path, as written. */
  readonly shapesHost: string | undefined;
  /** The key of the first one that chooses what of an account is used, as written. */
  readonly choosesPart: string | undefined;
  /** The key of the first one that asks for an identity of the machine, as written. */
  readonly ambient: string | undefined;
}

/**
 * Reads the provider's own keys of a target (`azure_resource_name`, `api_version`, …). A key that the provider does not
 * take, or that is where no provider is named, is an error: it would have no effect.
 */
export function readSettings(entry: ConfigEntry, provider: Provider | undefined, path: string): SentSettings {
  const settings: Record<string, unknown> = {};
  let shapesHost: string | undefined;
  let choosesPart: string | undefined;
  let ambient: string | undefined;
  for (const [key, value] of Object.entries(entry)) {
    if (isTargetKey(key) || key.startsWith('x-')) continue;
    const setting = provider?.entry.requestSettings.find((one) => one.setting === key || one.keys.includes(key));
    if (setting === undefined) throw unknownKey(key, provider, path);
    settings[setting.setting] = value;
    if (setting.shapesHost) shapesHost ??= key;
    if (setting.choosesPart === true) choosesPart ??= key;
    if (setting.ambient?.includes(String(value)) === true) ambient ??= key;
  }
  return { settings, shapesHost, choosesPart, ambient };
}

/** True when a credential for this provider is in the target: `api_key`, or a setting that is a secret. */
export function hasOwnCredential(entry: ConfigEntry, provider: Provider): boolean {
  if (entry.api_key !== undefined) return true;
  return provider.entry.requestSettings.some(
    ({ setting, keys }) => isSecretSetting(provider, setting) && [setting, ...keys].some((key) => Object.hasOwn(entry, key)),
  );
}

/** Settings without those that are secrets, and without `auth`: who sends a credential is never signed with the operator's. */
export function withoutSecrets(provider: Provider, settings: Plain): Plain {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => name !== 'auth' && !isSecretSetting(provider, name)));
}

/** Keys of a config object that are ours, with `targets`. */
function isTargetKey(key: string): boolean {
  return key === 'targets' || Object.hasOwn(targetSettings.properties, key);
}

function unknownKey(key: string, provider: Provider | undefined, path: string): Error {
  const known = [
    ...Object.keys(targetSettings.properties),
    'targets',
    ...(provider?.entry.requestSettings.flatMap((one) => [one.setting, ...one.keys]) ?? []),
  ];
  const where = provider === undefined ? 'without a provider next to it' : `for a provider of type "${provider.type}"`;
  return invalid(`unknown key "${key}" ${where}`, didYouMean(key, known).trim() || undefined, `${path}.${key}`);
}
