import { type MapNode, type ScalarNode, traverse } from '../../read/node.ts';
import { sourceFile } from '../../read/yaml/parse.ts';

/** A line of a file. */
export interface Line {
  readonly text: string;
  /** Its white space belongs to a value: it is part of a text of several lines. */
  readonly isValue: boolean;
  /** The top-level key that begins here. */
  readonly key: string | undefined;
}

export const isEmpty = ({ text, isValue }: Line): boolean => !isValue && text.trim() === '';

/**
 * The lines of a file, without trailing white space, and never with two empty ones in a row.
 *
 * @param root undefined for a file with only comments
 */
export function linesOf(written: string, root?: MapNode): readonly Line[] {
  const { lines } = root?.at.file ?? sourceFile('', '', written).file;
  const values = root === undefined ? new Set<number>() : linesOfValues(root, lines);
  const keys = root === undefined || isFlowMapping(root) ? new Map<number, string>() : keyLines(root);
  const made = lines.map((text, i): Line => {
    const isValue = values.has(i);
    return { text: isValue ? text : text.replace(/[ \t]+$/, ''), isValue, key: keys.get(i) };
  });
  return made.filter((line, i) => {
    const before = made[i - 1];
    return !isEmpty(line) || (before !== undefined && !isEmpty(before));
  });
}

/** Index of a line → the top-level key that begins there. */
const keyLines = ({ entries }: MapNode): ReadonlyMap<number, string> =>
  new Map([...entries.values()].flatMap(({ key, keyAt }) => (keyAt.column === 1 ? [[keyAt.line - 1, key] as const] : [])));

/** True for a mapping in braces, such as JSON. */
const isFlowMapping = ({ at }: MapNode): boolean => (at.file.lines[at.line - 1] ?? '')[at.column - 1] === '{';

/** Indexes of the lines that belong to scalars of several lines. */
function linesOfValues(root: MapNode, lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  traverse(root, (node) => {
    if (node.kind !== 'scalar' || node.at.endLine === node.at.line) return true;
    const { isBlock, last } = extentOf(node, lines);
    // The first line of a block scalar is only its head.
    for (let i = isBlock ? node.at.line : node.at.line - 1; i < last; i += 1) found.add(i);
    return true;
  });
  return found;
}

/** Empty lines behind a block scalar belong to its value only if its head contains `+`. */
function extentOf({ at }: ScalarNode, lines: readonly string[]): { readonly isBlock: boolean; readonly last: number } {
  const head = /^[|>]([1-9+-]*)/.exec((lines[at.line - 1] ?? '').slice(at.column - 1));
  let last = at.endLine;
  if (head !== null && head[1]?.includes('+') !== true) while (last > at.line && (lines[last - 1] ?? '').trim() === '') last -= 1;
  return { isBlock: head !== null, last };
}
