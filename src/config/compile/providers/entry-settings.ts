import { isPlain, type Plain } from '../../../core/json/merge.ts';
import type { AuthSettings, CommonSettings, Provider } from '../../../core/provider.ts';
import { authModeOf } from '../../schema/provider-auth.ts';

/** Keys of an entry of `providers:` that are the gateway's own business: the type does not see them. */
const ownKeys: ReadonlySet<string> = new Set([
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

/** An entry as its type sees it: its settings, and `auth` where the mode is one of the type's own. */
export function settingsOf(entry: Plain, provider: Provider): CommonSettings & Plain {
  const settings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entry)) if (!ownKeys.has(key) && !key.startsWith('x-')) settings[key] = value;
  const auth = authOf(entry['auth'], provider);
  return auth === undefined ? settings : { ...settings, auth };
}

/** The settings without the way to sign: whoever sends a key is signed with that one. */
export function withoutAuth(settings: CommonSettings & Plain): CommonSettings & Plain {
  if (settings.auth === undefined) return settings;
  return Object.fromEntries(Object.entries(settings).filter(([key]) => key !== 'auth'));
}

/** `auth:` with the mode in the word that we print; undefined where the mode is one that every type has. */
export function authOf(written: unknown, provider: Provider): AuthSettings | undefined {
  const found = isPlain(written) ? authModeOf(provider, written['mode']) : undefined;
  if (found === undefined || !isPlain(written)) return undefined;
  return { ...Object.fromEntries(Object.entries(written).filter(([key]) => !key.startsWith('x-'))), mode: found.name };
}
