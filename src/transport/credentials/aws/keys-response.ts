import { isRetryable } from '../../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { tryParseObject } from '../../../core/json/scan.ts';
import { redactSecrets, timestampIn, type TokenResponse } from '../grants/token-request.ts';
import { type Token, TokenError } from '../token-source.ts';

/** Assumed lifetime of keys without an expiration, in milliseconds. */
const assumedLifetimeMs = 900_000;

/**
 * Extracts keys from a response: `{AccessKeyId, SecretAccessKey, Token | SessionToken, Expiration}`, at any depth in JSON or XML.
 * They are stored as JSON text, like any other token.
 *
 * @param fieldOf returns the field at fault, by the endpoint's error code
 * @throws TokenError with the endpoint's message
 */
export function keysOf(
  { status, body, host, requestedAt, secrets }: TokenResponse,
  fieldOf: (code: string) => string | undefined = () => undefined,
): Token {
  const text = body.toString('utf8');
  const found = membersIn(text);
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Expiration: until } = found;
  const sessionToken = found['Token'] ?? found['SessionToken'];
  if (status !== 200 || accessKeyId === undefined || secretAccessKey === undefined) {
    const code = found['Code'] ?? found['code'];
    const why = [code, found['Message'] ?? found['message']].filter((part) => part !== undefined && part !== 'Success');
    const reasons = why.length === 0 ? 'no keys, and no reason' : redactSecrets(why.join(': '), secrets).slice(0, 300);
    const message = `${host} returned ${status}: ${reasons}`;
    if (isRetryable(status) || temporary.test(why[0] ?? '')) throw new TokenError(message);
    // Without a code, the response may be that of a proxy or of another service.
    const field = code === undefined ? undefined : fieldOf(code);
    throw new TokenError(field === undefined ? message : `${field} cannot be used (${message.replace(/\.$/, '')})`, {
      field,
      reason: why[0],
    });
  }
  // If cached, they would be rejected until they expire.
  if (![accessKeyId, sessionToken ?? ''].every((part) => /^[\x21-\x7e]*$/.test(part)))
    throw new TokenError(`${host} returned keys that no header could carry, with status ${status}`);
  const expiry = timestampIn(until) ?? 0;
  const value = JSON.stringify({ accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) });
  return { value, expiresAt: expiry > requestedAt ? expiry : requestedAt + assumedLifetimeMs };
}

/** Codes of STS with status 400 after which a later request may succeed (AssumeRoleWithWebIdentity, "Errors"; "Common Error Types"). */
const temporary = /^(?:Throttling|IDPCommunicationError)/;

const names = ['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Token', 'Expiration', 'Code', 'Message', 'code', 'message'] as const;
type KeyMembers = { [N in (typeof names)[number]]?: string };

function membersIn(text: string): KeyMembers {
  const found: KeyMembers = {};
  const object = tryParseObject(text);
  if (object !== undefined) collect(object, found, 0);
  else
    for (const name of names) {
      const value = new RegExp(`<${name}>([^<]{1,8192})</${name}>`).exec(text)?.[1];
      if (value !== undefined) found[name] = unescaped(value).trim();
    }
  return found;
}

/** Maximum depth; responses nest the keys a few levels deep. */
const deepest = 4;

function collect(object: JsonObject, found: KeyMembers, depth: number): void {
  for (const name of names) {
    const value = object[name];
    if (typeof value === 'string' || typeof value === 'number') found[name] ??= String(value);
  }
  if (depth < deepest) for (const value of Object.values(object)) if (isJsonObject(value)) collect(value, found, depth + 1);
}

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' };
const unescaped = (text: string): string => text.replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (one) => entities[one] ?? one);
