import type { Suggestion } from '../core/logs/reader.ts';
import { type FieldRef, fields, findField } from './fields.ts';
import { maxFilterLength } from './filter.ts';

/** Input at the cursor position of a filter. */
export type CursorInput =
  /** Prefix of a field name, or of a word. */
  | { readonly kind: 'name'; readonly prefix: string; readonly from: number; readonly to: number }
  /** Prefix of a value, without quotes. */
  | { readonly kind: 'value'; readonly ref: FieldRef; readonly prefix: string; readonly from: number; readonly to: number }
  | { readonly kind: 'nothing' };

const term = /(?:[^\s"]|"(?:[^"\\]|\\.)*(?:"|$))+/g;

/** Finds the text that a suggestion would replace: the part of a term up to the cursor. */
export function inputAtCursor(text: string, cursor: number): CursorInput {
  // A longer text is not a valid filter, and the expressions below need time quadratic in its length.
  if (text.length > maxFilterLength) return { kind: 'nothing' };
  const at = Math.min(Math.max(0, cursor), text.length);
  const head = text.slice(0, at);
  const last = [...head.matchAll(term)].at(-1);
  const isOpen = last !== undefined && last.index + last[0].length === at;
  const from = isOpen ? last.index : at;
  const typed = head.slice(from);
  const start = typed.startsWith('-') ? 1 : 0;
  const name = /^(\w+(?:\.(?:"(?:[^"\\]|\\.)*"|[^\s:",]+))?):/.exec(typed.slice(start))?.[1];
  if (name === undefined) {
    const prefix = typed.slice(start);
    return prefix.includes('"') ? { kind: 'nothing' } : { kind: 'name', prefix, from: from + start, to: at };
  }
  const ref = findField(name.replaceAll('"', ''));
  if (ref === undefined) return { kind: 'nothing' };
  const values = typed.slice(start + name.length + 1);
  const value = /(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|$))*$/.exec(values)?.[0] ?? '';
  const prefix = value.replace(/^"/, '').replaceAll(/\\(.)/g, '$1').replace(/"$/, '');
  return { kind: 'value', ref, prefix, from: at - value.length, to: at };
}

/** Fields whose name starts with the typed text, followed by those that contain it. `names` are the keys that occurred. */
export function suggestFields(
  typed: { readonly prefix: string; readonly from: number; readonly to: number },
  names: { readonly meta: readonly string[]; readonly label: readonly string[] },
): Suggestion[] {
  const prefix = typed.prefix.toLowerCase();
  const all = fields.flatMap(({ name, about }) => {
    if (!name.endsWith('.*')) return [{ name, about }];
    const seen = name === 'meta.*' ? names.meta : names.label;
    return seen.map((key) => ({ name: name.replace('*', () => quoteValue(key)), about }));
  });
  const fitting = [
    ...all.filter(({ name }) => name.toLowerCase().startsWith(prefix)),
    ...all.filter(({ name }) => name.toLowerCase().indexOf(prefix) > 0),
  ];
  const { from, to } = typed;
  return fitting.slice(0, maxSuggestions).map(({ name, about }) => ({ insert: `${name}:`, from, to, kind: 'field', count: null, about }));
}

/** Suggestions for values at this position, with the number of occurrences. */
export function suggestValues(
  { from, to }: { readonly from: number; readonly to: number },
  values: readonly { readonly value: string; readonly count: number | null; readonly about?: string }[],
): Suggestion[] {
  return values
    .slice(0, maxSuggestions)
    .map(({ value, count, about }) => ({ insert: quoteValue(value), from, to, kind: 'value', count, about: about ?? null }));
}

/** Most suggestions returned. */
export const maxSuggestions = 20;

/** A value as it must be written in a filter. */
export function quoteValue(value: string): string {
  return value !== '' && /^[^\s",:*\\<>=-][^\s",*\\]*$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
