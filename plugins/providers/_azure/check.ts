import type { SettingsProblem } from '#core/provider.ts';
import { parseBase } from '../_shared/address.ts';
import { applicationIn, type AzureAuthSettings } from './request-auth.ts';

/** Problems of `auth:` and of the settings beside it that the schema can't express. */
export function azureAuthProblems(settings: AzureAuthSettings): readonly SettingsProblem[] {
  return [...beside(settings), ...brought(settings), ...authority(settings), ...scope(settings)];
}

function beside({ ad_token: token, auth }: AzureAuthSettings): readonly SettingsProblem[] {
  if (token === undefined || auth === undefined) return [];
  const message = `ad_token cannot be combined with auth mode ${auth.mode}, and only the token would be used`;
  return [{ path: ['ad_token'], code: 'conflict', message, hint: 'Remove one of them.' }];
}

function brought(settings: AzureAuthSettings): readonly SettingsProblem[] {
  const found = applicationIn(settings);
  if (found === undefined || !('code' in found)) return [];
  const code = found.code === 'missing_credential' ? 'missing-key' : 'out-of-range';
  const hint =
    found.code === 'missing_credential'
      ? `Write ${found.setting}; in providers of gateway.yaml, write auth: {mode: entra, …}.`
      : found.hint;
  return [{ path: [found.setting], code, message: found.message, hint }];
}

function authority({ auth }: AzureAuthSettings): readonly SettingsProblem[] {
  const written = auth?.['authority'];
  if (typeof written !== 'string') return [];
  const parsed = parseBase(written);
  const why = typeof parsed === 'string' ? parsed : parsed.url.search === '' ? undefined : 'it contains a query';
  if (why === undefined) return [];
  const hint = 'Write it like https://login.microsoftonline.us.';
  return [{ path: ['auth', 'authority'], code: 'bad-url', message: `authority cannot be used: ${why}`, hint }];
}

/** A token for an application is never asked for single permissions. */
function scope({ auth }: AzureAuthSettings): readonly SettingsProblem[] {
  const written = auth?.['scope'];
  if (typeof written !== 'string' || auth?.mode === 'managed_identity' || written.endsWith('/.default')) return [];
  const hint = `Write ${written.replace(/\/$/, '')}/.default.`;
  return [{ path: ['auth', 'scope'], code: 'out-of-range', message: 'scope does not end in /.default', hint, severity: 'warning' }];
}
