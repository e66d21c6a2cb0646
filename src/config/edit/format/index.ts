import type { Provider } from '../../../core/provider.ts';
import { type MapNode, type Node, toValue } from '../../read/node.ts';
import { parse, sourceFile } from '../../read/yaml/parse.ts';
import { isEmpty, type Line, linesOf } from './lines.ts';
import { canonicalRoot, withRenamedKeys, type KeyRename, keyRenames } from './key-renames.ts';
import { orderedSections } from './sections.ts';

export interface FormatOptions {
  readonly providers: readonly Provider[];
  /** Also replaces old names of keys. */
  readonly fixes: boolean;
}

/** The formatted text; the reason why it was not formatted, since it would mean something else; or no YAML. */
export type Formatted =
  | { readonly text: string; readonly renamed: readonly KeyRename[]; readonly left: readonly KeyRename[] }
  | { readonly refused: string }
  | { readonly isInvalid: true };

/**
 * Formats a file of a configuration: canonical order of its sections, canonical spelling of keys, regular empty lines, no
 * trailing white space, one kind of line ends. All other text stays as it is, comments included.
 */
export function format(text: string, { providers, fixes }: FormatOptions): Formatted {
  const root = rootOf(text);
  if (root === undefined) return { text: withLineEnds(text, textOf(linesOf(text))), renamed: [], left: [] };
  if (root === 'faulty' || root.kind !== 'map') return { isInvalid: true };
  const all = keyRenames(root, providers);
  const renamed = all.filter(({ isOld }) => fixes || !isOld);
  const left = all.filter((one) => !renamed.includes(one));
  const renamedText = withRenamedKeys(root.at.file.lines, renamed).join('\n');
  const renamedRoot = rootOf(renamedText);
  const isEquivalent = (other: ReturnType<typeof rootOf>, than: MapNode, isRenamed: boolean): other is MapNode =>
    typeof other === 'object' && other.kind === 'map' && meaningOf(other, providers, isRenamed) === meaningOf(than, providers, isRenamed);
  if (!isEquivalent(renamedRoot, root, renamed.length > 0)) {
    const keys = renamed.map(({ from, to, line }) => `"${from}" in line ${line} to ${to}`).join(', ');
    return { refused: `renaming ${keys} would change the meaning: such a key already exists, or an alias uses the mapping elsewhere` };
  }
  const lines = linesOf(renamedText, renamedRoot);
  const isSame = (made: string): boolean => isEquivalent(rootOf(made), renamedRoot, false);
  const formatted = textOf(orderedSections(lines));
  if (isSame(formatted)) return { text: withLineEnds(text, formatted), renamed, left };
  return { refused: isSame(textOf(lines)) ? anchorHint : 'a part of it cannot be formatted safely' };
}

const anchorHint = 'sorting the sections would put an alias before its anchor: move the anchor to a top-level key that starts with x-';

/** The lines without empty ones at the end. */
function textOf(lines: readonly Line[]): string {
  const last = lines.findLastIndex((line) => !isEmpty(line));
  return lines
    .slice(0, last + 1)
    .map((line) => `${line.text}\n`)
    .join('');
}

/** The new text with the line ends of the old one; CRLF if the old one has both kinds. */
const withLineEnds = (old: string, made: string): string => (old.includes('\r\n') ? made.replaceAll('\n', '\r\n') : made);

/** The content of a file; undefined for one that has only comments. */
function rootOf(written: string): Node | 'faulty' | undefined {
  const { file, text } = sourceFile('', '', written);
  let isFaulty = false;
  const fault = (): void => void (isFaulty = true);
  const { root } = parse(file, text, fault, fault);
  return isFaulty ? 'faulty' : root;
}

/** The values of each section, in their order, as text. @param isRenamed leaves out `x-` keys, whose parts are renamed too */
function meaningOf(root: MapNode, providers: readonly Provider[], isRenamed: boolean): string {
  const sections = [...canonicalRoot(root, providers).entries.values()].filter(({ key }) => !isRenamed || !key.startsWith('x-'));
  return JSON.stringify(sections.map(({ key, value }) => [key, toValue(value)] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
