import { remember } from '#core/memory/recent.ts';
import type { PluginHost } from '#core/plugin.ts';
import type { ApiKey, Snapshot } from '#core/snapshot.ts';

type Hasher = Pick<PluginHost, 'sha256'>;

/** Maximum values cached for one snapshot, and maximum length of a cached value. */
const mostKeys = 10_000;
const mostOthers = 1_000;
const longest = 512;

/**
 * Finds the API key for a value, for one snapshot. Keys are compared by hash. A value that was seen before needs one lookup.
 * Values that are not keys are cached separately, so that many of them cannot evict the keys.
 */
export class KnownKeys {
  readonly #apiKeys: ReadonlyMap<string, ApiKey>;
  readonly #host: Hasher;
  readonly #keys = new Map<string, ApiKey>();
  readonly #unknown = new Map<string, true>();

  constructor(snapshot: Snapshot, host: Hasher) {
    this.#apiKeys = snapshot.apiKeys;
    this.#host = host;
  }

  find(value: string): ApiKey | undefined {
    const seen = this.#keys.get(value);
    if (seen !== undefined) return seen;
    if (this.#unknown.has(value)) return undefined;
    const key = this.#apiKeys.get(this.#host.sha256(value));
    if (value.length > longest) return key;
    if (key === undefined) remember(this.#unknown, value, true, mostOthers);
    else remember(this.#keys, value, key, mostKeys);
    return key;
  }
}
