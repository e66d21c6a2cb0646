import type { CredentialSpec } from '#core/provider.ts';
import { type ServiceAccount, serviceAccountOf } from './service-account.ts';
import type { VertexSettings } from './settings.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';
/** The provider's own token endpoint: the only one that a request's service account is used with. */
const googleToken = 'https://oauth2.googleapis.com/token';

/**
 * How requests are signed: a service account that came with the request, else a token or key, else the
 * entry's service account, else the machine's identity where the operator allows it.
 *
 * @throws GatewayError for a service account that can't be read
 */
export function credential(settings: VertexSettings, key: string | undefined): CredentialSpec {
  if (settings.service_account_json !== undefined) {
    return grant({ ...serviceAccountOf(settings.service_account_json, 'vertex-service-account-json'), tokenUri: googleToken });
  }
  if (key !== undefined)
    return settings.express === true ? { scheme: 'header', name: 'x-goog-api-key', secret: key } : { scheme: 'bearer', secret: key };
  if (settings.service_account !== undefined) return grant(serviceAccountOf(settings.service_account, 'service_account'));
  if (settings.ambient !== true) return { scheme: 'none' };
  return { scheme: 'oauth2', grant: { kind: 'google-ambient', scopes: [scope], credentialsFile: settings.credentials_file } };
}

function grant({ email, privateKey, keyId, tokenUri }: ServiceAccount): CredentialSpec {
  const uri = tokenUri ?? googleToken;
  return {
    scheme: 'oauth2',
    grant: { kind: 'jwt-bearer', tokenUri: uri, issuer: email, audience: uri, scope, privateKey, keyId },
  };
}
