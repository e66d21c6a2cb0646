/** A count in a range that every store accepts. Providers report arbitrary numbers, and one out of range must not fail a whole batch. */
export function wholeNumber(value: number): number {
  return Math.min(mostCount, Math.max(-mostCount, Math.trunc(value))) || 0;
}

/** Low enough that sums of millions of counts fit into 64-bit integers. */
const mostCount = 1e12;
