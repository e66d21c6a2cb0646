import { isPlain, type Plain } from '../../core/json/merge.ts';
import { canonicalKey } from '../read/spelling.ts';

/** Keys whose values are config objects themselves; below all other keys the spelling is somebody else's. */
const nested: ReadonlySet<string> = new Set(['strategy', 'cb_config', 'retry', 'cache', 'targets', 'conditions', 'timeouts']);

/**
 * A config object with the canonical spelling of every key: camelCase and the aliases are undone, at every depth of the
 * target tree, but not below `override_params`, `labels`, `metadata` and queries. Where a key stands in both spellings the canonical wins.
 */
export function canonicalConfig(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalConfig);
  return isPlain(value) ? canonicalObject(value) : value;
}

function canonicalObject(value: Plain): Plain {
  const out: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const name = canonicalKey(key);
    if (name !== key && Object.hasOwn(value, name)) continue;
    out[name] = nested.has(name) ? canonicalConfig(member) : member;
  }
  return out;
}
