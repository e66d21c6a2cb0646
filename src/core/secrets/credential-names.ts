import { credentialHeaders } from '../http/headers.ts';
import { percentDecoded } from '../http/query.ts';
import { nearest } from '../text/nearest.ts';

/** Suffixes of header names whose whole value is a credential, with any prefix. */
const credentialEnd =
  /(?:^|[-_])(?:api-?key|apikey|subscription-key|functions-key|access-key|access-key-id|account-key|app-key|auth-key|client-key|master-key|private-key|auth|authorization|assertion|cookie2?|credentials?|jwt|passw(?:or)?d|sas|secret|signature|token|service-account(?:-json)?)$/;

/** True for headers that contain a credential. Expects `name` in lower case. */
export function isCredentialHeader(name: string): boolean {
  return credentialHeaders.has(name) || credentialEnd.test(name);
}

const keySubprotocol = /^openai-insecure-api-key\.|^gw_|api[-_]?key[.=]|bearer[.=]/i;

/** True for a WebSocket subprotocol that contains a credential, because browsers cannot send it in a header. */
export const isKeySubprotocol = (name: string): boolean => keySubprotocol.test(name);

/** Configuration keys whose value is a secret, in every spelling that providers and pasted configs use. */
const secretKey =
  /(^|[_-])(api[_-]?key|secret|secret[_-]?key|client[_-]?secret|access[_-]?key|access[_-]?key[_-]?id|access[_-]?token|auth[_-]?token|token|authorization|password|private[_-]?key|service[_-]?account([_-]?json)?)$/i;

const toSnakeCase = (key: string): string => key.replace(/[a-z][A-Z]/g, (pair) => `${pair.charAt(0)}_${pair.charAt(1).toLowerCase()}`);

/** True for a configuration key whose value must not be shown. */
export const isSecretName = (name: string): boolean => secretKey.test(toSnakeCase(name));

/** Names that are likely to be mistyped. */
const secretNames = [
  'api_key',
  'apikey',
  'secret',
  'client_secret',
  'access_key',
  'secret_access_key',
  'access_token',
  'auth_token',
  'token',
  'password',
  'private_key',
  'authorization',
  'service_account_json',
] as const;

const nearNameCache = new Map<string, boolean>();
const maxCachedNames = 1000;

/** Also true for names that are similar to such a name: the value of `api_keyy` is a secret, too. */
export function isNearSecretName(name: string): boolean {
  const known = nearNameCache.get(name);
  if (known !== undefined) return known;
  const isOne = isSecretName(name) || nearest(toSnakeCase(name), secretNames) !== undefined;
  if (nearNameCache.size < maxCachedNames && name.length < 100) nearNameCache.set(name, isOne);
  return isOne;
}

/** Query parameters that contain a credential, besides those of `isSecretName`: signatures, passwords and keys of portals. */
const credentialParam =
  /^(?:sig|(?:x-(?:amz|goog|oss|obs|tos|cos)-)?signature|code|key|(?:.*[-_])?(?:pass|passwd|passphrase|pwd)|(?:.*-)?subscription-key|x-functions-key|x-api-key|x-goog-api-key|auth)$/i;

function isCredentialParam(written: string): boolean {
  const name = written.includes('%') ? percentDecoded(written) : written;
  return isSecretName(name) || credentialParam.test(name);
}

/** `?name=value` in an address or a path, with separators percent-encoded or not. */
const parameter = /([?&;/]|%2f|%3f|%26|%3b)([^=&;/#\s"'?%]*(?:%(?!2f|3f|26|3b|3d)[^=&;/#\s"'?%]*)*)(=|%3d)((?:(?!%26|%3b)[^&;#\s"'])+)/gi;
/** Characters of which every match contains one: most texts have none of them. */
const sign = /[@=%]/;
/** Up to the last @ before the path. */
const userInfo = /(:\/\/)[^/?#\s"']*(@)/g;
/** The same in an address that is a parameter of another one. */
const encodedUserInfo = /(%3a%2f%2f)(?:(?!%2f|%3f|%23|%26|%40)[^/?#&\s"'@])*(%40)/gi;

/**
 * Replacement for secrets in text. ASCII, because a character beyond Latin-1 doubles the size of a record's string and
 * makes it expensive to write.
 */
export const masked = '***';

/** Replacement for a value that the reader of a record may not see. It is not part of stored records. */
export const hiddenValue = '•••';

/** Masks user info and credentials in all addresses in a text. */
export function maskAddresses(text: string): string {
  if (!sign.test(text)) return text;
  const plain = text.includes('@') && text.includes('://') ? text.replaceAll(userInfo, `$1${masked}$2`) : text;
  const named = text.includes('%40') ? plain.replaceAll(encodedUserInfo, `$1${masked}$2`) : plain;
  return text.includes('=') || (text.includes('%') && /%3d/i.test(text)) ? named.replaceAll(parameter, maskParameter) : named;
}

const maskParameter = (whole: string, lead: string, name: string, equals: string): string =>
  isCredentialParam(name) ? `${lead}${name}${equals}${masked}` : whole;
