import type { JsonObject } from '../../../core/json/merge.ts';
import type { Drops } from './drops.ts';

/** Rule for one field of a client's request. */
export type FieldRule =
  /** Converted elsewhere, used by the gateway itself, or without effect on the request. */
  | 'handled'
  /** Written under this name in the common format; `with` may return nothing to write. */
  | { readonly to: string; readonly with?: (value: unknown, drops: Drops) => unknown }
  /** Dropped and reported, unless the value is the default. */
  | { readonly unsupported: string; readonly default?: unknown };

export const same = (to: string): FieldRule => ({ to });

/** Applies the rules to all fields of a body that are not null. @param api name of the client's API, for the report of unknown fields */
export function byFieldRules(body: JsonObject, rules: Readonly<Record<string, FieldRule>>, api: string, drops: Drops): JsonObject {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(body)) {
    if (value === null || value === undefined) continue;
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) drops.add(key, `not known to the ${api} API`);
    else if (typeof rule === 'string') continue;
    else if ('to' in rule) {
      const converted = rule.with === undefined ? value : rule.with(value, drops);
      if (converted !== undefined) out[rule.to] = converted;
    } else if (value !== rule.default) drops.add(key, rule.unsupported);
  }
  return out;
}
