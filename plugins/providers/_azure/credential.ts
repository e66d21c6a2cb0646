import type { GrantRepeat, TokenEndpoint } from '#core/secrets/grant.ts';
import type { CredentialSpec, OAuthGrant } from '#core/provider.ts';
import type { EntraAuth, ManagedAuth, WorkloadAuth } from './auth-modes.ts';
import { blameFor, type FieldNames, instanceBlame } from './blame.ts';
import { type Cloud, cloudOf } from './clouds.ts';
import { instanceEndpoints } from './instance-endpoints.ts';
import { applicationIn, toError, type AzureAuthSettings, headerOf } from './request-auth.ts';

/** The address that signed requests are sent to. It determines the cloud; undefined parts mean the public cloud. */
export interface SignedAddress {
  readonly origin?: string | undefined;
  readonly path?: string | undefined;
}

/** Repeats the token request once if the endpoint is busy. */
const repeats: readonly GrantRepeat[] = [{ statuses: [429, 500, 502, 503, 504], waitsMs: [1000] }];

const authNames: FieldNames = {
  tenant: 'auth.tenant_id',
  client: 'auth.client_id',
  secret: 'auth.client_secret',
  scope: 'auth.scope',
  file: 'auth.token_file',
};
const headerNames: FieldNames = {
  tenant: headerOf('entra_tenant_id'),
  client: headerOf('entra_client_id'),
  secret: headerOf('entra_client_secret'),
  scope: headerOf('entra_scope'),
  file: '',
};

/** Three base64url parts, separated by dots. API keys of this service contain no dot. */
const jwt = /^(?:bearer\s+)?eyJ[\w-]+\.[\w-]+\.[\w-]*$/i;

/**
 * Chooses how requests are signed, in the service's order of precedence: an already issued token, the secret of an application,
 * the identity of the machine or pod, the key. A key that is a token is sent as a bearer token.
 *
 * @param keyCredential converts a key to the provider's credential
 * @throws GatewayError `missing_credential`, `invalid_header`, `not_allowed` for unusable settings of a request
 */
export function azureCredential(
  settings: AzureAuthSettings,
  key: string | undefined,
  address: SignedAddress,
  keyCredential: (key: string) => CredentialSpec,
): CredentialSpec {
  const { ad_token: token, cloud_api_key: cloudKey, auth } = settings;
  if (token !== undefined) return bearer(token);
  const grant = auth === undefined ? requestGrant(settings, address) : grantOf(auth, cloudOf(address.origin, address.path));
  if (grant !== undefined) return { scheme: 'oauth2', grant };
  const effectiveKey = cloudKey ?? key;
  if (effectiveKey === undefined) return { scheme: 'none' };
  return jwt.test(effectiveKey) ? bearer(effectiveKey) : keyCredential(effectiveKey);
}

/** Removes the prefix `Bearer` from the token, which users often paste with it. */
const bearer = (token: string): CredentialSpec => ({ scheme: 'bearer', secret: token.replace(/^bearer\s+/i, '') });

/** Returns the grant for an application's credentials from a request. The authority is always the cloud's own, never the request's. */
function requestGrant(settings: AzureAuthSettings, address: SignedAddress): OAuthGrant | undefined {
  const found = applicationIn(settings);
  if (found === undefined) return undefined;
  if ('code' in found) throw toError(found);
  const cloud = cloudOf(address.origin, address.path);
  return {
    kind: 'client-credentials',
    endpoint: tokenEndpoint(cloud.authority, found.tenant),
    clientId: found.client,
    clientSecret: found.secret,
    scope: found.scope ?? cloud.scope,
    repeats,
    blame: blameFor(headerNames),
  };
}

function grantOf(auth: NonNullable<AzureAuthSettings['auth']>, cloud: Cloud): OAuthGrant | undefined {
  if (auth.mode === 'entra') return entra(auth as EntraAuth, cloud);
  if (auth.mode === 'managed_identity') return managed(auth as ManagedAuth, cloud);
  return auth.mode === 'workload_identity' ? workload(auth as WorkloadAuth, cloud) : undefined;
}

function entra(
  { tenant_id: tenant, client_id: clientId, client_secret: clientSecret, scope, authority }: EntraAuth,
  cloud: Cloud,
): OAuthGrant {
  return {
    kind: 'client-credentials',
    endpoint: tokenEndpoint(authority ?? cloud.authority, tenant),
    clientId,
    clientSecret,
    scope: scope ?? cloud.scope,
    repeats,
    blame: blameFor(authNames),
  };
}

function managed({ client_id: identity, scope }: ManagedAuth, cloud: Cloud): OAuthGrant {
  return {
    kind: 'instance-identity',
    endpoints: instanceEndpoints,
    identity,
    identityField: authNames.client,
    // The audience. These endpoints reject the form of a scope.
    resource: (scope ?? cloud.scope).replace(/\/\.default$/, ''),
    blame: instanceBlame(authNames.client, identity !== undefined),
  };
}

function workload({ client_id: client, tenant_id: tenant, token_file: file, scope, authority }: WorkloadAuth, cloud: Cloud): OAuthGrant {
  return {
    kind: 'federated-assertion',
    endpoint: {
      base: authority ?? { env: 'AZURE_AUTHORITY_HOST', otherwise: cloud.authority },
      path: [tenant ?? { env: 'AZURE_TENANT_ID', field: authNames.tenant }, ...tokenPath],
    },
    clientId: client ?? { env: 'AZURE_CLIENT_ID', field: authNames.client },
    file: file ?? { env: 'AZURE_FEDERATED_TOKEN_FILE', field: authNames.file },
    fileField: authNames.file,
    scope: scope ?? cloud.scope,
    repeats,
    blame: blameFor(authNames),
  };
}

const tokenPath = ['oauth2', 'v2.0', 'token'] as const;

const tokenEndpoint = (base: string, tenant: string): TokenEndpoint => ({ base, path: [tenant, ...tokenPath] });
