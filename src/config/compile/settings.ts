import { didYouMean } from '../../core/text/nearest.ts';
import type { JsonObject } from '../../core/json/merge.ts';
import type { Provider } from '../../core/provider.ts';
import { isCredentialSetting, isSecretSetting } from '../../core/model/request-settings.ts';
import type { ConfigEntry } from '../schema/index.ts';
import { targetSettings } from '../schema/target.ts';
import { invalidConfig } from './invalid.ts';

/** Provider settings in a target, by their name in `providers.<slug>`. */
export interface ProviderOverrides {
  readonly settings: JsonObject;
  /** First key, as written, that changes the host or path. */
  readonly shapesHost: string | undefined;
  /** First key, as written, that selects a part of the account. */
  readonly choosesPart: string | undefined;
  /** First key, as written, that requests an identity of the machine. */
  readonly ambient: string | undefined;
}

/**
 * Reads the provider settings of a target (`azure_resource_name`, `api_version`, …). A key that the provider does not
 * accept, or that is set without a provider, is an error: it would have no effect.
 */
export function readSettings(entry: ConfigEntry, provider: Provider | undefined, path: string): ProviderOverrides {
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

/** True when the target has its own credential for this provider: `api_key`, or a setting that is a secret. */
export function hasOwnCredential(entry: ConfigEntry, provider: Provider): boolean {
  if (entry.api_key !== undefined) return true;
  return provider.entry.requestSettings.some(
    ({ setting, keys }) => isSecretSetting(provider, setting) && [setting, ...keys].some((key) => Object.hasOwn(entry, key)),
  );
}

/** Settings without any part of a credential: a request with its own one is never signed with the operator's. */
export function withoutSecrets(provider: Provider, settings: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => name !== 'auth' && !isCredentialSetting(provider, name)));
}

/** True for keys of a config object that the gateway defines, including `targets`. */
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
  return invalidConfig(`unknown key "${key}" ${where}`, didYouMean(key, known).trim() || undefined, `${path}.${key}`);
}
