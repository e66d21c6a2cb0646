import { randomUUID } from 'node:crypto';
import { sha256 } from '../../core/secrets/sha256.ts';
import { GatewayError } from '../../core/error.ts';
import { canonicalPrefix, requestHeaders } from '../../core/http/headers.ts';
import type { ApiKey, Snapshot } from '../../core/snapshot.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import { shortList } from '../../core/text/wording.ts';

/** Lets a request use an API key by its name: each key gets a substitute secret, because only hashes of real ones are known. */
export class SubstituteKeys {
  /** With the substitute secrets besides the real ones. */
  readonly snapshot: Snapshot;
  /** Name of a key → its substitute secret. */
  readonly #secrets = new Map<string, string>();

  constructor(snapshot: Snapshot) {
    const apiKeys = new Map(snapshot.apiKeys);
    for (const key of longestValid(snapshot.apiKeys.values())) {
      const text = `explain-${randomUUID()}`;
      this.#secrets.set(key.name, text);
      apiKeys.set(sha256(text), key);
    }
    this.snapshot = Object.freeze({ ...snapshot, apiKeys });
  }

  has(name: string): boolean {
    return this.#secrets.has(name);
  }

  /**
   * Headers that authenticate with the named key.
   * @throws GatewayError `not_allowed` when no key has this name
   */
  headers(name: string): Readonly<Record<string, string>> {
    const text = this.#secrets.get(name);
    if (text !== undefined) return { [`${canonicalPrefix}${requestHeaders.apiKey[0]}`]: text };
    const names = [...this.#secrets.keys()];
    throw new GatewayError('not_allowed', {
      message: `No API key is called "${name}".${didYouMean(name, names)}`,
      hint: names.length === 0 ? 'The configuration has no API keys.' : `Keys: ${shortList(names, 10)}.`,
    });
  }
}

/** One secret per key: the one that is valid longest. */
function longestValid(keys: Iterable<ApiKey>): readonly ApiKey[] {
  const found = new Map<string, ApiKey>();
  for (const key of keys) {
    const known = found.get(key.name);
    if (known === undefined || expiryOf(key) > expiryOf(known)) found.set(key.name, key);
  }
  return [...found.values()];
}

const expiryOf = ({ retires, revoked }: ApiKey): number =>
  Math.min(retires ?? Number.POSITIVE_INFINITY, revoked ?? Number.POSITIVE_INFINITY);
