import type { Caller, Facts, Received } from '#core/context.ts';
import type { HeaderBag } from '#core/headers.ts';
import { keyPrefix } from '#core/key.ts';
import { definePlugin, type PluginHost, type PluginInstance } from '#core/plugin.ts';
import type { ApiKey, Snapshot } from '#core/snapshot.ts';
import { spelled } from '#core/spelling.ts';
import { consumedLists, credentialIn, keyHeaders, providerKeyHeader } from './candidates.ts';
import { KnownKeys } from './known-keys.ts';
import { expiredKey, keyHeader, noKey, unknownKey } from './refusals.ts';

/**
 * Who is calling. Finds the gateway key, tells it from the caller's own provider credential, and says which headers
 * held it, so that no stage sends it on. Without `api_keys` everybody is `anonymous`.
 */
export default definePlugin({
  name: 'auth',
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: (_options, host) => new Auth(host),
});

class Auth implements PluginInstance {
  readonly #host: PluginHost;
  readonly #known = new WeakMap<Snapshot, KnownKeys>();

  constructor(host: PluginHost) {
    this.#host = host;
  }

  admit(ctx: Received): Partial<Facts> {
    const open = ctx.snapshot.apiKeys.size === 0;
    const found = search(ctx.headers, open ? undefined : this.#keysOf(ctx.snapshot));
    if (open) return { caller: caller('anonymous', undefined, found) };
    if (found.key === undefined) throw found.value === undefined ? noKey(ctx) : unknownKey(found.value, headerOf(ctx, found));
    const { expires } = found.key;
    if (expires !== undefined && expires <= ctx.at) throw expiredKey(found.key, expires, headerOf(ctx, found));
    return { caller: caller(found.key.name, found.key, found) };
  }

  #keysOf(snapshot: Snapshot): KnownKeys {
    let known = this.#known.get(snapshot);
    if (known === undefined) {
      known = new KnownKeys(snapshot, this.#host);
      this.#known.set(snapshot, known);
    }
    return known;
  }
}

/** What the headers hold. */
interface Found {
  /** The first value that is ours, known or not, and where it stood. */
  value: string | undefined;
  header: string;
  key: ApiKey | undefined;
  /** Bit mask over `keyHeaders`. */
  consumed: number;
  /** The first value that is not ours. */
  credential: string | undefined;
}

/** Looks through the headers in order of rank; the gateway's own header always holds a key of ours. */
function search(headers: HeaderBag, known: KnownKeys | undefined): Found {
  const own = credentialIn(headers.gateway('apiKey'));
  const found: Found = { value: own, header: keyHeader, key: undefined, consumed: 0, credential: undefined };
  if (own !== undefined) found.key = known?.find(own);
  for (let bit = 0; bit < keyHeaders.length; bit += 1) {
    const header = keyHeaders[bit] as string;
    const value = credentialIn(headers.get(header));
    if (value === undefined) continue;
    const key = known?.find(value);
    if (key === undefined && value !== own && !value.startsWith(keyPrefix)) {
      found.credential ??= value;
      continue;
    }
    found.consumed |= 1 << bit;
    if (found.value !== undefined) continue;
    found.value = value;
    found.header = header;
    found.key = key;
  }
  found.credential ??= credentialIn(headers.get(providerKeyHeader));
  return found;
}

/** Where the value stood, as the caller spells it. */
function headerOf({ headers }: Received, { header }: Found): string {
  return header === keyHeader ? spelled(headers, 'apiKey') : header;
}

function caller(name: string, key: ApiKey | undefined, found: Found): Caller {
  return { name, key, credential: found.credential, consumed: consumedLists[found.consumed] ?? keyHeaders };
}
