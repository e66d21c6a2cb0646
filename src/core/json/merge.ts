/** A number as `parseExact` gives it where it would lose digits: an object to everything but `JSON.stringify`. */
export const isExactNumber = (value: unknown): boolean => (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);

/** A JSON object that may be merged into. */
export type Plain = Readonly<Record<string, unknown>>;

export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * `override_params`: objects are merged member by member, everything else (arrays, scalars, null) is replaced, and
 * `over` wins. Neither argument is changed; parts that do not differ are shared.
 */
export function merge(under: Plain, over: Plain): Plain {
  const out: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    if (key === '__proto__') continue;
    const present = Object.hasOwn(out, key) ? out[key] : undefined;
    out[key] = isPlain(value) && isPlain(present) && !isExactNumber(present) ? merge(present, value) : value;
  }
  return out;
}
