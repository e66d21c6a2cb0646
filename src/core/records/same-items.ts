/** True if two lists of equal length have the same values. */
export function sameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return false;
  return true;
}
