import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { AuthSettings, CommonSettings, Provider } from '../../../core/provider.ts';
import { authModeOf } from '../../schema/provider-auth.ts';

/** Keys of a provider entry that the gateway itself handles. The provider type does not receive them. */
const gatewayKeys: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'enabled',
  'api_key',
  'auth',
  'allow_custom_host',
  'models',
  'isolate',
  'timeouts',
]);

/** Settings of a provider entry for its type, with `auth` when the mode belongs to the type. */
export function settingsOf(entry: JsonObject, provider: Provider): CommonSettings & JsonObject {
  const settings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entry)) if (!gatewayKeys.has(key) && !key.startsWith('x-')) settings[key] = value;
  const auth = authOf(entry['auth'], provider);
  return auth === undefined ? settings : { ...settings, auth };
}

/** Settings without `auth`: a request with its own key is signed with that key. */
export function withoutAuth(settings: CommonSettings & JsonObject): CommonSettings & JsonObject {
  if (settings.auth === undefined) return settings;
  return Object.fromEntries(Object.entries(settings).filter(([key]) => key !== 'auth'));
}

/** `auth:` with the canonical name of its mode; undefined for modes that every type has. */
export function authOf(written: unknown, provider: Provider): AuthSettings | undefined {
  const found = isJsonObject(written) ? authModeOf(provider, written['mode']) : undefined;
  if (found === undefined || !isJsonObject(written)) return undefined;
  return { ...Object.fromEntries(Object.entries(written).filter(([key]) => !key.startsWith('x-'))), mode: found.name };
}
