import { GatewayError } from '#core/error.ts';
import type { CredentialSpec } from '#core/provider.ts';
import type { AwsGrant, AwsKeys } from '#core/secrets/grant.ts';
import { stsHost } from './address.ts';
import { type BedrockSettings, defaultRegion } from './settings.ts';

/** The service name in signatures, for both models and lists. */
const service = 'bedrock';

/**
 * Chooses how requests are signed: with the role of the machine if set, else with an access key, else with an API key of Bedrock,
 * which is sent as a bearer token.
 *
 * @throws GatewayError `missing_credential` if half of an access key is missing
 */
export function credential(settings: BedrockSettings, key: string | undefined): CredentialSpec {
  const keys = grantOf(settings) ?? keysOf(settings);
  if (keys !== undefined) return { scheme: 'aws-sigv4', region: settings.region ?? defaultRegion, service, keys };
  return key === undefined ? { scheme: 'none' } : { scheme: 'bearer', secret: key };
}

function keysOf({ access_key_id: id, secret_access_key: secret, session_token: token }: BedrockSettings): AwsKeys | undefined {
  if (id === undefined && secret === undefined) return undefined;
  if (id !== undefined && secret !== undefined)
    return { accessKeyId: id.trim(), secretAccessKey: secret.trim(), sessionToken: token?.trim() };
  const missing = id === undefined ? 'access_key_id' : 'secret_access_key';
  throw new GatewayError('missing_credential', {
    message: `The access key is incomplete: ${missing} is missing.`,
    param: `aws-${missing.replaceAll('_', '-')}`,
    hint: `Send x-gateway-aws-${missing.replaceAll('_', '-')} too, or set ${missing} for the provider.`,
  });
}

function grantOf({ auth, region = defaultRegion }: BedrockSettings): AwsGrant | undefined {
  const text = (name: string): string | undefined => (typeof auth?.[name] === 'string' ? auth[name] : undefined);
  switch (auth?.mode) {
    case 'web_identity':
      return {
        kind: 'aws-web-identity',
        endpoint: text('sts_endpoint') ?? { env: 'AWS_ENDPOINT_URL_STS', otherwise: `https://${stsHost(region)}/` },
        role: text('role_arn') ?? { env: 'AWS_ROLE_ARN', field: 'auth.role_arn' },
        sessionName: text('session_name') ?? { env: 'AWS_ROLE_SESSION_NAME', otherwise: 'llm-gateway' },
        file: text('token_file') ?? { env: 'AWS_WEB_IDENTITY_TOKEN_FILE', field: 'auth.token_file' },
        fileField: 'auth.token_file',
        roleField: 'auth.role_arn',
      };
    case 'container':
      return { kind: 'aws-container' };
    case 'instance':
      return { kind: 'aws-instance', role: text('role') };
    default:
      return undefined;
  }
}
