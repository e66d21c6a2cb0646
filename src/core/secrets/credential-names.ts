import { credentialHeaders } from '../http/headers.ts';
import { nearest } from '../text/nearest.ts';

/** Ends of header names whose whole value is a credential, whatever prefix they came under. */
const credentialEnd =
  /(?:^|[-_])(?:api-?key|apikey|subscription-key|functions-key|access-key|access-key-id|account-key|app-key|auth-key|client-key|master-key|private-key|auth|authorization|assertion|cookie2?|credentials?|jwt|passw(?:or)?d|sas|secret|signature|token|service-account(?:-json)?)$/;

/** True for headers that hold a credential. `name` in lower case. */
export function isCredentialHeader(name: string): boolean {
  return credentialHeaders.has(name) || credentialEnd.test(name);
}

/** Keys of a configuration under which a secret is written, in every spelling that providers and pasted configs use. */
const secretKey =
  /(^|[_-])(api[_-]?key|secret|secret[_-]?key|client[_-]?secret|access[_-]?key|access[_-]?key[_-]?id|access[_-]?token|auth[_-]?token|token|authorization|password|private[_-]?key|service[_-]?account([_-]?json)?)$/i;

const snake = (key: string): string => key.replace(/[a-z][A-Z]/g, (pair) => `${pair.charAt(0)}_${pair.charAt(1).toLowerCase()}`);

/** True for a member of a configuration whose value must not be shown. */
export const isSecretName = (name: string): boolean => secretKey.test(snake(name));

/** Names that people mistype. */
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

const judged = new Map<string, boolean>();
const mostJudged = 1000;

/** The same, and what is nearly such a name: whoever writes `api_keyy` has a key to hide, too. */
export function isNearSecretName(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isOne = isSecretName(name) || nearest(snake(name), secretNames) !== undefined;
  if (judged.size < mostJudged && name.length < 100) judged.set(name, isOne);
  return isOne;
}

/** Parameters of a query that hold a credential, beside what `isSecretName` knows: signatures, and keys of portals. */
const credentialParam = /^(?:sig|signature|code|key|(?:.*-)?subscription-key|x-functions-key|x-api-key|x-goog-api-key|auth)$/i;

const isCredentialParam = (name: string): boolean => isSecretName(name) || credentialParam.test(name);

/** `?name=value` in an address or a path, its separators percent-encoded or not. */
const parameter = /([?&;/]|%2f|%3f|%26|%3b)([^=&;/#\s"'?%]+)(=|%3d)((?:(?!%26|%3b)[^&;#\s"'])+)/gi;
/** What is in every one of them: most texts have none. */
const sign = /[@=%]/;
const userInfo = /(:\/\/)[^/?#\s"'@]*@/g;

/** What replaces a secret in a text. ASCII: a character beyond latin1 makes all of a record twice as large, and dear to write. */
export const masked = '***';

/** A text with the user info and the credentials of every address in it hidden. */
export function maskAddresses(text: string): string {
  if (!sign.test(text)) return text;
  const named = text.includes('@') && text.includes('://') ? text.replaceAll(userInfo, `$1${masked}@`) : text;
  return text.includes('=') || (text.includes('%') && /%3d/i.test(text)) ? named.replaceAll(parameter, maskParameter) : named;
}

const maskParameter = (whole: string, lead: string, name: string, equals: string): string =>
  isCredentialParam(name) ? `${lead}${name}${equals}${masked}` : whole;
