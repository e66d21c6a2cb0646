/** True for a number that `parseExact` kept as raw JSON because a JavaScript number would lose digits. Only `JSON.stringify` can use it. */
export const isExactNumber = (value: unknown): boolean => (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);

/** A JSON object that can be merged into. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same, where numbers that keep their digits may be among the values. */
export const isObject = (value: unknown): value is JsonObject => isJsonObject(value) && !isExactNumber(value);

/**
 * Merges `override_params`: objects are merged member by member; everything else (arrays, scalars, null) is replaced, and
 * `override` wins. Neither argument is changed. Unchanged parts are shared.
 */
export function merge(base: JsonObject, override: JsonObject): JsonObject {
  const out: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(override)) {
    if (key === '__proto__') continue;
    const present = Object.hasOwn(out, key) ? out[key] : undefined;
    out[key] = isObject(value) && isObject(present) ? merge(present, value) : value;
  }
  return out;
}
