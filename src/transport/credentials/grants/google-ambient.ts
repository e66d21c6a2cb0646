import type { AuthClient, GoogleAuthOptions } from 'google-auth-library';
import type { OAuthGrant } from '../../../core/provider.ts';
import { checkRegularFile } from '../../../core/files/regular-file.ts';
import { type Token, TokenError, type TokenFetcher } from '../token-source.ts';
import { errorCode } from '../../../core/text/error-code.ts';

type Grant = Extract<OAuthGrant, { kind: 'google-ambient' }>;

/** The part of `google-auth-library` that is used. */
export interface GoogleAuthLibrary {
  readonly GoogleAuth: new (options: GoogleAuthOptions) => { getClient(): Promise<Pick<AuthClient, 'getAccessToken' | 'credentials'>> };
}

/** Milliseconds: metadata servers answer at once, or there is none. */
const patience = 10_000;
/** Bytes: a credential file has some kilobytes. */
const maxCredentials = 1024 * 1024;
/** Milliseconds: where the library doesn't know how long a token lives. */
const assumedLife = 300_000;

type Client = Pick<AuthClient, 'getAccessToken' | 'credentials'>;

/**
 * The identity of the machine: credential files, workload identity, the metadata server. All of it is the library's,
 * which is loaded when the first token is needed.
 */
export function googleAmbient(
  grant: Grant,
  deps: { now(): number; readonly patienceMs?: number },
  load: () => Promise<GoogleAuthLibrary> = () => import('google-auth-library'),
): TokenFetcher {
  let client: Promise<Client> | undefined;
  const fetch = async (): Promise<Token> => {
    client ??= open(grant, load);
    const opened = await client;
    const { token } = await opened.getAccessToken();
    if (typeof token !== 'string' || token === '') throw new TokenError('the machine provides no token');
    return { value: token, expiresAt: opened.credentials.expiry_date ?? deps.now() + assumedLife };
  };
  return {
    async fetch() {
      try {
        return await within(fetch(), deps.patienceMs ?? patience);
      } catch (error) {
        client = undefined;
        throw error instanceof TokenError ? error : faultOf(error);
      }
    },
    // The library keeps tokens of its own: only a new client asks again.
    forget: () => {
      client = undefined;
    },
  };
}

async function open(grant: Grant, load: () => Promise<GoogleAuthLibrary>): Promise<Client> {
  const { GoogleAuth } = await load().catch((cause: unknown) => {
    throw new TokenError('ambient Google credentials need the package google-auth-library: add it with npm install google-auth-library', {
      cause,
    });
  });
  const file = grant.credentialsFile;
  if (file !== undefined) checkCredentials(file);
  return new GoogleAuth({ scopes: [...grant.scopes], ...(file === undefined ? {} : { keyFilename: file }) }).getClient();
}

/** The library would wait for ever for the end of a pipe, on a thread that all files share. */
function checkCredentials(file: string): void {
  try {
    checkRegularFile(file, maxCredentials);
  } catch (cause) {
    const code = errorCode(cause);
    // The library names the file.
    if (code === 'ENOENT') return;
    throw new TokenError(`the credentials file cannot be read (${code})`, { cause });
  }
}

async function within(work: Promise<Token>, patienceMs: number): Promise<Token> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TokenError(`no token within ${patienceMs} ms`)), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A parser of JSON quotes what it cannot read: a piece of a private key would reach callers and logs, also as the cause. */
const quotes = /Unexpected token .*/s;

function faultOf(error: unknown): TokenError {
  const text = error instanceof Error ? error.message : String(error);
  const isQuoting = quotes.test(text);
  return new TokenError(firstLine(text.replace(quotes, 'it is not valid JSON')), isQuoting ? {} : { cause: error });
}

/** Without the end of a sentence: the words go into one of ours. */
function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, 300).replace(/\.\s*$/, '') || "the machine's credentials could not be used";
}
