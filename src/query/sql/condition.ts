import type { FieldTerm, Filter, Term, Test } from '../filter.ts';
import type { SeqWindow, Statement } from './statement.ts';
import { wordsCondition } from './words.ts';

/**
 * Terms of a filter as a condition on the table `requests` with the alias `r`, equivalent to `matcher`. The caller
 * handles `since` and `until`, which are a range of the table's key.
 */
export function conditionOf(filter: Filter, statement: Statement, window: SeqWindow): string {
  const terms = filter.terms.map((term) => {
    const condition = termCondition(term, statement, window);
    return term.negated ? `(${condition}) IS NOT TRUE` : `(${condition})`;
  });
  const range = rangeOf('r.seq', statement, window);
  return [range, ...terms].join(' AND ');
}

/** Condition that `seq` is inside the window. */
export function rangeOf(column: string, statement: Statement, { from, to }: SeqWindow): string {
  return `${column} >= ${statement.integer(from)} AND ${column} < ${statement.integer(to)}`;
}

/** Condition for a term on a column that has the empty string when the field has no value. */
export function conditionOnTexts(column: string, term: FieldTerm, statement: Statement): string {
  const any = term.any.map((test) => {
    if (test.kind === 'none') return `${column} = ''`;
    return test.kind === 'some' ? `${column} <> ''` : testCondition(column, test, true, statement);
  });
  return term.negated ? `NOT (${any.join(' OR ')})` : `(${any.join(' OR ')})`;
}

function termCondition(term: Term, statement: Statement, window: SeqWindow): string {
  if (term.kind === 'words') return wordsCondition(term.any, statement, window);
  if (term.key !== '') return tagCondition(term, statement, window);
  const condition = anyOf(`r."${term.field.column}"`, term, statement);
  // Adds a constant condition, so that the database uses the index of failed requests.
  return term.field.name === 'status' && term.any.every(isFailed) ? `(${condition}) AND r.status >= 400` : condition;
}

/** True when the test matches only failed requests. */
function isFailed(test: Test): boolean {
  if (test.kind === 'equal') return Number(test.value) >= 400;
  if (test.kind === 'range') return test.from >= 400;
  return test.kind === 'compare' && test.by.startsWith('>') && test.value >= 400;
}

function anyOf(column: string, { field, any }: FieldTerm, statement: Statement): string {
  const equal = any.flatMap((test) => (test.kind === 'equal' && typeof test.value !== 'boolean' ? [parameter(statement, test.value)] : []));
  const others = any.filter((test) => test.kind !== 'equal' || typeof test.value === 'boolean');
  const inList = equal.length === 0 ? [] : [equal.length === 1 ? `${column} = ${equal[0]}` : `${column} IN (${equal.join(', ')})`];
  return [...inList, ...others.map((test) => testCondition(column, test, field.type === 'text', statement))].join(' OR ');
}

function testCondition(column: string, test: Test, isText: boolean, statement: Statement): string {
  switch (test.kind) {
    case 'equal':
      return typeof test.value === 'boolean'
        ? `${column} = ${test.value ? 'TRUE' : 'FALSE'}`
        : `${column} = ${parameter(statement, test.value)}`;
    case 'compare':
      return `${column} ${test.by} ${parameter(statement, test.value)}`;
    case 'range':
      return `(${column} >= ${statement.number(test.from)} AND ${column} < ${statement.number(test.to)})`;
    case 'like':
      return likeCondition(column, test.parts, statement);
    case 'some':
      return isText ? `${column} <> ''` : `${column} IS NOT NULL`;
    case 'none':
      return isText ? `(${column} IS NULL OR ${column} = '')` : `${column} IS NULL`;
  }
}

function parameter(statement: Statement, value: string | number | bigint | boolean): string {
  if (typeof value === 'string') return statement.text(value);
  return typeof value === 'bigint' ? statement.integer(value) : statement.number(Number(value));
}

/** A pattern, and if it starts with text, also a range for that prefix, so that any index on the column can be used. */
function likeCondition(column: string, parts: readonly string[], statement: Statement): string {
  const first = parts[0] ?? '';
  const after = first === '' ? undefined : textAfter(first);
  const range = first === '' ? '' : `${column} >= ${statement.text(first)} AND `;
  const end = after === undefined ? '' : `${column} < ${statement.text(after)} AND `;
  const pattern =
    statement.dialect === 'sqlite'
      ? `${column} GLOB ${statement.text(parts.map((part) => part.replaceAll(/[*?[]/g, '[$&]')).join('*'))}`
      : `${column} LIKE ${statement.text(parts.map((part) => part.replaceAll(/[\\%_]/g, String.raw`\$&`)).join('%'))}`;
  return `(${range}${end}${pattern})`;
}

/** Smallest string after all strings with this prefix, in UTF-8 byte order; undefined when there is none. */
function textAfter(text: string): string | undefined {
  const characters = Array.from(text);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    // Skips surrogates, which are not characters.
    if (code < 0x10_ffff) return characters.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
  }
  return undefined;
}

/** Condition on metadata and labels. The table `tags` has a row for each, ordered by kind, name, value and row. */
function tagCondition(term: FieldTerm, statement: Statement, window: SeqWindow): string {
  const kind = term.field.column === 'meta' ? 'meta' : 'label';
  const rows = (condition: string): string =>
    `(SELECT t.seq FROM tags t WHERE t.kind = '${kind}' AND t.name = ${statement.text(term.key)} AND ${condition} AND ${rangeOf('t.seq', statement, window)})`;
  if (term.any.some(({ kind: test }) => test === 'some' || test === 'none')) return term.any.map((test) => single(test)).join(' OR ');
  return `r.seq IN ${rows(`(${anyOf('t.value', term, statement)})`)}`;

  function single(test: Test): string {
    if (test.kind === 'none') return `r.seq NOT IN ${rows(`t.value <> ''`)}`;
    return `r.seq IN ${rows(testCondition('t.value', test, true, statement))}`;
  }
}
