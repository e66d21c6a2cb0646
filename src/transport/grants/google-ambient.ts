import type { AuthClient, GoogleAuthOptions } from 'google-auth-library';
import type { OAuthGrant } from '../../core/provider.ts';
import { type Token, TokenError, type TokenFetcher } from '../token-source.ts';

type Grant = Extract<OAuthGrant, { kind: 'google-ambient' }>;

/** The part of `google-auth-library` that is used. */
export interface GoogleAuthLibrary {
  readonly GoogleAuth: new (options: GoogleAuthOptions) => { getClient(): Promise<Pick<AuthClient, 'getAccessToken' | 'credentials'>> };
}

/** Milliseconds: metadata servers answer at once, or there is none. */
const patience = 10_000;
/** Milliseconds: where the library doesn't know how long a token lives. */
const assumedLife = 300_000;

/**
 * The identity of the machine: credential files, workload identity, the metadata server. All of it is the library's,
 * which is loaded when the first token is needed.
 */
export function googleAmbient(grant: Grant, deps: { now(): number }, load: () => Promise<GoogleAuthLibrary> = loadLibrary): TokenFetcher {
  let client: Promise<Pick<AuthClient, 'getAccessToken' | 'credentials'>> | undefined;
  const open = async (): Promise<Pick<AuthClient, 'getAccessToken' | 'credentials'>> => {
    const { GoogleAuth } = await load();
    const file = grant.credentialsFile;
    return new GoogleAuth({ scopes: [...grant.scopes], ...(file === undefined ? {} : { keyFilename: file }) }).getClient();
  };
  const fetch = async (): Promise<Token> => {
    client ??= open();
    const { getAccessToken, credentials } = await bindable(client);
    const { token } = await getAccessToken();
    if (typeof token !== 'string' || token === '') throw new TokenError('the machine has no token to give');
    return { value: token, expiresAt: credentials().expiry_date ?? deps.now() + assumedLife };
  };
  return {
    async fetch() {
      try {
        return await within(fetch());
      } catch (error) {
        client = undefined;
        throw error instanceof TokenError ? error : new TokenError(firstLine(error), { cause: error });
      }
    },
    // The library keeps tokens of its own: only a new client asks again.
    forget: () => {
      client = undefined;
    },
  };
}

async function bindable(client: Promise<Pick<AuthClient, 'getAccessToken' | 'credentials'>>) {
  const opened = await client;
  return { getAccessToken: () => opened.getAccessToken(), credentials: () => opened.credentials };
}

async function loadLibrary(): Promise<GoogleAuthLibrary> {
  try {
    return await import('google-auth-library');
  } catch (cause) {
    throw new TokenError('ambient Google credentials need the package google-auth-library: add it with npm install google-auth-library', {
      cause,
    });
  }
}

async function within(work: Promise<Token>): Promise<Token> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TokenError(`no token within ${patience} ms`)), patience);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n')[0] ?? '').slice(0, 300) || 'the credentials of the machine could not be used';
}
