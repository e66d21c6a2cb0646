import { isDeepStrictEqual } from 'node:util';
import { isPlain, type Plain } from '../../core/json/merge.ts';

export type Steps = readonly (string | number)[];

/** One place where two JSON values are not the same. */
export interface Change {
  readonly kind: 'added' | 'removed' | 'changed' | 'moved';
  /** In the value after; where it is removed, in the value before. */
  readonly path: Steps;
  /** Moved: in the value before. */
  readonly from?: Steps | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Changes that are told, and how deep it is looked. What lies deeper is compared as a whole. */
export const most = { changes: 400, depth: 64, cells: 250_000 } as const;

/** What is different in two JSON values: member by member, and items of lists as they were inserted, taken out or moved. */
export function structuralDiff(before: unknown, after: unknown): readonly Change[] {
  const changes: Change[] = [];
  compare(before, after, [], changes);
  return changes;
}

function compare(before: unknown, after: unknown, path: Steps, out: Change[]): void {
  if (out.length >= most.changes || before === after) return;
  if (path.length < most.depth) {
    if (isPlain(before) && isPlain(after)) {
      compareObjects(before, after, path, out);
      return;
    }
    if (Array.isArray(before) && Array.isArray(after)) {
      compareLists(before, after, path, out);
      return;
    }
  }
  if (!isDeepStrictEqual(before, after)) out.push({ kind: 'changed', path, before, after });
}

function compareObjects(before: Plain, after: Plain, path: Steps, out: Change[]): void {
  for (const key of Object.keys(before)) {
    if (Object.hasOwn(after, key)) compare(before[key], after[key], [...path, key], out);
    else add(out, { kind: 'removed', path: [...path, key], before: before[key] });
  }
  for (const key of Object.keys(after))
    if (!Object.hasOwn(before, key)) add(out, { kind: 'added', path: [...path, key], after: after[key] });
}

function add(out: Change[], change: Change): void {
  if (out.length < most.changes) out.push(change);
}

/** Items that are the same on both sides are matched first; between them, what is in the same place is compared. */
function compareLists(before: readonly unknown[], after: readonly unknown[], path: Steps, out: Change[]): void {
  const names = [before.map(nameOf), after.map(nameOf)] as const;
  const removed: number[] = [];
  const added: number[] = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...common(names[0], names[1]), [before.length, after.length] as const]) {
    // A gap of as many items on both sides is items that changed.
    for (; i < x && j < y && isKin(before[i], after[j]); i += 1, j += 1) compare(before[i], after[j], [...path, j], out);
    for (; i < x; i += 1) removed.push(i);
    for (; j < y; j += 1) added.push(j);
    i = x + 1;
    j = y + 1;
  }
  tellMoves({ before, after, names, removed, added }, path, out);
}

interface Unmatched {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  readonly names: readonly [before: readonly string[], after: readonly string[]];
  /** Places of items without a partner. */
  readonly removed: readonly number[];
  readonly added: readonly number[];
}

/** An item that is gone in one place and new in another has moved. */
function tellMoves({ before, after, names, removed, added }: Unmatched, path: Steps, out: Change[]): void {
  const gone = new Map<string, number[]>();
  for (const at of removed.toReversed()) {
    const name = names[0][at] ?? '';
    const known = gone.get(name);
    if (known === undefined) gone.set(name, [at]);
    else known.push(at);
  }
  const moved = new Set<number>();
  for (const at of added) {
    const from = gone.get(names[1][at] ?? '')?.pop();
    if (from !== undefined) moved.add(from);
    if (from === undefined) add(out, { kind: 'added', path: [...path, at], after: after[at] });
    else add(out, { kind: 'moved', path: [...path, at], from: [...path, from], after: after[at] });
  }
  for (const at of removed) if (!moved.has(at)) add(out, { kind: 'removed', path: [...path, at], before: before[at] });
}

/** Items are told apart by their texts. One with its members in another order is found when it is compared with its place. */
const nameOf = (value: unknown): string => JSON.stringify(value) ?? '';

/** Two items that may be one that changed: objects of the same type or role, lists, or plain values. */
function isKin(one: unknown, other: unknown): boolean {
  if (isPlain(one) && isPlain(other)) return one['type'] === other['type'] && one['role'] === other['role'];
  return isPlain(one) === isPlain(other) && Array.isArray(one) === Array.isArray(other);
}

/** The longest run of items that are on both sides in the same order, as pairs of places. */
function common(one: readonly string[], other: readonly string[]): (readonly [number, number])[] {
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  const head = Array.from({ length: start }, (_, k) => [k, k] as const);
  const tail = Array.from({ length: end }, (_, k) => [one.length - end + k, other.length - end + k] as const);
  const [rows, columns] = [one.length - end - start, other.length - end - start];
  const middle = rows * columns > most.cells ? [] : longest(one.slice(start, start + rows), other.slice(start, start + columns));
  return [...head, ...middle.map(([i, j]) => [i + start, j + start] as const), ...tail];
}

/** Longest common subsequence by the table. */
function longest(one: readonly string[], other: readonly string[]): (readonly [number, number])[] {
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
