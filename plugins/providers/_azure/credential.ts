import type { GrantRepeat, TokenEndpoint } from '#core/secrets/grant.ts';
import type { CredentialSpec, OAuthGrant } from '#core/provider.ts';
import type { EntraAuth, ManagedAuth, WorkloadAuth } from './auth-modes.ts';
import { blameFor, type FieldNames, instanceBlame } from './blame.ts';
import { type Cloud, cloudOf } from './clouds.ts';
import { instanceEndpoints } from './instance-endpoints.ts';
import { applicationIn, asError, type AzureAuthSettings, headerOf } from './request-auth.ts';

/** Where signed requests go: it decides about the cloud. Undefined parts count as the public one. */
export interface SignedAddress {
  readonly origin?: string | undefined;
  readonly path?: string | undefined;
}

/** A busy token endpoint is asked once more. */
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

/** Three parts of base64url: keys of this service hold no dot. */
const jwt = /^(?:bearer\s+)?eyJ[\w-]+\.[\w-]+\.[\w-]*$/i;

/**
 * How requests are signed, in the order of the service: a token that was issued before, an
 * application's secret, the identity of machine or pod, the key. A key that is a token goes as bearer.
 *
 * @param byKey what the provider makes of a key
 * @throws GatewayError `missing_credential`, `invalid_header`, `not_allowed` for settings of a request that can't be used
 */
export function azureCredential(
  settings: AzureAuthSettings,
  key: string | undefined,
  place: SignedAddress,
  byKey: (key: string) => CredentialSpec,
): CredentialSpec {
  const { ad_token: token, cloud_api_key: named, auth } = settings;
  if (token !== undefined) return bearer(token);
  const grant = auth === undefined ? sentGrant(settings, place) : grantOf(auth, cloudOf(place.origin, place.path));
  if (grant !== undefined) return { scheme: 'oauth2', grant };
  const own = named ?? key;
  if (own === undefined) return { scheme: 'none' };
  return jwt.test(own) ? bearer(own) : byKey(own);
}

/** People paste tokens with the word in front of them. */
const bearer = (token: string): CredentialSpec => ({ scheme: 'bearer', secret: token.replace(/^bearer\s+/i, '') });

/** The grant of an application that came with a request: its authority is the cloud's own, never one that came along. */
function sentGrant(settings: AzureAuthSettings, place: SignedAddress): OAuthGrant | undefined {
  const found = applicationIn(settings);
  if (found === undefined) return undefined;
  if ('code' in found) throw asError(found);
  const cloud = cloudOf(place.origin, place.path);
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
    // The audience: these endpoints refuse the form of a scope.
    resource: (scope ?? cloud.scope).replace(/\/\.default$/, ''),
    blame: instanceBlame(authNames.client, identity !== undefined),
  };
}

function workload({ client_id: client, tenant_id: tenant, token_file: file, scope, authority }: WorkloadAuth, cloud: Cloud): OAuthGrant {
  return {
    kind: 'federated-assertion',
    endpoint: {
      base: authority ?? { env: 'AZURE_AUTHORITY_HOST', otherwise: cloud.authority },
      path: [tenant ?? { env: 'AZURE_TENANT_ID', field: authNames.tenant }, ...behindTenant],
    },
    clientId: client ?? { env: 'AZURE_CLIENT_ID', field: authNames.client },
    file: file ?? { env: 'AZURE_FEDERATED_TOKEN_FILE', field: authNames.file },
    fileField: authNames.file,
    scope: scope ?? cloud.scope,
    repeats,
    blame: blameFor(authNames),
  };
}

const behindTenant = ['oauth2', 'v2.0', 'token'] as const;

const tokenEndpoint = (base: string, tenant: string): TokenEndpoint => ({ base, path: [tenant, ...behindTenant] });
