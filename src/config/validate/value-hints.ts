import { isJsonObject } from '../../core/json/merge.ts';
import { nearest } from '../../core/text/nearest.ts';
import { exampleLine } from './describe.ts';
import type { Node, Path, ScalarNode } from '../read/node.ts';
import type { Problem } from '../report/problem.ts';
import { isSecretPath } from '../read/secrets.ts';

type Rules = Readonly<Record<string, unknown>>;
type Hint = Pick<Problem, 'hint' | 'note'>;

/** Hint for what was probably meant by a value of the wrong type or form. Never repeats a value where a secret belongs. */
export function valueHint(node: Node | undefined, rules: Rules, path: Path): Hint {
  const example = exampleLine(String(path.at(-1)), rules);
  if (node?.kind === 'scalar' && node.value === null) {
    const isItem = typeof path.at(-1) === 'number';
    return { hint: isItem ? 'remove the item, or write its value' : `write ${example}, or remove the key` };
  }
  const types: readonly unknown[] = Array.isArray(rules['type']) ? rules['type'] : [rules['type']];
  if (node?.kind === 'scalar') {
    const shown = isSecretPath(path) ? undefined : node.text;
    if (node.resolved && typeof node.value === 'string' && !types.includes('string') && types.some((type) => scalarTypes.has(type)))
      return { hint: 'a reference is always a string: write the value itself' };
    const hint = schemaHint(node, rules) ?? enumHint(node, rules) ?? booleanHint(node, types) ?? quotesHint(node, shown, types, rules);
    if (hint !== undefined) return hint;
  }
  if (types.includes('array') && node !== undefined && node.kind !== 'list') return { hint: 'write a list: [ … ]' };
  if (types.includes('object') && node?.kind === 'scalar' && /^[\w-]+:\S/.test(node.text)) {
    return { hint: 'a space must follow the colon: key: value' };
  }
  return Array.isArray(rules['examples']) ? { hint: `for example ${example}` } : {};
}

const scalarTypes: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean']);

/** Hint from the schema for a value known from other products. */
function schemaHint({ value }: ScalarNode, rules: Rules): Hint | undefined {
  const hints = rules['x-hints'];
  const hint = isJsonObject(hints) && typeof value === 'string' && Object.hasOwn(hints, value) ? hints[value] : undefined;
  return typeof hint === 'string' ? { hint } : undefined;
}

function enumHint({ value }: ScalarNode, rules: Rules): Hint | undefined {
  const options = Array.isArray(rules['enum']) ? rules['enum'].map(String) : [];
  const meant = typeof value === 'string' ? nearest(value, options) : undefined;
  return meant === undefined ? undefined : { hint: `did you mean "${meant}"?` };
}

function booleanHint({ value }: ScalarNode, types: readonly unknown[]): Hint | undefined {
  if (!types.includes('boolean') || typeof value !== 'string') return undefined;
  const note = 'yes, no, on and off are strings in YAML 1.2';
  if (/^(yes|on|true|y)$/i.test(value)) return { hint: 'write true', note };
  return /^(no|off|false|n)$/i.test(value) ? { hint: 'write false', note } : undefined;
}

/** Hint for numbers and booleans that should be strings, and the reverse. */
function quotesHint({ value, text }: ScalarNode, shown: string | undefined, types: readonly unknown[], rules: Rules): Hint | undefined {
  const { pattern } = rules;
  if (types.includes('string') && typeof value !== 'string') {
    if (typeof pattern === 'string' && pattern.includes('ms|s|m|h|d') && typeof value === 'number')
      return { hint: `write the unit: ${text}s or ${text}ms` };
    if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(text)) return undefined;
    const losesDigits = typeof value === 'number' && String(value) !== text && shown !== undefined;
    return {
      hint: `put it in quotes${shown === undefined ? '' : `: "${shown}"`}`,
      ...(losesDigits ? { note: `without quotes ${text} is read as the number ${value}` } : {}),
    };
  }
  const isNumber = types.includes('integer') || types.includes('number');
  if (isNumber && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) && isInRange(Number(value), rules)) {
    return { hint: shown === undefined ? 'remove the quotes' : `remove the quotes: ${value}` };
  }
  return undefined;
}

const isInRange = (value: number, { minimum, maximum }: Rules): boolean =>
  (typeof minimum !== 'number' || value >= minimum) && (typeof maximum !== 'number' || value <= maximum);
