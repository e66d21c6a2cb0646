import type { JsonSchema } from '#core/json/schema.ts';
import type { AuthMode, AuthSettings } from '#core/provider.ts';

/** `auth: {mode: entra}`. */
export interface EntraAuth extends AuthSettings {
  readonly tenant_id: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scope?: string;
  readonly authority?: string;
}

/** `auth: {mode: managed_identity}`. */
export interface ManagedAuth extends AuthSettings {
  readonly client_id?: string;
  readonly scope?: string;
}

/** `auth: {mode: workload_identity}`. */
export interface WorkloadAuth extends AuthSettings {
  readonly client_id?: string;
  readonly tenant_id?: string;
  readonly token_file?: string;
  readonly scope?: string;
  readonly authority?: string;
}

/** Ids and domain names of tenants. The value becomes part of a URL. */
export const tenantPattern = '^[A-Za-z0-9][A-Za-z0-9.-]*$';

const text = (description: string, example: string): JsonSchema => ({ type: 'string', minLength: 1, description, examples: [example] });
const tenant = (description: string): JsonSchema => ({
  ...text(description, 'contoso.onmicrosoft.com'),
  pattern: tenantPattern,
  'x-form': 'the id of a tenant, or one of its domains',
});
const clientId = (description: string): JsonSchema => text(description, '00000000-0000-0000-0000-000000000000');
const scope = text("Scope of the token. Default: the scope of the provider's host.", 'https://cognitiveservices.azure.com/.default');
const authority = text('Base URL of the token endpoints. Default: that of the cloud of the host.', 'https://login.microsoftonline.com');

/** Authentication modes other than an API key, for all Azure providers. */
export const azureAuthModes = {
  entra: {
    aliases: [],
    about: 'a token for an application, with its client secret',
    properties: {
      tenant_id: tenant('Tenant of the application.'),
      client_id: clientId('Id of the application.'),
      client_secret: { ...text('Secret of the application: its value, not its id.', '${env:AZURE_CLIENT_SECRET}'), writeOnly: true },
      scope,
      authority,
    },
    required: ['tenant_id', 'client_id', 'client_secret'],
    ambient: false,
  },
  managed_identity: {
    aliases: ['managed'],
    about: 'a token for the managed identity of the machine',
    properties: { client_id: clientId("Identity to use when the machine has several. Default: the machine's own."), scope },
    required: [],
    ambient: true,
  },
  workload_identity: {
    aliases: ['workload'],
    about: 'a token for the federated identity of the pod',
    properties: {
      client_id: clientId('Id of the application. Default: AZURE_CLIENT_ID.'),
      tenant_id: tenant('Tenant of the application. Default: AZURE_TENANT_ID.'),
      token_file: text(
        'File with the token of the cluster. Default: AZURE_FEDERATED_TOKEN_FILE.',
        '/var/run/secrets/azure/tokens/azure-identity-token',
      ),
      scope,
      authority: {
        ...authority,
        description: 'Base URL of the token endpoints. Default: AZURE_AUTHORITY_HOST, else that of the cloud.',
      },
    },
    required: [],
    ambient: true,
  },
} as const satisfies Readonly<Record<string, AuthMode>>;
