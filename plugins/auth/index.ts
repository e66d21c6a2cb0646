import type { Caller, Facts, Received } from '#core/context.ts';
import type { HeaderBag } from '#core/http/headers.ts';
import { looksLikeJwt } from '#core/secrets/jwt.ts';
import { keyPrefix } from '#core/secrets/key.ts';
import { definePlugin, type PluginHost, type PluginInstance } from '#core/plugin.ts';
import type { ApiKey, Snapshot } from '#core/snapshot.ts';
import { spelled } from '#core/text/header-spelling.ts';
import { consumedLists, credentialIn, credentialPlaces, keyHeaders } from './candidates.ts';
import { KnownKeys } from './known-keys.ts';
import { endedKey, keyHeader, noKey, unknownKey } from './refusals.ts';
import { Tokens } from './tokens.ts';

/**
 * Authenticates the caller. Finds the gateway key, distinguishes it from the caller's own provider credential, and lists the headers
 * that contained it, so that no stage forwards it. Without `api_keys` and `auth.jwt`, every caller is `anonymous`.
 */
export default definePlugin({
  name: 'auth',
  moments: ['admit'],
  provides: ['authentication'],
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: (_options, host) => new Auth(host),
});

class Auth implements PluginInstance {
  readonly #host: PluginHost;
  readonly #known = new WeakMap<Snapshot, Known>();

  constructor(host: PluginHost) {
    this.#host = host;
  }

  /** Synchronous, except for a token that is not cached. */
  admit(ctx: Received): Partial<Facts> | Promise<Partial<Facts>> {
    const { snapshot } = ctx;
    const open = snapshot.apiKeys.size === 0 && snapshot.jwt === undefined;
    const known = open ? undefined : this.#knownOf(snapshot);
    const found = search(ctx, known);
    if (open) return { caller: caller('anonymous', undefined, found) };
    if (found.key !== undefined) return admitted(ctx, found, found.key);
    const token = known?.tokens === undefined ? undefined : tokenIn(ctx.headers, found, known.tokens);
    if (token === undefined) throw found.value === undefined ? noKey(ctx) : unknownKey(found.value, headerOf(ctx, found));
    return this.#prove(ctx, found, token);
  }

  async #prove(ctx: Received, found: Found, { value, header }: Token): Promise<Partial<Facts>> {
    const tokens = this.#knownOf(ctx.snapshot).tokens;
    if (tokens === undefined) throw noKey(ctx);
    return admitted(ctx, found, await tokens.prove(value, header === keyHeader ? spelled(ctx.headers, 'apiKey') : header, ctx));
  }

  #knownOf(snapshot: Snapshot): Known {
    let known = this.#known.get(snapshot);
    if (known === undefined) {
      const tokens = snapshot.jwt === undefined ? undefined : new Tokens(snapshot.jwt, this.#host);
      known = { keys: new KnownKeys(snapshot, this.#host), tokens };
      this.#known.set(snapshot, known);
    }
    return known;
  }
}

/** The keys and tokens that one snapshot accepts. */
interface Known {
  readonly keys: KnownKeys;
  readonly tokens: Tokens | undefined;
}

/** Credentials found in the headers. */
interface Found {
  /** The first gateway key or token, valid or not, and its header. */
  value: string | undefined;
  header: string;
  key: ApiKey | undefined;
  /** Bit mask over `credentialPlaces`. */
  consumed: number;
  /** The first other credential. */
  credential: string | undefined;
}

/** Reads the headers in order of precedence. A value in the gateway's own header is always treated as a gateway key. */
function search({ headers, at }: Received, known: Known | undefined): Found {
  const tokens = known?.tokens;
  const own = credentialIn(headers.gateway('apiKey'));
  const found: Found = { value: own, header: keyHeader, key: undefined, consumed: 0, credential: undefined };
  if (own !== undefined) found.key = tokens?.known(own, at) ?? known?.keys.find(own);
  for (let bit = 0; bit < credentialPlaces.length; bit += 1) {
    const header = credentialPlaces[bit] as string;
    const value = credentialIn(headers.get(header));
    if (value === undefined) continue;
    const verified = bit === 0 && tokens?.inAuthorization === true ? tokens.known(value, at) : undefined;
    const isToken = verified !== undefined || (bit === 0 && tokens?.isOurs(value) === true);
    const key = isToken ? verified : known?.keys.find(value);
    const isOurs = key !== undefined || value === own || isToken || value.startsWith(keyPrefix);
    const isMixed = !isOurs && holdsKey(value, own, known?.keys);
    if (!isOurs && !isMixed) {
      found.credential ??= value;
      continue;
    }
    found.consumed |= 1 << bit;
    if (found.value !== undefined || isMixed || bit >= keyHeaders.length) continue;
    found.value = value;
    found.header = header;
    found.key = key;
  }
  return found;
}

/** Maximum words of a credential, because each is hashed. */
const mostWords = 32;

/**
 * Finds a gateway key among several words, for example if two headers of one name were joined. The other words are then
 * not a credential, and neither is a value with too many words.
 */
function holdsKey(value: string, own: string | undefined, keys: KnownKeys | undefined): boolean {
  if (!/[\s,]/.test(value)) return false;
  const words = value.split(/[\s,]+/, mostWords + 1);
  return (
    words.length > mostWords ||
    words.some((word) => word.startsWith(keyPrefix) || (word !== '' && word === own) || keys?.find(word) !== undefined)
  );
}

interface Token {
  readonly value: string;
  readonly header: string;
}

/**
 * The token to verify: from the place of the key, or from `Authorization` if tokens are accepted there. A token of an
 * unknown issuer is also returned, so that the error explains why it is rejected.
 */
function tokenIn(headers: HeaderBag, found: Found, tokens: Tokens): Token | undefined {
  if (found.value !== undefined) {
    const isPlace = found.header === keyHeader || found.header === keyHeaders[0];
    return isPlace && looksLikeJwt(found.value) ? { value: found.value, header: found.header } : undefined;
  }
  const value = tokens.inAuthorization ? credentialIn(headers.get(keyHeaders[0])) : undefined;
  return value !== undefined && looksLikeJwt(value) ? { value, header: keyHeaders[0] } : undefined;
}

/** Returns a known key unless it has expired. */
function admitted(ctx: Received, found: Found, key: ApiKey): Partial<Facts> {
  const { at } = ctx;
  if (isOver(key.expires, at) || isOver(key.revoked, at) || isOver(key.retires, at)) throw endedKey(key, at, headerOf(ctx, found));
  return { caller: caller(key.name, key, found) };
}

const isOver = (end: number | undefined, now: number): boolean => end !== undefined && end <= now;

/** The header of the value, in the caller's spelling. */
function headerOf({ headers }: Received, { header }: Found): string {
  return header === keyHeader ? spelled(headers, 'apiKey') : header;
}

function caller(name: string, key: ApiKey | undefined, found: Found): Caller {
  return { name, key, credential: found.credential, consumed: consumedLists[found.consumed] ?? credentialPlaces };
}
