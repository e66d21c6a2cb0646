/** Finds many known byte strings in one pass. */
export interface SubstringSearch {
  /** Calls `found` with the range of each occurrence; of patterns that begin at one place, the longest. */
  each(bytes: Buffer, found: (from: number, to: number) => void): void;
}

/** Patterns of this length and more are found together; the window that is compared is their beginning. */
const window = 16;
const block = 3;
const farthest = window - block + 1;

/**
 * Wu and Manber's search: a table tells by the last three bytes of a window how far it can be moved on, so that most
 * bytes are never looked at and the cost does not grow with the number of patterns. The few that are shorter than
 * 16 bytes are searched one by one.
 */
export function createSubstringSearch(patterns: readonly Buffer[]): SubstringSearch {
  const long = patterns.filter((pattern) => pattern.length >= window).toSorted((a, b) => b.length - a.length);
  const short = patterns.filter((pattern) => pattern.length > 0 && pattern.length < window).toSorted((a, b) => b.length - a.length);
  const shifts = new Uint8Array(long.length === 0 ? 0 : 65_536).fill(farthest);
  const ends = new Map<number, Buffer[]>();
  for (const pattern of long) {
    for (let at = 0; at < farthest; at += 1) {
      const key = blockKey(pattern, at + block - 1);
      shifts[key] = Math.min(shifts[key] ?? farthest, farthest - 1 - at);
    }
    const end = blockKey(pattern, window - 1);
    ends.set(end, [...(ends.get(end) ?? []), pattern]);
  }
  return {
    each(bytes, found) {
      if (long.length > 0) eachLong(bytes, shifts, ends, found);
      for (const pattern of short) {
        for (let at = bytes.indexOf(pattern); at >= 0; at = bytes.indexOf(pattern, at + pattern.length)) found(at, at + pattern.length);
      }
    },
  };
}

type Found = (from: number, to: number) => void;

function eachLong(bytes: Buffer, shifts: Uint8Array, ends: ReadonlyMap<number, readonly Buffer[]>, found: Found): void {
  for (let end = window - 1; end < bytes.length; ) {
    const key = blockKey(bytes, end);
    const shift = shifts[key] ?? 1;
    if (shift > 0) {
      end += shift;
      continue;
    }
    const pattern = longestAt(bytes, end - window + 1, ends.get(key));
    if (pattern === undefined) {
      end += 1;
    } else {
      found(end - window + 1, end - window + 1 + pattern.length);
      end += pattern.length;
    }
  }
}

/** Apart from the loop: a closure in its body would have every step of it allocate. */
function longestAt(bytes: Buffer, from: number, patterns: readonly Buffer[] = []): Buffer | undefined {
  return patterns.find((one) => bytes.compare(one, 0, one.length, from, Math.min(from + one.length, bytes.length)) === 0);
}

/** Sixteen bits of the three bytes that end at `end`. */
function blockKey(bytes: Buffer, end: number): number {
  return (((bytes[end - 2] ?? 0) << 10) ^ ((bytes[end - 1] ?? 0) << 5) ^ (bytes[end] ?? 0)) & 0xffff;
}
