/**
 * Returns the candidate most similar to a mistyped name, for error messages; undefined if none is close. Case is
 * ignored; two swapped neighbors count as one mistake. Up to a third of the name may be wrong, but at most five
 * characters.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  // No person types such a long name, and the cost is quadratic in its length.
  if (wanted.length > 100) return undefined;
  let best: string | undefined;
  let bestDistance = Math.min(maxMistakes, Math.max(1, Math.floor(wanted.length / 3))) + 1;
  for (const candidate of candidates) {
    const distance = distanceWithin(wanted, candidate.toLowerCase(), bestDistance - 1);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
    if (distance === 0) break;
  }
  return best;
}

/** Limits the cost when there are thousands of candidates. */
const maxMistakes = 5;

/** Returns ` Did you mean "x"?` with a leading blank, or an empty string, to append to a message. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const suggestion = nearest(name, candidates);
  return suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
}

/** Optimal string alignment distance; any number above `limit` if the distance exceeds it. */
function distanceWithin(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    // Cells farther from the diagonal than the limit cannot be part of the result.
    const first = Math.max(1, i - limit);
    const row: number[] = [];
    row[first - 1] = first === 1 ? i : limit + 1;
    let least = limit + 1;
    for (let j = first; j <= Math.min(b.length, i + limit); j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(beforePrevious, j - 2) + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > limit) return limit + 1;
    beforePrevious = previous;
    previous = row;
  }
  return at(previous, b.length);
}

/** The index is always within the row, which the compiler can't prove. */
function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
