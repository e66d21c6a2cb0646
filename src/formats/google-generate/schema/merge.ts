import { isPlain, type Plain } from '../../../core/json/merge.ts';

/**
 * Merges two schemas: properties and required names of both; for all other keywords `over` takes precedence. This is the meaning
 * of `allOf` as far as the service's subset can express it.
 */
export function mergeSchemas(under: Plain, over: Plain): Plain {
  const out: Record<string, unknown> = { ...under, ...over };
  if (isPlain(under['properties']) && isPlain(over['properties'])) {
    out['properties'] = Object.fromEntries([...Object.entries(under['properties']), ...Object.entries(over['properties'])]);
  }
  if (Array.isArray(under['required']) && Array.isArray(over['required'])) {
    out['required'] = [...new Set([...(under['required'] as unknown[]), ...(over['required'] as unknown[])])];
  }
  return out;
}
