import type { LogRow } from '../core/logs/row.ts';
import type { FieldTerm, Filter, Term, Test } from './filter.ts';
import { moneyUnits } from './money.ts';
import { searchText, toStorable } from './text.ts';
import { boundedCount } from './bounded-count.ts';

/** Makes a predicate for rows from a filter. Used for live traffic, and as the reference for each store's SQL. */
export function matcher(filter: Filter): (row: LogRow) => boolean {
  const { since, until } = filter;
  const tests = filter.terms.map(testOf);
  return (row) => (since === null || row.at >= since) && (until === null || row.at < until) && tests.every((test) => test(row));
}

/** Text that bare words are searched in: preview, ids and error texts. */
export function searchTextOf(row: LogRow): string {
  return searchText([row.preview, row.error, row.message, row.id, row.trace, row.upstream_id]);
}

function testOf(term: Term): (row: LogRow) => boolean {
  if (term.kind === 'field') return (row) => matchesTerm(term, row) !== term.negated;
  const phrases = term.any.map((phrase) => ` ${phrase.join(' ')}`);
  return (row) => {
    const text = searchTextOf(row);
    return phrases.some((phrase) => text.includes(phrase)) !== term.negated;
  };
}

function matchesTerm(term: FieldTerm, row: LogRow): boolean {
  const value = valueOf(term, row);
  return term.any.some((test) => (value === null ? test.kind === 'none' : satisfies(test, value)));
}

/** Value of a field in the form that stores use; null when there is none. */
export function valueOf({ field, key }: Pick<FieldTerm, 'field' | 'key'>, row: LogRow): string | number | bigint | boolean | null {
  const member = row[field.column];
  if (key !== '') {
    const texts = member as Readonly<Record<string, string>>;
    return Object.hasOwn(texts, key) ? toStorable(texts[key] ?? '') : null;
  }
  if (typeof member === 'string') return field.type === 'money' ? moneyUnits(member) : toStorable(member);
  if (typeof member === 'number') return field.type === 'number' ? boundedCount(member) : member;
  return typeof member === 'boolean' ? member : null;
}

function satisfies(test: Test, value: string | number | bigint | boolean): boolean {
  switch (test.kind) {
    case 'equal':
      return value === test.value;
    case 'compare':
      return compare(test.by, value as number | bigint, test.value);
    case 'range':
      return (value as number) >= test.from && (value as number) < test.to;
    case 'like':
      return isLike(String(value), test.parts);
    case 'some':
      return value !== '';
    case 'none':
      return value === '';
  }
}

function compare(by: '<' | '<=' | '>' | '>=', left: number | bigint, right: number | bigint): boolean {
  if (by === '<') return left < right;
  if (by === '<=') return left <= right;
  return by === '>' ? left > right : left >= right;
}

/** Finds each part at its first occurrence. If that fails, no other choice matches. */
function isLike(value: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
  const end = value.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = value.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
