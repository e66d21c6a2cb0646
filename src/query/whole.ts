/** A count as every store can keep it: providers report whatever they like, and one value out of range must cost no batch. */
export function wholeNumber(value: number): number {
  return Math.min(mostCount, Math.max(-mostCount, Math.trunc(value))) || 0;
}

/** Sums of millions of them are still integers of 64 bits. */
const mostCount = 1e12;
