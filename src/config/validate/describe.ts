import { isJsonObject } from '../../core/json/merge.ts';
import { formatPath, type Node, type Path } from '../read/node.ts';
import { isSecretPath } from '../read/secrets.ts';

/** Name of the node at a path for messages: `"attempts"`, `an item of "targets"`, `providers.openai`. */
export function subjectOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'the file';
  if (typeof last === 'number') return `an item of "${String(path.at(-2))}"`;
  return path.length === 2 ? formatPath(path) : `"${last}"`;
}

/** The value found, for messages. Secrets are not shown. */
export function actualOf(node: Node | undefined, path: Path): string {
  if (node === undefined) return 'nothing';
  if (node.kind === 'map') return 'a mapping';
  if (node.kind === 'list') return 'a list';
  if (node.value === null) return 'nothing';
  const what = typeof node.value === 'string' ? 'the string' : typeof node.value === 'number' ? 'the number' : '';
  if (isSecretPath(path))
    return typeof node.value === 'string' ? 'a string' : typeof node.value === 'number' ? 'a number' : 'true or false';
  const text = node.resolved || typeof node.value !== 'string' ? node.text : node.value;
  return `${what} ${typeof node.value === 'string' ? `"${shorten(text)}"` : text}`.trim();
}

/** What a schema accepts, in words. */
export function expectedOf(schema: unknown): string {
  if (!isJsonObject(schema)) return 'something else';
  if (typeof schema['x-form'] === 'string') return schema['x-form'];
  if (Array.isArray(schema['enum'])) return joinList(schema['enum'].map(String), 'or');
  if ('const' in schema) return String(schema['const']);
  const types = typeof schema['type'] === 'string' ? [schema['type']] : Array.isArray(schema['type']) ? schema['type'].map(String) : [];
  return types.length === 0
    ? 'something else'
    : joinList(
        types.map((type) => typeTexts[type] ?? type),
        'or',
      );
}

const typeTexts: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping',
  array: 'a list',
  null: 'nothing',
};

/** A list in words: `a, b or c`. */
export function joinList(items: readonly string[], conjunction: 'or' | 'and'): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${conjunction} ${items.at(-1)}`;
}

export const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
};

/** Example for a missing key: `type: openai`, `targets: [{…}]`. */
export function exampleLine(key: string, schema: unknown): string {
  const { examples, enum: options, default: usual } = isJsonObject(schema) ? schema : {};
  const [value = usual] = [examples, options].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  return `${key}: ${value === undefined ? '…' : flowText(value)}`;
}

function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (isJsonObject(value))
    return `{${Object.entries(value)
      .map(([key, inner]) => `${key}: ${flowText(inner)}`)
      .join(', ')}}`;
  // Braces need quotes, except where nothing else is on the line; a hint is also pasted between others.
  return /[{}]/.test(String(value)) ? `"${String(value)}"` : String(value);
}
