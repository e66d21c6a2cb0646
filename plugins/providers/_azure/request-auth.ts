import { GatewayError } from '#core/error.ts';
import type { JsonSchema } from '#core/json/schema.ts';
import { didYouMean } from '#core/text/nearest.ts';
import type { CommonSettings, RequestSetting } from '#core/provider.ts';
import { text } from '../_shared/settings-schema.ts';
import { azureAuthModes, tenantPattern } from './auth-modes.ts';

/** Authentication settings that requests send in headers or in a config object. */
export interface AzureAuthSettings extends CommonSettings {
  readonly cloud_api_key?: string;
  readonly ad_token?: string;
  readonly auth_mode?: string;
  readonly entra_tenant_id?: string;
  readonly entra_client_id?: string;
  readonly entra_client_secret?: string;
  readonly entra_scope?: string;
}

const { managed_identity: managed, workload_identity: workload } = azureAuthModes;

/** Modes that use the identity of the machine: allowed for providers in gateway.yaml only. */
const ambientModes: readonly string[] = ['managed_identity', ...managed.aliases, 'workload_identity', ...workload.aliases];
/** `default` is the value that other gateways use for a key. */
const keyModes = ['api_key', 'default'] as const;
const modes: readonly string[] = [...keyModes, 'entra', ...ambientModes];

/** The schema of these settings, for the settings of a provider type. */
export const azureAuthProperties = {
  cloud_api_key: { ...text('Key that a request sends. In gateway.yaml: api_key.'), writeOnly: true },
  ad_token: { ...text('Token that was issued elsewhere, sent as bearer token instead of the key.'), writeOnly: true },
  auth_mode: {
    enum: modes,
    description: 'How a request with its own credential authenticates: api_key or entra. In gateway.yaml: auth.',
    'x-credential': true,
  },
  entra_tenant_id: {
    ...text('Tenant of the application, for a request with its own credential.'),
    pattern: tenantPattern,
    'x-credential': true,
  },
  entra_client_id: { ...text('Id of the application, for a request with its own credential.'), 'x-credential': true },
  entra_client_secret: { ...text('Secret of the application, for a request with its own credential.'), writeOnly: true },
  entra_scope: { ...text('Scope of its token.'), 'x-credential': true },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** Neutral names first, the Azure names as aliases. */
export const azureAuthRequestSettings: readonly RequestSetting[] = Object.keys(azureAuthProperties).map((setting) => {
  const name = setting.replace(/^cloud_/, '');
  const nameSuffix = name.replaceAll('_', '-');
  const keys = [`cloud_${name}`, `azure_${name}`];
  return {
    setting,
    headers: [`cloud-${nameSuffix}`, `azure-${nameSuffix}`],
    // The name without a prefix sets the key of any provider type.
    keys: name === setting ? [setting, ...keys] : keys,
    shapesHost: false,
    ...(setting === 'auth_mode' ? { ambient: ambientModes } : {}),
  };
});

/** Application credentials from a request. */
export interface RequestApplication {
  readonly tenant: string;
  readonly client: string;
  readonly secret: string;
  readonly scope: string | undefined;
}

/** Describes why the settings of a request cannot be used: the setting, and what to do. */
export interface AuthProblem {
  readonly setting: keyof typeof azureAuthProperties;
  readonly code: 'missing_credential' | 'invalid_header' | 'not_allowed';
  readonly message: string;
  readonly hint: string;
}

/** Returns the application in the settings, a problem, or undefined if there is none. */
export function applicationIn(settings: AzureAuthSettings): RequestApplication | AuthProblem | undefined {
  const { auth_mode: mode, entra_tenant_id: tenant, entra_client_id: client, entra_client_secret: secret, entra_scope: scope } = settings;
  if (mode !== undefined && ambientModes.includes(mode)) return ambientNotAllowed(mode);
  if (mode !== undefined && !modes.includes(mode)) return unknownMode(mode);
  if (mode !== 'entra' && (secret === undefined || mode !== undefined)) return undefined;
  if (tenant === undefined) return missingSetting('entra_tenant_id');
  if (client === undefined) return missingSetting('entra_client_id');
  if (secret === undefined) return missingSetting('entra_client_secret');
  if (!new RegExp(tenantPattern).test(tenant)) {
    const hint = 'Send the id of the tenant, or one of its domains.';
    return { setting: 'entra_tenant_id', code: 'invalid_header', message: 'The tenant is neither an id nor a domain.', hint };
  }
  return { tenant, client, secret, scope };
}

/** Returns the documented header of a setting. */
export const headerOf = (setting: string): string => `azure-${setting.replaceAll('_', '-')}`;

/** Converts the problem to an error for the client. */
export function toError({ code, setting, message, hint }: AuthProblem): GatewayError {
  return new GatewayError(code, { message, param: headerOf(setting), hint });
}

const missingSetting = (setting: AuthProblem['setting']): AuthProblem => ({
  setting,
  code: 'missing_credential',
  message: `The auth mode entra needs ${setting}, which is missing.`,
  hint: `Send x-gateway-${headerOf(setting)}; entra needs tenant id, client id and client secret.`,
});

const ambientNotAllowed = (mode: string): AuthProblem => ({
  setting: 'auth_mode',
  code: 'not_allowed',
  message: `The auth mode "${mode}" uses the gateway's own identity, which only providers in gateway.yaml may use.`,
  hint: `Write auth: {mode: ${mode}} for the provider in gateway.yaml, or send your own credential.`,
});

const unknownMode = (mode: string): AuthProblem => ({
  setting: 'auth_mode',
  code: 'invalid_header',
  message: `"${mode.slice(0, 40)}" is not an auth mode.${didYouMean(mode, modes)}`,
  hint: 'Send api_key or entra.',
});
