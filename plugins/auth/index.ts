import type { Caller, Facts, Received } from '#core/context.ts';
import type { HeaderBag } from '#core/http/headers.ts';
import { looksLikeJwt } from '#core/secrets/jwt.ts';
import { keyPrefix } from '#core/secrets/key.ts';
import { definePlugin, type PluginHost, type PluginInstance } from '#core/plugin.ts';
import type { ApiKey, Snapshot } from '#core/snapshot.ts';
import { headerNameAsSent } from '#core/text/header-name-as-sent.ts';
import { consumedHeaderLists, credentialIn, candidateHeaders, keyHeaders } from './candidates.ts';
import { KnownKeys } from './known-keys.ts';
import { inactiveKey, keyHeader, missingKey, unknownKey } from './refusals.ts';
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
  readonly #accepted = new WeakMap<Snapshot, AcceptedCredentials>();

  constructor(host: PluginHost) {
    this.#host = host;
  }

  /** Synchronous, except for a token that is not cached. */
  admit(ctx: Received): Partial<Facts> | Promise<Partial<Facts>> {
    const { snapshot } = ctx;
    const needsNoKey = snapshot.apiKeys.size === 0 && snapshot.jwt === undefined;
    const known = needsNoKey ? undefined : this.#acceptedBy(snapshot);
    const found = findCredentials(ctx, known);
    if (needsNoKey) return { caller: caller('anonymous', undefined, found) };
    if (found.key !== undefined) return admitKey(ctx, found, found.key);
    const token = known?.tokens === undefined ? undefined : tokenIn(ctx.headers, found, known.tokens);
    if (token === undefined) throw found.value === undefined ? missingKey(ctx) : unknownKey(found.value, headerNameOf(ctx, found));
    return this.#verify(ctx, found, token);
  }

  async #verify(ctx: Received, found: FoundCredentials, { value, header }: Token): Promise<Partial<Facts>> {
    const tokens = this.#acceptedBy(ctx.snapshot).tokens;
    if (tokens === undefined) throw missingKey(ctx);
    return admitKey(ctx, found, await tokens.verify(value, header === keyHeader ? headerNameAsSent(ctx.headers, 'apiKey') : header, ctx));
  }

  #acceptedBy(snapshot: Snapshot): AcceptedCredentials {
    let known = this.#accepted.get(snapshot);
    if (known === undefined) {
      const tokens = snapshot.jwt === undefined ? undefined : new Tokens(snapshot.jwt, this.#host);
      known = { keys: new KnownKeys(snapshot, this.#host), tokens };
      this.#accepted.set(snapshot, known);
    }
    return known;
  }
}

/** The keys and tokens that one snapshot accepts. */
interface AcceptedCredentials {
  readonly keys: KnownKeys;
  readonly tokens: Tokens | undefined;
}

/** Credentials found in the headers. */
interface FoundCredentials {
  /** The first gateway key or token, valid or not, and its header. */
  value: string | undefined;
  header: string;
  key: ApiKey | undefined;
  /** Bit mask over `candidateHeaders`. */
  consumed: number;
  /** The first other credential. */
  credential: string | undefined;
}

/** Reads the headers in order of precedence. A value in the gateway's own header is always treated as a gateway key. */
function findCredentials({ headers, at }: Received, known: AcceptedCredentials | undefined): FoundCredentials {
  const tokens = known?.tokens;
  const gatewayValue = credentialIn(headers.gateway('apiKey'));
  const found: FoundCredentials = { value: gatewayValue, header: keyHeader, key: undefined, consumed: 0, credential: undefined };
  if (gatewayValue !== undefined) found.key = tokens?.cachedKey(gatewayValue, at) ?? known?.keys.find(gatewayValue);
  for (let bit = 0; bit < candidateHeaders.length; bit += 1) {
    const header = candidateHeaders[bit] as string;
    const value = credentialIn(headers.get(header));
    if (value === undefined) continue;
    const verified = bit === 0 && tokens?.inAuthorization === true ? tokens.cachedKey(value, at) : undefined;
    const isToken = verified !== undefined || (bit === 0 && tokens?.isGatewayToken(value) === true);
    const key = isToken ? verified : known?.keys.find(value);
    const isForGateway = key !== undefined || value === gatewayValue || isToken || value.startsWith(keyPrefix);
    const includesKey = !isForGateway && includesGatewayKey(value, gatewayValue, known?.keys);
    if (!isForGateway && !includesKey) {
      found.credential ??= value;
      continue;
    }
    found.consumed |= 1 << bit;
    if (found.value !== undefined || includesKey || bit >= keyHeaders.length) continue;
    found.value = value;
    found.header = header;
    found.key = key;
  }
  return found;
}

/** Maximum number of parts of a header value that are looked up as keys: each one is hashed. */
const maxParts = 32;

/**
 * Finds a gateway key among several words, for example if two headers of one name were joined. The other words are then
 * not a credential, and neither is a value with too many words.
 */
function includesGatewayKey(value: string, gatewayValue: string | undefined, keys: KnownKeys | undefined): boolean {
  if (!/[\s,]/.test(value)) return false;
  const parts = value.split(/[\s,]+/, maxParts + 1);
  return (
    parts.length > maxParts ||
    parts.some((word) => word.startsWith(keyPrefix) || (word !== '' && word === gatewayValue) || keys?.find(word) !== undefined)
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
function tokenIn(headers: HeaderBag, found: FoundCredentials, tokens: Tokens): Token | undefined {
  if (found.value !== undefined) {
    const isTokenHeader = found.header === keyHeader || found.header === keyHeaders[0];
    return isTokenHeader && looksLikeJwt(found.value) ? { value: found.value, header: found.header } : undefined;
  }
  const value = tokens.inAuthorization ? credentialIn(headers.get(keyHeaders[0])) : undefined;
  return value !== undefined && looksLikeJwt(value) ? { value, header: keyHeaders[0] } : undefined;
}

/** Accepts a known key. @throws GatewayError if it has expired, was revoked, or its rotation overlap has ended. */
function admitKey(ctx: Received, found: FoundCredentials, key: ApiKey): Partial<Facts> {
  const { at } = ctx;
  if (hasPassed(key.expires, at) || hasPassed(key.revoked, at) || hasPassed(key.retires, at))
    throw inactiveKey(key, at, headerNameOf(ctx, found));
  return { caller: caller(key.name, key, found) };
}

const hasPassed = (end: number | undefined, now: number): boolean => end !== undefined && end <= now;

/** The header of the value, in the caller's spelling. */
function headerNameOf({ headers }: Received, { header }: FoundCredentials): string {
  return header === keyHeader ? headerNameAsSent(headers, 'apiKey') : header;
}

function caller(name: string, key: ApiKey | undefined, found: FoundCredentials): Caller {
  return { name, key, credential: found.credential, consumed: consumedHeaderLists[found.consumed] ?? candidateHeaders };
}
