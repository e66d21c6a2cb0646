import { parseDuration, parseSize } from '../../core/text/units.ts';

/** Limits of a duration or size, as in the schema keyword `x-range`. */
export type Range = readonly [least: string, most: string];

/** A duration or size, also one that is too large for a number. */
const form = /^\d+(\.\d+)?\s?(ms|s|m|h|d|([KMGT]i?)?B)$/;

/** True when a duration or size is within the limits. Text that is neither is left to `pattern`. */
export function isWithin(text: string, [least, most]: Range): boolean {
  const value = amount(text);
  if (value === undefined) return !form.test(text);
  return value >= (amount(least) ?? 0) && value <= (amount(most) ?? Number.MAX_SAFE_INTEGER);
}

/** Milliseconds of a duration, or bytes of a size. They have no unit in common. */
const amount = (text: string): number | undefined => parseDuration(text) ?? parseSize(text);
