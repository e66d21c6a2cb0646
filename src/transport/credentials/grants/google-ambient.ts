import { isRetryable } from '../../../core/error.ts';
import { withTimeout } from '../../../core/async/with-timeout.ts';
import type { AuthClient, GoogleAuthOptions } from 'google-auth-library';
import type { OAuthGrant } from '../../../core/provider.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import { checkRegularFile } from '../../../core/files/regular-file.ts';
import { type Token, TokenError, type TokenFetcher } from '../token-source.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import type { GrantDeps } from './token-request.ts';

type Grant = Extract<OAuthGrant, { kind: 'google-ambient' }>;

/** The part of `google-auth-library` that is used. */
export interface GoogleAuthLibrary {
  readonly GoogleAuth: new (
    options: GoogleAuthOptions,
  ) => {
    getClient(): Promise<Client>;
    /**
     * What `getClient` uses for the file that the environment names. It is private, so it may be missing, but its public equivalents
     * print warnings to the console.
     */
    _getApplicationCredentialsFromFilePath?(path: string): Promise<Client>;
  };
  readonly gcpMetadata?: { resetIsAvailableCache(): void };
}

/** Timeout in milliseconds; a metadata server responds immediately or does not exist. */
const defaultTimeoutMs = 10_000;
/** Maximum size in bytes; a credential file has a few kilobytes. */
const maxCredentials = 1024 * 1024;
/** Assumed lifetime of a token in milliseconds, if the library does not know it. */
const assumedLifetimeMs = 300_000;

type Client = Pick<AuthClient, 'getAccessToken' | 'credentials'>;

/**
 * The identity of the machine: credential files, workload identity, the metadata server. The library implements all of it; it is
 * loaded when the first token is needed.
 */
export function googleAmbient(
  grant: Grant,
  deps: Pick<GrantDeps, 'now' | 'env'> & { readonly timeoutMs?: number },
  load: () => Promise<GoogleAuthLibrary> = () => import('google-auth-library'),
): TokenFetcher {
  let client: Promise<Client> | undefined;
  const file = fileOf(grant, deps.env);
  const fetch = async (): Promise<Token> => {
    client ??= open(grant, file, load);
    const opened = await client;
    const { token } = await opened.getAccessToken();
    if (typeof token !== 'string' || token === '') throw new TokenError('the machine provides no token');
    return { value: token, expiresAt: opened.credentials.expiry_date ?? deps.now() + assumedLifetimeMs };
  };
  return {
    async fetch() {
      try {
        const timeoutMs = deps.timeoutMs ?? defaultTimeoutMs;
        return await withTimeout(fetch(), timeoutMs, () => {
          throw new TokenError(`no token within ${timeoutMs} ms`);
        });
      } catch (error) {
        client = undefined;
        throw error instanceof TokenError ? error : faultOf(error, file);
      }
    },
    // The library caches tokens itself, so a new client is needed to fetch another one.
    clearCache: () => {
      client = undefined;
    },
  };
}

/** A credential file, the setting or variable that names it, and the setting that could name it. */
interface NamedFile {
  readonly path: string;
  readonly named: string;
  readonly field: string;
}

const variable = 'GOOGLE_APPLICATION_CREDENTIALS';

/** Undefined if the library has to find the identity. */
function fileOf({ credentialsFile, fileField }: Grant, env: GrantDeps['env']): NamedFile | undefined {
  if (credentialsFile !== undefined) return { path: credentialsFile, named: fileField, field: fileField };
  const path = env[variable];
  return path === undefined || path === '' ? undefined : { path, named: variable, field: fileField };
}

async function open({ scopes }: Grant, file: NamedFile | undefined, load: () => Promise<GoogleAuthLibrary>): Promise<Client> {
  const { GoogleAuth, gcpMetadata } = await load().catch((cause: unknown) => {
    throw new TokenError('ambient Google credentials need the package google-auth-library: add it with npm install google-auth-library', {
      cause,
    });
  });
  const auth = new GoogleAuth({ scopes: [...scopes] });
  if (file !== undefined) {
    checkCredentials(file);
    return (
      auth._getApplicationCredentialsFromFilePath?.(file.path) ??
      new GoogleAuth({ scopes: [...scopes], keyFilename: file.path }).getClient()
    );
  }
  try {
    return await auth.getClient();
  } catch (error) {
    // The library would remember until the process ends that no metadata server responded, but it may only have started later.
    gcpMetadata?.resetIsAvailableCache();
    throw error;
  }
}

/** The library would wait forever for the end of a pipe, on a thread of the pool that all file operations share. */
function checkCredentials({ path, named, field }: NamedFile): void {
  try {
    checkRegularFile(path, maxCredentials);
  } catch (cause) {
    throw new TokenError(`${named} names a file that cannot be read (${errorCode(cause)})`, { field, cause });
  }
}

/** JSON parsers quote invalid input in their message: part of a private key would reach callers and logs, also through the cause. */
const quotedInput = /Unexpected token .*/s;

/** The library names the path of a missing file, which callers must not see. */
const missing = /The file at .* does not exist, or it is not a file.*/s;

/** The library's error for a response of a token endpoint that is no JSON object. It quotes the response. */
const notAnObject = /^Cannot (?:create property 'res' on|set properties of \w+ \(setting 'res'\))/;

/** The library's message for an error response that is an object of Google's APIs, or not JSON. */
const noOAuthError = /^Error code (?:\[object Object\]|undefined)$/;

/** A token or key of the request, which an endpoint may repeat: a JWT, a bearer token, a member of a form. */
const echoedSecret = /eyJ[\w-]{8,}(?:\.[\w-]*)*|(?<=Bearer )[^\s"',]+|(?<=(?:_token|_secret|assertion)=)[^\s"'&]+/g;

/** @param file the file that the client was created from */
function faultOf(error: unknown, file: NamedFile | undefined): TokenError {
  const text = error instanceof Error ? messageOf(error) : String(error);
  // Without the cause, which quotes the response too.
  if (notAnObject.test(text)) return new TokenError('the token endpoint returned no JSON object');
  const clean = text.replace(quotedInput, 'it is not valid JSON').replaceAll(echoedSecret, '***');
  // Logs show the message of a cause too.
  const cause = clean === text ? { cause: error } : {};
  const message = firstLine(clean.replace(missing, 'the file does not exist, or is not a file'));
  // Without a request of the library, its content or a file that it names is at fault.
  if (file !== undefined && !isOfRequest(error))
    return new TokenError(`${file.named} names a file that cannot be used: ${message}`, { ...cause, field: file.field });
  return new TokenError(message, { ...cause, reason: reasonOf(error) });
}

/** Replaces the message of the library for an error response that is not in the format of OAuth. */
function messageOf(error: Error): string {
  if (!noOAuthError.test(error.message)) return error.message;
  const { status, data } = responseOf(error);
  const told = isJsonObject(data) && isJsonObject(data['error']) ? data['error']['message'] : undefined;
  return `the token endpoint returned ${String(status)}${typeof told === 'string' ? `: ${told}` : ''}`;
}

/** The response in an error of the library's HTTP client. */
function responseOf(error: unknown): { readonly status?: unknown; readonly data?: unknown } {
  return (error as { readonly response?: object }).response ?? {};
}

/** True for an error of the library's HTTP client, which has the options of the request. */
const isOfRequest = (error: unknown): boolean => error instanceof Error && 'config' in error;

/** Returns the status with which an endpoint rejected the credential; undefined if a later request may succeed. */
function reasonOf(error: unknown): string | undefined {
  const { status } = responseOf(error);
  return typeof status === 'number' && !isRetryable(status) ? String(status) : undefined;
}

/** Without a trailing full stop, because the text becomes part of a sentence. */
function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, 300).replace(/\.\s*$/, '') || "the machine's credentials could not be used";
}
