import { setBounded } from '#core/memory/set-bounded.ts';
import type { PluginHost } from '#core/plugin.ts';
import type { ApiKey, Snapshot } from '#core/snapshot.ts';

type Hasher = Pick<PluginHost, 'sha256'>;

/** Maximum values cached for one snapshot, and maximum length of a cached value. */
const maxCachedKeys = 10_000;
const maxUnknownValues = 1_000;
const maxCachedLength = 512;

/**
 * Finds the API key for a value, for one snapshot. Keys are compared by hash. A value that was seen before needs one lookup.
 * Values that are not keys are cached separately, so that many of them cannot evict the keys.
 */
export class KnownKeys {
  readonly #apiKeys: ReadonlyMap<string, ApiKey>;
  readonly #host: Hasher;
  readonly #cachedKeys = new Map<string, ApiKey>();
  readonly #unknownValues = new Map<string, true>();

  constructor(snapshot: Snapshot, host: Hasher) {
    this.#apiKeys = snapshot.apiKeys;
    this.#host = host;
  }

  find(value: string): ApiKey | undefined {
    const seen = this.#cachedKeys.get(value);
    if (seen !== undefined) return seen;
    if (this.#unknownValues.has(value)) return undefined;
    const key = this.#apiKeys.get(this.#host.sha256(value));
    if (value.length > maxCachedLength) return key;
    if (key === undefined) setBounded(this.#unknownValues, value, true, maxUnknownValues);
    else setBounded(this.#cachedKeys, value, key, maxCachedKeys);
    return key;
  }
}
