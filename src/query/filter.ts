import type { Field } from './fields.ts';

/** A parsed filter. A row matches if all terms match and it arrived in [since, until). */
export interface Filter {
  /** Unix milliseconds; the latest of all `since` terms. */
  readonly since: number | null;
  /** Unix milliseconds; the earliest of all `until` terms. */
  readonly until: number | null;
  readonly terms: readonly Term[];
}

export type Term = FieldTerm | WordsTerm;

interface TermBase {
  readonly negated: boolean;
  /** Offsets of the term in the filter text. */
  readonly from: number;
  readonly to: number;
}

/** Matches if one of its tests does. If the field has no value, only `none` matches. */
export interface FieldTerm extends TermBase {
  readonly kind: 'field';
  readonly field: Field;
  /** Key for `meta.*` and `label.*`; otherwise empty. */
  readonly key: string;
  readonly any: readonly Test[];
}

/** Matches if the searched texts contain all words of one of the phrases in sequence. The last word may be a prefix. */
export interface WordsTerm extends TermBase {
  readonly kind: 'words';
  readonly any: readonly (readonly string[])[];
}

export type Comparison = '<' | '<=' | '>' | '>=';

/** A test on a value. Money is a bigint (see money.ts), durations are milliseconds. */
export type Test =
  | { readonly kind: 'equal'; readonly value: string | number | bigint | boolean }
  | { readonly kind: 'compare'; readonly by: Comparison; readonly value: number | bigint }
  /** `from` is included, `to` is not. */
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  /** Texts separated by wildcards. There are at least two: the value starts with the first and ends with the last. */
  | { readonly kind: 'like'; readonly parts: readonly string[] }
  /** The value is present and not empty. */
  | { readonly kind: 'some' }
  /** The value is missing or empty. */
  | { readonly kind: 'none' };

/** Why a text is not a valid filter. */
export interface FilterProblem {
  readonly message: string;
  readonly hint: string | null;
  /** Offsets in the text. */
  readonly from: number;
  readonly to: number;
}

/** Longest filter in characters, and most values in it. */
export const maxFilterLength = 2000;
export const maxValues = 64;
/** Most wildcards in one value. */
export const maxWildcards = 8;

/** Thrown while a filter is parsed. Never thrown outside this folder. */
export class FilterSyntaxError extends Error {
  readonly problem: FilterProblem;

  constructor(message: string, at: { readonly from: number; readonly to: number }, hint: string | null = null) {
    super(message);
    this.problem = { message, hint, from: at.from, to: at.to };
  }
}
