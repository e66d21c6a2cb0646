import { GatewayError } from '#core/error.ts';
import { isJsonObject } from '#core/json/merge.ts';
import { parseJson } from '#core/json/scan.ts';
import type { CredentialSpec } from '#core/provider.ts';
import type { GrantRepeat } from '#core/secrets/grant.ts';
import { textOf } from '#formats/shared/json.ts';
import type { VertexSettings } from './settings.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';
/** Google's own token endpoint, the only one used for a service account from a request. */
const googleToken = 'https://oauth2.googleapis.com/token';
/** Repeats the token request once if the endpoint is busy. */
const repeats: readonly GrantRepeat[] = [{ statuses: [429, 500, 502, 503, 504], waitsMs: [1000] }];
/** The header with a service account. */
const accountHeader = 'vertex-service-account-json';

/**
 * Chooses how requests are signed: with a service account from the request, else a token or key, else the provider's service
 * account, else the machine's identity if the operator allows it.
 *
 * @throws GatewayError for an invalid service account
 */
export function credential(settings: VertexSettings, key: string | undefined): CredentialSpec {
  if (settings.service_account_json !== undefined) {
    const account = serviceAccountOf(settings.service_account_json, accountHeader);
    return serviceAccountCredential({ ...account, tokenUri: googleToken }, accountHeader);
  }
  if (key !== undefined)
    return settings.express === true ? { scheme: 'header', name: 'x-goog-api-key', secret: key } : { scheme: 'bearer', secret: key };
  if (settings.service_account !== undefined)
    return serviceAccountCredential(serviceAccountOf(settings.service_account, 'service_account'), 'service_account');
  if (settings.ambient !== true) return { scheme: 'none' };
  const { credentials_file: credentialsFile } = settings;
  return { scheme: 'oauth2', grant: { kind: 'google-ambient', scopes: [scope], credentialsFile, fileField: 'credentials_file' } };
}

function serviceAccountCredential({ email, privateKey, keyId, tokenUri }: ServiceAccount, keyField: string): CredentialSpec {
  const uri = tokenUri ?? googleToken;
  return {
    scheme: 'oauth2',
    grant: { kind: 'jwt-bearer', tokenUri: uri, issuer: email, audience: uri, scope, privateKey, keyId, keyField, repeats },
  };
}

/** The fields of a service account's key file that tokens need. */
interface ServiceAccount {
  readonly email: string;
  readonly privateKey: string;
  readonly keyId: string | undefined;
  readonly project: string | undefined;
  readonly tokenUri: string | undefined;
}

/** Parses the key file; returns the problem as text, without quoting the file. */
export function parseServiceAccount(text: string): ServiceAccount | string {
  let file: unknown;
  try {
    file = parseJson(text);
  } catch {
    return 'it is not JSON';
  }
  if (!isJsonObject(file)) return 'it is not a JSON object';
  const type = file['type'];
  if (type !== undefined && type !== 'service_account') return `it is a file of type "${String(type).slice(0, 40)}", not service_account`;
  const email = textOf(file['client_email']);
  const key = textOf(file['private_key']);
  if (email === undefined) return 'it has no client_email';
  if (key === undefined) return 'it has no private_key';
  return {
    email,
    // In keys from an environment variable, line breaks are often written as a backslash and an n.
    privateKey: key.replaceAll(String.raw`\n`, '\n'),
    keyId: textOf(file['private_key_id']),
    project: textOf(file['project_id']),
    tokenUri: textOf(file['token_uri']),
  };
}

/** Parses a service account. @throws GatewayError `invalid_config` */
export function serviceAccountOf(text: string, param: string): ServiceAccount {
  const account = parseServiceAccount(text);
  if (typeof account !== 'string') return account;
  throw new GatewayError('invalid_config', {
    message: `The service account cannot be used: ${account}.`,
    param,
    hint: 'Use the whole JSON text of a key of type service_account.',
  });
}
