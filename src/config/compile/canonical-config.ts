import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { canonicalKey } from '../read/key-aliases.ts';
import { shorten } from '../validate/describe.ts';
import { invalidConfig } from './invalid.ts';

/** Keys whose values are config objects themselves. Names below all other keys are left unchanged. */
const nested: ReadonlySet<string> = new Set(['strategy', 'cb_config', 'retry', 'cache', 'targets', 'conditions', 'timeouts']);

/**
 * A config object with the canonical spelling of every key: camelCase and aliases are replaced at every depth of the
 * target tree, but not below `override_params`, `labels`, `metadata` and queries.
 *
 * @throws GatewayError `invalid_config` for two spellings of a key with different values
 */
export function canonicalConfig(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalConfig);
  return isJsonObject(value) ? canonicalObject(value) : value;
}

function canonicalObject(value: JsonObject): JsonObject {
  const members = new Map<string, { readonly key: string; readonly written: unknown; readonly member: unknown }>();
  for (const [key, written] of Object.entries(value)) {
    const name = canonicalKey(key);
    const first = members.get(name);
    if (first === undefined) members.set(name, { key, written, member: nested.has(name) ? canonicalConfig(written) : written });
    else if (!isDeepStrictEqual(first.written, written))
      throw invalidConfig(`"${shorten(first.key)}" and "${shorten(key)}" are the same key`, 'Remove one.', shorten(name));
  }
  // An assignment to the key "__proto__" would set the prototype.
  return Object.fromEntries([...members].map(([name, { member }]) => [name, member]));
}
