/** True for a number that `parseExact` kept as raw JSON because a JavaScript number would lose digits. Only `JSON.stringify` can use it. */
export const isExactNumber = (value: unknown): boolean => (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);

/** A JSON object that can be merged into. */
export type Plain = Readonly<Record<string, unknown>>;

export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same, where numbers that keep their digits may be among the values. */
export const isObject = (value: unknown): value is Plain => isPlain(value) && !isExactNumber(value);

/**
 * Merges `override_params`: objects are merged member by member; everything else (arrays, scalars, null) is replaced, and
 * `over` wins. Neither argument is changed. Unchanged parts are shared.
 */
export function merge(under: Plain, over: Plain): Plain {
  const out: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    if (key === '__proto__') continue;
    const present = Object.hasOwn(out, key) ? out[key] : undefined;
    out[key] = isObject(value) && isObject(present) ? merge(present, value) : value;
  }
  return out;
}
