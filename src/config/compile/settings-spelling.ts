import { isPlain, type Plain } from '../../core/json/merge.ts';
import { canonicalKey } from '../read/spelling.ts';

/** Keys whose values are config objects themselves. Names below all other keys are left unchanged. */
const nested: ReadonlySet<string> = new Set(['strategy', 'cb_config', 'retry', 'cache', 'targets', 'conditions', 'timeouts']);

/**
 * A config object with the canonical spelling of every key: camelCase and aliases are replaced at every depth of the
 * target tree, but not below `override_params`, `labels`, `metadata` and queries. If a key is present in both spellings,
 * the canonical one wins.
 */
export function canonicalConfig(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalConfig);
  return isPlain(value) ? canonicalObject(value) : value;
}

function canonicalObject(value: Plain): Plain {
  const entries = Object.entries(value).flatMap(([key, member]) => {
    const name = canonicalKey(key);
    if (name !== key && Object.hasOwn(value, name)) return [];
    return [[name, nested.has(name) ? canonicalConfig(member) : member] as const];
  });
  // An assignment to the key "__proto__" would set the prototype.
  return Object.fromEntries(entries);
}
