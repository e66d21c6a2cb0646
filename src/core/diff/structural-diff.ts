import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../json/merge.ts';

export type JsonPath = readonly (string | number)[];

/** One position at which two JSON values differ. */
export interface Change {
  readonly kind: 'added' | 'removed' | 'changed' | 'moved';
  /** Path in the new value; for a removed value, in the old one. */
  readonly path: JsonPath;
  /** For a moved value: its path in the old value. */
  readonly from?: JsonPath | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * Limits: changes reported, nesting depth compared, cells of the table of two lists, and characters of all list items
 * together, which count again in each list around them. What is beyond a limit is compared as a whole.
 */
export const limits = { changes: 400, depth: 64, cells: 250_000, characters: 16_000_000 } as const;

/** The changes found so far, and the characters of list items that may still be compared. */
interface DiffState {
  readonly changes: Change[];
  characters: number;
}

/** Differences between two JSON values: by member for objects; inserted, removed and moved items for lists. */
export function structuralDiff(before: unknown, after: unknown): readonly Change[] {
  const found: DiffState = { changes: [], characters: limits.characters };
  compare(before, after, [], found);
  return found.changes;
}

function compare(before: unknown, after: unknown, path: JsonPath, out: DiffState): void {
  if (out.changes.length >= limits.changes || before === after) return;
  if (path.length < limits.depth) {
    if (isJsonObject(before) && isJsonObject(after)) {
      compareObjects(before, after, path, out);
      return;
    }
    if (Array.isArray(before) && Array.isArray(after) && out.characters > 0) {
      compareLists(before, after, path, out);
      return;
    }
  }
  if (!isDeepStrictEqual(before, after)) add(out, { kind: 'changed', path, before, after });
}

function compareObjects(before: JsonObject, after: JsonObject, path: JsonPath, out: DiffState): void {
  for (const key of Object.keys(before)) {
    if (Object.hasOwn(after, key)) compare(before[key], after[key], [...path, key], out);
    else add(out, { kind: 'removed', path: [...path, key], before: before[key] });
  }
  for (const key of Object.keys(after))
    if (!Object.hasOwn(before, key)) add(out, { kind: 'added', path: [...path, key], after: after[key] });
}

function add({ changes }: DiffState, change: Change): void {
  if (changes.length < limits.changes) changes.push(change);
}

/** Matches equal items of both lists first. Between matches, items at the same position are compared. */
function compareLists(before: readonly unknown[], after: readonly unknown[], path: JsonPath, out: DiffState): void {
  const texts = [before.map(jsonOf), after.map(jsonOf)] as const;
  for (const list of texts) for (const { length } of list) out.characters -= length;
  const removed: number[] = [];
  const added: number[] = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...commonSubsequence(texts[0], texts[1]), [before.length, after.length] as const]) {
    // Items at the same position in a gap have changed, if they are of the same kind.
    for (; i < x && j < y && areSameKind(before[i], after[j]); i += 1, j += 1) compare(before[i], after[j], [...path, j], out);
    for (; i < x; i += 1) removed.push(i);
    for (; j < y; j += 1) added.push(j);
    i = x + 1;
    j = y + 1;
  }
  addUnmatched({ before, after, names: texts, removed, added }, path, out);
}

interface Unmatched {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  readonly names: readonly [before: readonly string[], after: readonly string[]];
  /** Positions of items without a match. */
  readonly removed: readonly number[];
  readonly added: readonly number[];
}

/** Reports unmatched items. An item removed at one position and added at another has moved. */
function addUnmatched({ before, after, names, removed, added }: Unmatched, path: JsonPath, out: DiffState): void {
  const removedAt = Map.groupBy(removed.toReversed(), (at) => names[0][at] ?? '');
  const moved = new Set<number>();
  for (const at of added) {
    const from = removedAt.get(names[1][at] ?? '')?.pop();
    if (from !== undefined) moved.add(from);
    if (from === undefined) add(out, { kind: 'added', path: [...path, at], after: after[at] });
    else add(out, { kind: 'moved', path: [...path, at], from: [...path, from], after: after[at] });
  }
  for (const at of removed) if (!moved.has(at)) add(out, { kind: 'removed', path: [...path, at], before: before[at] });
}

/** Items are equal if their JSON text is equal. An item with reordered members is matched by position instead. */
const jsonOf = (value: unknown): string => JSON.stringify(value) ?? '';

/** True if two items may be versions of one: objects of the same type and role, two lists, or two plain values. */
function areSameKind(one: unknown, other: unknown): boolean {
  if (isJsonObject(one) && isJsonObject(other)) return one['type'] === other['type'] && one['role'] === other['role'];
  return isJsonObject(one) === isJsonObject(other) && Array.isArray(one) === Array.isArray(other);
}

/** Longest common subsequence of two lists, as pairs of positions. */
function commonSubsequence(one: readonly string[], other: readonly string[]): (readonly [number, number])[] {
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  const head = Array.from({ length: start }, (_, k) => [k, k] as const);
  const tail = Array.from({ length: end }, (_, k) => [one.length - end + k, other.length - end + k] as const);
  const [rows, columns] = [one.length - end - start, other.length - end - start];
  const middle =
    rows * columns > limits.cells ? [] : longestCommonSubsequence(one.slice(start, start + rows), other.slice(start, start + columns));
  return [...head, ...middle.map(([i, j]) => [i + start, j + start] as const), ...tail];
}

/** Longest common subsequence by dynamic programming. */
function longestCommonSubsequence(one: readonly string[], other: readonly string[]): (readonly [number, number])[] {
  const width = other.length + 1;
  const table = new Uint32Array((one.length + 1) * width);
  const cell = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = one.length - 1; i >= 0; i -= 1)
    for (let j = other.length - 1; j >= 0; j -= 1)
      table[i * width + j] = one[i] === other[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    if (one[i] === other[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (cell(i + 1, j) >= cell(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
