/** A count in a range that every store accepts. Providers report arbitrary numbers, and one out of range must not fail a whole batch. */
export function boundedCount(value: number): number {
  return Math.min(maxCount, Math.max(-maxCount, Math.trunc(value))) || 0;
}

/** Low enough that sums of millions of counts fit into 64-bit integers. */
const maxCount = 1e12;
