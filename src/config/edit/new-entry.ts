import { isPlain, type Plain } from '../../core/json/merge.ts';
import { Document, isMap, isScalar, type Pair, parseDocument, visit } from 'yaml';
import { objectIn } from '../../core/json/scan.ts';

/** Lines are never folded: an address stays in one piece. */
const style = { lineWidth: 0 } as const;

/** Dates and what other readers of YAML take for numbers: people put them in quotes, and copy them into other files. */
const quoted = /^\d{4}-\d{2}-\d{2}/;

/** A value as YAML, indented by so many blanks. Text keeps what YAML would read as something else in quotes. */
export function yamlOf(value: unknown, indent = 0): string {
  const document = new Document(value);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && quoted.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  const lines = document.toString(style).trimEnd().split('\n');
  return lines.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`)).join('\n');
}

/** The variable that holds the key of an entry: `AZURE_EU_API_KEY`. */
export const keyVariable = (slug: string, setting = 'api_key'): string =>
  `${slug}_${setting}`
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, 'P_');

/**
 * The text with one more entry in a section. What is there stays byte for byte where the section is written as lines;
 * a section in braces is written anew, and so is a file of JSON. Undefined where the text is not readable, or the name is taken.
 *
 * @param entry YAML without indentation, `name:` and what is below it
 */
export function withEntry(text: string, section: string, name: string, entry: string): string | undefined {
  if (text.includes('\r\n')) return withEntry(text.replaceAll('\r\n', '\n'), section, name, entry)?.replaceAll('\n', '\r\n');
  const json = jsonOf(text);
  if (json !== undefined) return withMember(json, section, name, entry);
  const document = parseDocument(text);
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) return undefined;
  const map: unknown = document.get(section, true);
  if (map === undefined || map === null || (isScalar(map) && map.value === null)) {
    if (document.contents?.flow === true) {
      document.set(section, document.createNode(parseDocument(entry).toJS() as unknown));
      return document.toString(style);
    }
    return withSection(
      text,
      document.contents?.items.find(({ key }) => isScalar(key) && key.value === section),
      section,
      entry,
    );
  }
  if (!isMap(map) || map.has(name)) return undefined;
  const last = map.items.at(-1);
  if (map.flow === true || last === undefined || !isScalar(last.key)) {
    document.setIn([section, name], parseDocument(entry).get(name, true));
    return document.toString(style);
  }
  const first = map.items[0]?.key;
  const indent = isScalar(first) && first.range ? columnOf(text, first.range[0]) : 2;
  const end = ((last.value ?? last.key) as { range?: readonly number[] | null }).range?.[1] ?? text.length;
  return insert(text, lineEnd(text, end), indented(entry, indent));
}

/** The object of a text that is JSON as well as YAML: such a file stays JSON. */
const jsonOf = (text: string): Plain | undefined => (text.trimStart().startsWith('{') ? objectIn(text) : undefined);

function withMember(json: Plain, section: string, name: string, entry: string): string | undefined {
  const members = json[section] ?? {};
  if (!isPlain(members) || Object.hasOwn(members, name)) return undefined;
  const added: unknown = parseDocument(entry).toJS();
  return `${JSON.stringify({ ...json, [section]: { ...members, ...(added as Plain) } }, null, 2)}\n`;
}

/** @param empty the section where it is written without a value, or with one that says so: `providers: ~` */
function withSection(text: string, empty: Pair | undefined, section: string, entry: string): string {
  const lines = indented(entry, 2);
  if (empty !== undefined) {
    const colon = text.indexOf(':', endOf(empty.key)) + 1;
    const isNamed = isScalar(empty.value) && (empty.value.source ?? '') !== '';
    const rest = isNamed ? `${text.slice(0, colon)}${text.slice(endOf(empty.value))}` : text;
    return insert(rest, lineEnd(rest, colon), lines);
  }
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${text}${gap}${text.trim() === '' ? '' : '\n'}${section}:\n${lines}\n`;
}

const endOf = (node: unknown): number => (isScalar(node) ? (node.range?.[1] ?? 0) : 0);

const indented = (entry: string, by: number): string =>
  entry
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `${' '.repeat(by)}${line}`))
    .join('\n');

/** Lines that go in at a place that is the start of a line, or the end of the text. */
function insert(text: string, at: number, lines: string): string {
  const gap = at > 0 && text[at - 1] !== '\n' ? '\n' : '';
  return `${text.slice(0, at)}${gap}${lines}\n${text.slice(at)}`;
}

/** The start of the line behind this place. */
function lineEnd(text: string, at: number): number {
  if (at > 0 && text[at - 1] === '\n') return at;
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

const columnOf = (text: string, at: number): number => at - (text.lastIndexOf('\n', at - 1) + 1);
