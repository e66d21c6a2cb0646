import { isJsonObject } from '../../core/json/merge.ts';
import { type Change, limits, type JsonPath } from '../../core/diff/structural-diff.ts';

/** Most values compared on each side. */
const maxLeaves = 4000;

interface JsonLeaf {
  readonly path: JsonPath;
  readonly value: unknown;
  /** `path` and its last name in the form used for comparison. */
  readonly text: string;
  readonly name: string;
  isUsed: boolean;
}

/**
 * Compares a body with its conversion to another format: which values moved, were removed or were added. Strings are
 * matched by value; numbers and booleans by name, or when there is only one candidate.
 */
export function conversionDiff(before: unknown, after: unknown): readonly Change[] {
  const old = leavesOf(before);
  const now = leavesOf(after);
  const byText = Map.groupBy(now, ({ value }) => JSON.stringify(value));
  const changes: Change[] = [];
  for (const leaf of old) {
    const candidates = byText.get(JSON.stringify(leaf.value)) ?? [];
    const at = indexOfMatch(leaf, candidates);
    const found = candidates[at];
    if (found === undefined) continue;
    candidates.splice(at, 1);
    leaf.isUsed = true;
    found.isUsed = true;
    if (found.text !== leaf.text) changes.push({ kind: 'moved', path: found.path, from: leaf.path, after: leaf.value });
  }
  for (const leaf of old) if (!leaf.isUsed) changes.push({ kind: 'removed', path: leaf.path, before: leaf.value });
  for (const leaf of now) if (!leaf.isUsed) changes.push({ kind: 'added', path: leaf.path, after: leaf.value });
  return changes.slice(0, limits.changes);
}

/** Most candidates compared for one value. Among thousands of equal values the match is arbitrary. */
const maxCandidates = 100;

/** Index of the candidate that matches a value; -1 for none. */
function indexOfMatch({ text, name, value }: JsonLeaf, all: readonly JsonLeaf[]): number {
  const candidates = all.slice(0, maxCandidates);
  const same = candidates.findIndex((each) => each.text === text);
  if (same >= 0) return same;
  const called = candidates.findIndex((each) => each.name === name);
  if (called >= 0) return called;
  const isOnly = candidates.length === 1;
  if (typeof value === 'number') return isOnly && Math.abs(value) > 1 ? 0 : -1;
  return typeof value === 'string' && candidates.length > 0 && (value.length >= 3 || isOnly) ? 0 : -1;
}

const pathText = (path: JsonPath): string => path.join('\0');

/** Last name of a path in lower case, without punctuation: `max_tokens` and `maxTokens` are equal. */
const normalizedName = (path: JsonPath): string =>
  String(path.findLast((step) => typeof step === 'string') ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');

function leavesOf(root: unknown): JsonLeaf[] {
  const leaves: JsonLeaf[] = [];
  const visit = (value: unknown, path: JsonPath): void => {
    if (leaves.length >= maxLeaves) return;
    if (path.length < limits.depth && Array.isArray(value) && value.length > 0) value.forEach((item, at) => visit(item, [...path, at]));
    else if (path.length < limits.depth && isJsonObject(value) && Object.keys(value).length > 0)
      for (const [key, member] of Object.entries(value)) visit(member, [...path, key]);
    else leaves.push({ path, value, text: pathText(path), name: normalizedName(path), isUsed: false });
  };
  visit(root, []);
  return leaves;
}
