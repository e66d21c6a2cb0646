import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isPair, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml';

/** Value of a mapping member: a string, or a list of small mappings of strings. */
export type MemberValue = string | readonly Readonly<Record<string, string>>[];

/** The file cannot be edited in place. The message gives the reason and ends without a full stop. */
export class EditError extends Error {
  /** Line of the file that cannot be edited, from 1; undefined if the file has no such entry. */
  line: number | undefined;
}

/**
 * Sets members of one mapping in the text of a YAML file. Only replaced and added members change; every other byte
 * stays, including comments.
 *
 * @param path keys from the root of the file
 * @param afterKey existing member after which new ones are inserted
 * @throws EditError
 */
export function setMembers(
  text: string,
  path: readonly string[],
  afterKey: string,
  members: Readonly<Record<string, MemberValue>>,
): string {
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false });
  try {
    return withMembers(text, document, path, afterKey, members);
  } catch (error) {
    if (error instanceof EditError) error.line = lineOf(text, document, path);
    throw error;
  }
}

/** Line of the key at the end of a path. */
function lineOf(text: string, document: Document.Parsed, path: readonly string[]): number | undefined {
  const parent = document.getIn(path.slice(0, -1));
  const key = isMap(parent) ? pairOf(parent, path.at(-1) ?? '')?.key : undefined;
  const start = isScalar(key) ? key.range?.[0] : undefined;
  return start === undefined ? undefined : text.slice(0, start).split('\n').length;
}

function withMembers(
  text: string,
  document: Document.Parsed,
  path: readonly string[],
  afterKey: string,
  members: Readonly<Record<string, MemberValue>>,
): string {
  const map = document.errors.length === 0 ? document.getIn(path, true) : undefined;
  if (!isMap(map)) throw new EditError(`${path.join('.')} is not written there as a separate mapping`);
  const anchor = pairOf(map, afterKey);
  if (anchor === undefined) throw new EditError(`"${afterKey}" of ${path.join('.')} is not written there itself`);
  // With an anchor or a merge, the mapping shares content with other parts of the file, which the edit does not change.
  if (map.anchor !== undefined) throw new EditError(`${path.join('.')} has an anchor`);
  if (pairOf(map, '<<') !== undefined) throw new EditError(`${path.join('.')} is merged with another part of the file`);
  const edits = Object.entries(members).map(([key, value]): Edit => {
    const known = pairOf(map, key);
    return known === undefined ? insertion(text, map, anchor, key, value) : replacement(known, value);
  });
  const edited = applyEdits(text, edits);
  const wanted = document.toJS(aliasLimit) as unknown;
  const target = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], wanted);
  Object.assign(target as object, members);
  if (!isDeepStrictEqual(parseDocument(edited, { uniqueKeys: false }).toJS(aliasLimit), wanted))
    throw new EditError('it is written in a way that cannot be changed safely');
  return edited;
}

/** Uses of aliases. The library's own limit is 100, but the gateway reads files with more, which are limited in size. */
const aliasLimit = { maxAliasCount: 100_000 } as const;

/** A mapping of named entries as file text. Mappings and lists inside an entry are written on one line. */
export function blockText(section: string, name: string, entry: Readonly<Record<string, unknown>>): string {
  const document = new Document({ [section]: { [name]: entry } });
  const map = document.getIn([section, name], true);
  for (const pair of isMap(map) ? map.items : []) if (isMap(pair.value) || isSeq(pair.value)) pair.value.flow = true;
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

/** Replaces from the end of the key on, so that a list on the following lines moves to the line of the key. */
function replacement(pair: Pair, value: MemberValue): Edit {
  const key = isScalar(pair.key) ? pair.key.range?.[1] : undefined;
  if (key === undefined) throw new EditError('it is written in a way that cannot be changed safely');
  return { from: key, to: endOf(pair), text: `: ${flowText(value, isJson(pair))}` };
}

function insertion(text: string, map: YAMLMap, anchor: Pair, key: string, value: MemberValue): Edit {
  const end = endOf(anchor);
  if (map.flow === true) {
    const json = isJson(anchor);
    return { from: end, to: end, text: `, ${json ? JSON.stringify(key) : key}: ${flowText(value, json)}` };
  }
  const start = (isScalar(anchor.key) ? anchor.key.range?.[0] : undefined) ?? 0;
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (indent.trim() !== '') throw new EditError('it is written in a way that cannot be changed safely');
  const lineFeed = text.indexOf('\n', end);
  const at = lineFeed < 0 ? text.length : text[lineFeed - 1] === '\r' ? lineFeed - 1 : lineFeed;
  return {
    from: at,
    to: at,
    text: `${lineFeed > 0 && text[lineFeed - 1] === '\r' ? '\r\n' : '\n'}${indent}${key}: ${flowText(value, false)}`,
  };
}

/** End of a pair's value, without the blanks and comments after it. */
function endOf(node: unknown): number {
  if (isPair(node)) return node.value === null ? endOf(node.key) : endOf(node.value);
  if ((isMap(node) || isSeq(node)) && node.flow !== true) return endOf(node.items.at(-1));
  if (!isMap(node) && !isSeq(node) && !isScalar(node)) throw new EditError('it is written with an alias');
  const range = node.range ?? undefined;
  if (range === undefined || (isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED')))
    throw new EditError('it is written in a way that cannot be changed safely');
  return range[1];
}

/** True when the file is JSON, which must stay JSON. */
const isJson = ({ key }: Pair): boolean => isScalar(key) && key.type === 'QUOTE_DOUBLE';

/** Value as YAML on one line. The strings (hashes, prefixes, times) contain no characters special to YAML. */
function flowText(value: MemberValue, json: boolean): string {
  if (json) return JSON.stringify(value);
  if (typeof value === 'string') return value;
  const maps = value.map((one) => {
    const members = Object.entries(one).map(([key, text]) => `${key}: ${text}`);
    return `{${members.join(', ')}}`;
  });
  return `[${maps.join(', ')}]`;
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = edits.map((edit, i) => ({ ...edit, i })).toSorted((a, b) => b.from - a.from || b.i - a.i);
  return ordered.reduce((out, { from, to, text: inserted }) => out.slice(0, from) + inserted + out.slice(to), text);
}
