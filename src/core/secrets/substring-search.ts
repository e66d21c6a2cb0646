/** Searches for many byte strings in one pass. */
export interface SubstringSearch {
  /** Calls `found` with the range of each occurrence of each pattern. `bytes` must not change until it returns. */
  each(bytes: Buffer, found: OnFound): void;
}

type OnFound = (from: number, to: number) => void;

/** Bytes compared at a time. */
const block = 4;
/**
 * Only the end of each pattern is indexed, because keys of one issuer begin with the same characters. Patterns shorter than the
 * minimum are searched one by one.
 */
const [minEndLength, maxEndLength] = [6, 16];
/** Marks of the table for each block of a pattern: enough for few false matches, while the table stays in the CPU cache. */
const sparseness = 32;
/** Bits of the keys of a table. */
const [leastBits, mostBits] = [12, 16];

/** A pattern that contains a block, and the block's offset in it. */
interface BlockPosition {
  readonly pattern: Buffer;
  readonly offset: number;
}

interface Table {
  /** Distance between two examined blocks: one of them lies in the end of each occurrence, wherever that is. */
  readonly stride: number;
  /** Number of unused bits of a block's key. */
  readonly spare: number;
  /** By the key of a block: 1 if a pattern contains such a block. */
  readonly marks: Uint8Array;
  /** By block. Blocks that only share a key with one of them are not in it. */
  readonly places: ReadonlyMap<number, readonly BlockPosition[]>;
}

/**
 * Reads four bytes at a time, at distances as large as the shortest pattern permits, and compares a pattern only if it
 * contains the same four bytes. The cost hardly grows with the number of patterns.
 */
export function createSubstringSearch(patterns: readonly Buffer[]): SubstringSearch {
  const table = tableOf(patterns.filter((pattern) => pattern.length >= minEndLength));
  const short = patterns.filter((pattern) => pattern.length > 0 && pattern.length < minEndLength);
  return {
    each(bytes, found) {
      if (table !== undefined) eachOf(table, bytes, found);
      for (const pattern of short) {
        for (let at = bytes.indexOf(pattern); at >= 0; at = bytes.indexOf(pattern, at + pattern.length)) found(at, at + pattern.length);
      }
    },
  };
}

function tableOf(patterns: readonly Buffer[]): Table | undefined {
  if (patterns.length === 0) return undefined;
  const endLength = patterns.reduce((least, { length }) => Math.min(least, length), maxEndLength);
  const stride = endLength - block + 1;
  const bits = Math.min(mostBits, Math.max(leastBits, Math.ceil(Math.log2(patterns.length * stride * sparseness))));
  const spare = 32 - bits;
  const marks = new Uint8Array(1 << bits);
  const places = new Map<number, BlockPosition[]>();
  for (const pattern of patterns) {
    for (let offset = pattern.length - endLength; offset <= pattern.length - block; offset += 1) {
      const four = pattern.readInt32LE(offset);
      marks[keyOf(four, spare)] = 1;
      const known = places.get(four);
      if (known === undefined) places.set(four, [{ pattern, offset }]);
      else known.push({ pattern, offset });
    }
  }
  return { stride, spare, marks, places };
}

function eachOf({ stride, spare, marks, places }: Table, bytes: Buffer, found: OnFound): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const last = bytes.length - block;
  for (let at = 0; at <= last; at += stride) {
    const four = view.getInt32(at, true);
    if (marks[keyOf(four, spare)] === 1) compare(bytes, at, places.get(four), found);
  }
}

/** Separate from the loop: a closure in the loop body would allocate on every iteration. */
function compare(bytes: Buffer, at: number, places: readonly BlockPosition[] = [], found: OnFound): void {
  for (const { pattern, offset } of places) {
    const from = at - offset;
    const to = from + pattern.length;
    if (from >= 0 && to <= bytes.length && bytes.compare(pattern, 0, pattern.length, from, to) === 0) found(from, to);
  }
}

/** The highest bits of a product, on which each byte has an influence. */
const keyOf = (four: number, spare: number): number => Math.imul(four, 0x9e3779b1) >>> spare;
