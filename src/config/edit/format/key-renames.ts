import type { Provider } from '../../../core/provider.ts';
import { canonicalizeKeys } from '../../read/canonical-keys.ts';
import { type MapNode, traverse } from '../../read/node.ts';
import { isOldName } from '../../read/key-aliases.ts';

/** A key that is written differently from its canonical name. */
export interface KeyRename {
  readonly from: string;
  readonly to: string;
  readonly line: number;
  readonly column: number;
  /** True for an old name, false for camelCase. */
  readonly isOld: boolean;
}

/** The mapping with canonical spelling. */
export const canonicalRoot = (root: MapNode, providers: readonly Provider[]): MapNode =>
  canonicalizeKeys(root, { providers, plugins: [], external: new Map(), cwd: '' }, () => {});

/** The keys of config objects whose spelling is not canonical, in the order of the file. */
export function keyRenames(root: MapNode, providers: readonly Provider[]): readonly KeyRename[] {
  const found = new Map<string, KeyRename>();
  traverse(canonicalRoot(root, providers), (_node, _path, entry) => {
    if (entry === undefined || entry.key === entry.written) return true;
    const { line, column } = entry.keyAt;
    found.set(`${line}:${column}`, { from: entry.written, to: entry.key, line, column, isOld: isOldName(entry.written) });
    return true;
  });
  return [...found.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** The lines with these keys replaced. Quotes stay. */
export function withRenamedKeys(lines: readonly string[], changes: readonly KeyRename[]): string[] {
  const out = [...lines];
  // From the end of a line, so that the columns before it stay.
  for (const { from, to, line, column } of changes.toReversed()) {
    const text = out[line - 1] ?? '';
    const at = column - 1 + (/^["']/.test(text.slice(column - 1)) ? 1 : 0);
    if (text.startsWith(from, at)) out[line - 1] = text.slice(0, at) + to + text.slice(at + from.length);
  }
  return out;
}
