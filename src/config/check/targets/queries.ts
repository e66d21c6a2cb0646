import { nearest } from '../../../core/text/nearest.ts';
import { withoutFullStop } from '../../../core/text/wording.ts';
import { compileQuery, operatorNames } from '../../compile/targets/conditions.ts';
import { child, type Entry, itemsOf, type MapNode, type Node, textOf, toValue } from '../../read/node.ts';
import { compileRegex } from '../../validate/regex.ts';
import { type CheckContext, entryOf, sitesOf } from '../context.ts';

/** Checks the queries of conditional routing: fields, operators and patterns. */
export function checkQueries(context: CheckContext): void {
  for (const { node } of sitesOf(context.root)) {
    for (const condition of itemsOf(child(child(node, 'strategy'), 'conditions'))) {
      const query = entryOf(condition, 'query');
      if (query?.value.kind === 'map' && checkQuery(query.value, context)) checkCompiles(query.value, context);
    }
  }
}

/** Reports errors that only compiling the query finds. */
function checkCompiles(query: MapNode, { report }: CheckContext): void {
  try {
    compileQuery(toValue(query));
  } catch (error) {
    const message = withoutFullStop((error as Error).message.replace(/^The config is not valid: /, ''));
    report({ code: 'wrong-type', at: query.at, message, hint: 'for example {metadata.plan: {$eq: paid}}' });
  }
}

/** True when no problem was found. */
function checkQuery(query: MapNode, context: CheckContext): boolean {
  return [...query.entries.values()].map((entry) => checkMember(entry, context)).every(Boolean);
}

function checkMember(entry: Entry, context: CheckContext): boolean {
  const { key, keyAt, value } = entry;
  if (key === '$and' || key === '$or') {
    return itemsOf(value)
      .map((item) => item.kind !== 'map' || checkQuery(item, context))
      .every(Boolean);
  }
  if (!/^(metadata\.[^.]+|params\.[^.]+|url\.pathname)$/.test(key)) {
    const meant = nearest(key, ['url.pathname', '$and', '$or']);
    const hint = meant === undefined ? 'use metadata.<key>, params.<body field> or url.pathname' : `did you mean "${meant}"?`;
    context.report({
      code: 'unknown-key',
      at: keyAt,
      message: `a query cannot read "${key}"`,
      hint,
      docs: 'docs/configuration.md#configs',
    });
    return false;
  }
  if (!key.startsWith('params.')) checkStringOperands(key, value, context);
  if (value.kind !== 'map') return true;
  return [...value.entries.values()].map((one) => checkOperator(one, context)).every(Boolean);
}

/** Metadata and the path are strings, and comparing for equality converts nothing. */
function checkStringOperands(key: string, value: Node, { report }: CheckContext): void {
  const operands = value.kind === 'map' ? ['$eq', '$ne', '$in', '$nin'].map((name) => child(value, name)) : [value];
  for (const operand of operands.flatMap((one): readonly (Node | undefined)[] => (one?.kind === 'list' ? one.items : [one]))) {
    if (operand?.kind !== 'scalar' || typeof operand.value === 'string') continue;
    report({
      code: 'never-used',
      at: operand.at,
      message: `"${key}" is a string and never equals ${operand.text}`,
      hint: `put it in quotes: "${operand.text}"`,
    });
  }
}

function checkOperator({ key, keyAt, value }: Entry, context: CheckContext): boolean {
  if (!operatorNames().includes(key)) {
    const meant = nearest(key, operatorNames());
    const hint = meant === undefined ? `allowed: ${operatorNames().join(', ')}` : `did you mean "${meant}"?`;
    context.report({ code: 'unknown-key', at: keyAt, message: `"${key}" is not an operator`, hint, docs: 'docs/configuration.md#configs' });
    return false;
  }
  return key !== '$regex' || checkPattern(value, context);
}

function checkPattern(value: Node, { report }: CheckContext): boolean {
  const pattern = textOf(value);
  const compiled = pattern === undefined ? undefined : compileRegex(pattern);
  if (compiled === undefined || !('error' in compiled)) return true;
  const hint = /\(\?[=!<]|\\\d/.test(pattern ?? '')
    ? 'lookaround and back-references are not supported'
    : 'patterns are RE2: check brackets and escapes';
  report({
    code: 'bad-regex',
    at: value.at,
    message: `the pattern cannot be used: ${withoutFullStop(compiled.error.replace(/^error parsing regexp: /, ''))}`,
    hint,
  });
  return false;
}
