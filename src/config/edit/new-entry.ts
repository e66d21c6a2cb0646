import type { JsonObject } from '../../core/json/merge.ts';
import { Document, isMap, isScalar, type Pair, parseDocument, visit, type YAMLMap } from 'yaml';
import { tryParseObject } from '../../core/json/scan.ts';

/** Lines are never folded, so that addresses stay on one line. */
const style = { lineWidth: 0 } as const;

/** Dates, which other YAML parsers do not read as strings. They are quoted, since people copy them to other files. */
const datePattern = /^\d{4}-\d{2}-\d{2}/;

/** A value as YAML, indented by a number of spaces. Strings that YAML would read as another type are quoted. */
export const yamlOf = (value: unknown, indent = 0): string => indented(documentOf(value).toString(style), indent);

function documentOf(value: unknown): Document {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && datePattern.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document;
}

/** Name of the environment variable for the key of an entry: `AZURE_EU_API_KEY`. */
export const keyVariable = (slug: string, setting = 'api_key'): string =>
  `${slug}_${setting}`
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, 'P_');

/**
 * The text with one more entry in a section. The existing text stays byte for byte, and JSON stays JSON. Undefined when
 * the text cannot be parsed, or when the name is already used.
 *
 * @param entry YAML without indentation: `name:` and its content
 */
export function withEntry(text: string, section: string, name: string, entry: string): string | undefined {
  if (text.includes('\r\n')) {
    const plain = text.replaceAll('\r\n', '\n');
    const edited = withEntry(plain, section, name, entry);
    return edited === undefined ? undefined : restoreLineEnds(text, plain, edited);
  }
  const document = parseDocument(text);
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) return undefined;
  const map: unknown = document.get(section, true);
  const { contents } = document;
  const value: unknown = (parseDocument(entry).toJS() as JsonObject)[name];
  const json = isJson(text);
  if (map === undefined || map === null || (isScalar(map) && map.value === null)) {
    const written = contents?.items.find(({ key }) => isScalar(key) && key.value === section);
    if (contents === null) return withSection(startOfFile(text), undefined, section, entry);
    if (contents.flow !== true) return withSection(text, written, section, entry);
    if (written === undefined) return withMember(text, contents, memberText(section, { [name]: value }, json));
    return withValue(text, written, `{${memberText(name, value, json)}}`);
  }
  if (!isMap(map) || map.has(name)) return undefined;
  const last = map.items.at(-1);
  if (map.flow === true || last === undefined || !isScalar(last.key)) return withMember(text, map, memberText(name, value, json));
  const first = map.items[0]?.key;
  const indent = isScalar(first) && first.range ? columnOf(text, first.range[0]) : 2;
  const end = ((last.value ?? last.key) as { range?: readonly number[] | null }).range?.[1] ?? text.length;
  return insert(text, nextLine(text, end), indented(entry, indent));
}

/**
 * An edited text with the line ends of the original. New lines end as the line that they follow.
 *
 * @param plain the original with `\n` as its line ends
 */
function restoreLineEnds(original: string, plain: string, edited: string): string {
  const shortest = Math.min(plain.length, edited.length);
  let start = 0;
  while (start < shortest && plain[start] === edited[start]) start += 1;
  let tail = 0;
  while (tail < shortest - start && plain[plain.length - 1 - tail] === edited[edited.length - 1 - tail]) tail += 1;
  const from = offsetIn(original, start);
  const next = original[from - 1] === '\n' ? -1 : original.indexOf('\n', from);
  const lineFeed = next < 0 ? original.lastIndexOf('\n', from - 1) : next;
  const eol = original[lineFeed - 1] === '\r' ? '\r\n' : '\n';
  const added = edited.slice(start, edited.length - tail).replaceAll('\n', eol);
  return original.slice(0, from) + added + original.slice(offsetIn(original, plain.length - tail));
}

/** The offset in a text for an offset that counts each CRLF as one character. */
function offsetIn(text: string, offset: number): number {
  let at = 0;
  for (let n = 0; n < offset; n += 1) at += text.startsWith('\r\n', at) ? 2 : 1;
  return at;
}

const isJson = (text: string): boolean => text.trimStart().startsWith('{') && tryParseObject(text) !== undefined;

/** A member of a flow mapping, on one line. */
function memberText(name: string, value: unknown, json: boolean): string {
  if (json) return `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  const document = documentOf({ [name]: value });
  visit(document, { Map: (_key, map) => void (map.flow = true), Seq: (_key, list) => void (list.flow = true) });
  return document
    .toString({ ...style, flowCollectionPadding: false })
    .trim()
    .slice(1, -1);
}

/** Adds a member after the last one of a flow mapping, on its own line if the last one has its own. */
function withMember(text: string, map: YAMLMap, member: string): string {
  const last = map.items.at(-1);
  if (last === undefined) return spliced(text, (map.range?.[0] ?? 0) + 1, member);
  const start = rangeOf(last.key)[0];
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const isOnOwnLine = start > (map.range?.[0] ?? 0) + 1 && before.trim() === '' && text.slice(map.range?.[0], start).includes('\n');
  const end = rangeOf(last.value ?? last.key)[1];
  if (!isOnOwnLine) return spliced(text, end, `, ${member}`);
  // A comment after the last member stays beside it.
  const [line = '', comma = '', comment = ''] = /^([ \t]*,)?([ \t]*#.*)?/.exec(text.slice(end)) ?? [];
  if (comment === '') return spliced(text, end, `,\n${before}${member}`);
  return spliced(text, end, `,${comment}\n${before}${member}${comma.trim()}`, end + line.length);
}

/** True for a null that is written out: `~` or `null`. */
const isWrittenNull = (value: unknown): boolean => isScalar(value) && (value.source ?? '') !== '';

/** Sets the value of a key that has none, or a written null. */
function withValue(text: string, { key, value }: Pair, inserted: string): string {
  const colon = text.indexOf(':', rangeOf(key)[1]) + 1;
  return isWrittenNull(value) ? spliced(text, rangeOf(value)[0], inserted, rangeOf(value)[1]) : spliced(text, colon, ` ${inserted}`);
}

const rangeOf = (node: unknown): readonly [number, number] => {
  const range = (node as { range?: readonly [number, number, number] | null } | null)?.range;
  return range ? [range[0], range[1]] : [0, 0];
};

const spliced = (text: string, at: number, inserted: string, to = at): string => text.slice(0, at) + inserted + text.slice(to);

/** A text without any key, such as only comments, as the start of a configuration. */
const startOfFile = (text: string): string => `${text.trim() === '' ? '' : `${text.trimEnd()}\n\n`}version: 1\n`;

/** @param emptySection the section if it is written without a value, or with a written null: `providers: ~` */
function withSection(text: string, emptySection: Pair | undefined, section: string, entry: string): string {
  const lines = indented(entry, 2);
  if (emptySection !== undefined) {
    const colon = text.indexOf(':', rangeOf(emptySection.key)[1]) + 1;
    const rest = isWrittenNull(emptySection.value) ? spliced(text, colon, '', rangeOf(emptySection.value)[1]) : text;
    return insert(rest, nextLine(rest, colon), lines);
  }
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${text}${gap}\n${section}:\n${lines}\n`;
}

const indented = (entry: string, by: number): string =>
  entry
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `${' '.repeat(by)}${line}`))
    .join('\n');

/** Inserts lines at the start of a line, or at the end of the text. */
function insert(text: string, at: number, lines: string): string {
  const gap = at > 0 && text[at - 1] !== '\n' ? '\n' : '';
  return `${text.slice(0, at)}${gap}${lines}\n${text.slice(at)}`;
}

/** Start of the line after this offset. */
function nextLine(text: string, at: number): number {
  if (at > 0 && text[at - 1] === '\n') return at;
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

const columnOf = (text: string, at: number): number => at - (text.lastIndexOf('\n', at - 1) + 1);
