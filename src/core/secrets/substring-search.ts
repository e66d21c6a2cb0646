/** Finds many known byte strings in one pass. */
export interface SubstringSearch {
  /** Calls `found` with the range of each occurrence; of needles that begin at one place, the longest. */
  each(bytes: Buffer, found: (from: number, to: number) => void): void;
}

/** Needles of this length and more are found together; the window that is compared is their beginning. */
const window = 16;
const block = 3;
const farthest = window - block + 1;

/**
 * Wu and Manber's search: a table tells by the last three bytes of a window how far it can be moved on, so that most
 * bytes are never looked at and the cost does not grow with the number of needles. The few that are shorter than
 * 16 bytes are searched one by one.
 */
export function createSubstringSearch(needles: readonly Buffer[]): SubstringSearch {
  const long = needles.filter((needle) => needle.length >= window).toSorted((a, b) => b.length - a.length);
  const short = needles.filter((needle) => needle.length > 0 && needle.length < window).toSorted((a, b) => b.length - a.length);
  const shifts = new Uint8Array(long.length === 0 ? 0 : 65_536).fill(farthest);
  const ends = new Map<number, Buffer[]>();
  for (const needle of long) {
    for (let at = 0; at < farthest; at += 1) {
      const key = blockKey(needle, at + block - 1);
      shifts[key] = Math.min(shifts[key] ?? farthest, farthest - 1 - at);
    }
    const end = blockKey(needle, window - 1);
    ends.set(end, [...(ends.get(end) ?? []), needle]);
  }
  return {
    each(bytes, found) {
      if (long.length > 0) eachLong(bytes, shifts, ends, found);
      for (const needle of short) {
        for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + needle.length)) found(at, at + needle.length);
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
    const needle = longestAt(bytes, end - window + 1, ends.get(key));
    if (needle === undefined) {
      end += 1;
    } else {
      found(end - window + 1, end - window + 1 + needle.length);
      end += needle.length;
    }
  }
}

/** Apart from the loop: a closure in its body would have every step of it allocate. */
function longestAt(bytes: Buffer, from: number, needles: readonly Buffer[] = []): Buffer | undefined {
  return needles.find((one) => bytes.compare(one, 0, one.length, from, Math.min(from + one.length, bytes.length)) === 0);
}

/** Sixteen bits of the three bytes that end at `end`. */
function blockKey(bytes: Buffer, end: number): number {
  return (((bytes[end - 2] ?? 0) << 10) ^ ((bytes[end - 1] ?? 0) << 5) ^ (bytes[end] ?? 0)) & 0xffff;
}
